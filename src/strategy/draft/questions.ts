import { Decimal, decimal, decimalText } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { levelsMost, moneyLeast, moneyMost, profitLeast, stepBounds, type DraftPlace } from './bounds.ts'
import { kindNames } from './kind-names.ts'
import { kinds, type StrategyDraft } from './kinds.ts'
import { percent } from './sections.ts'

/** The venue's data for the draft: the markets with a known price. */
export type DraftVenue = { places: ReadonlyMap<string, DraftPlace> }

/** What is wrong with an answer, and what to write instead. */
export type AnswerMistake = { seen: string; fix: string }

/** A question may use the answers to the questions above it. */
export type DraftQuestion = {
  flag: keyof StrategyDraft
  /** The text of the question; undefined if the kind does not need it. */
  text: (before: StrategyDraft, venue: DraftVenue) => string | undefined
  /** The default answer. */
  usual: (before: StrategyDraft, venue: DraftVenue) => string
  /** The values that the answer sets, or what is wrong with it. */
  take: (text: string, before: StrategyDraft, venue: DraftVenue) => Partial<StrategyDraft> | AnswerMistake
}

const fewest = 2
const marketsShownMax = 12
const usualMoney = decimal('2000')
const usualStep = decimal('0.001')
const usualProfit = decimal('0.004')
const profitMost = decimal('0.5')
const dipMost = decimal('0.9')

export const questions: readonly DraftQuestion[] = [
  {
    flag: 'kind',
    text: () =>
      `Which kind of strategy?\n${kindNames.map((name) => `  ${name.padEnd(14)} ${kinds[name].about}`).join('\n')}\nkind`,
    usual: () => kindNames[0],
    take(text) {
      const kind = kindNames.find((name) => name === text)
      if (kind !== undefined) return { kind }
      return {
        seen: `${quoted(text)} is not a kind of strategy${suggestion(text, kindNames)}`,
        fix: `Write one of ${kindNames.join(', ')}`,
      }
    },
  },
  {
    flag: 'market',
    text: (_, venue) => `Which market? ${marketsText(venue)}\nmarket`,
    usual: (_, { places }) => ['BTC_PERP', ...places.keys()].find((symbol) => places.has(symbol)) ?? '',
    take(text, before, { places }) {
      const market = text.toUpperCase()
      const place = places.get(market)
      if (!place) {
        const seen = `${quoted(text)} has no price at the venue${suggestion(text, [...places.keys()])}`
        return { seen, fix: `Write one of ${marketsText({ places })}` }
      }
      if (levelsMost(before.kind, moneyMost(before.kind, place), place) > 0) return { market }
      const fee = feeText(place.market.makerFee)
      return {
        seen: `no two rungs of a ${before.kind} are worth their fees of ${fee} on ${market}`,
        fix: 'Name another market',
      }
    },
  },
  {
    flag: 'money',
    text: () => 'What is the maximum cost of all entries, in the quote currency?',
    usual: (before, venue) => decimalText(Decimal.max(usualMoney, leastMoney(before, venue))),
    take(text, before, venue) {
      const least = leastMoney(before, venue)
      const most = moneyMost(before.kind, placeOf(before, venue))
      const fix = `Write a number from ${decimalText(least)} to ${decimalText(most)}, with at most two decimals`
      if (!isDecimalText(text)) return { seen: `${quoted(text)} is not an amount of money`, fix }
      const money = decimal(text)
      if (money.decimalPlaces() > 2) return { seen: `${text} has more than two decimals`, fix }
      if (money.lt(least))
        return { seen: `${text} is less than the minimum orders of ${before.market} cost`, fix }
      return money.gt(most) ? { seen: `${text} is more than ${before.market} accepts`, fix } : { money }
    },
  },
  {
    flag: 'levels',
    text: (before) => (kinds[before.kind].sides === 2 ? 'How many rungs on each side?' : 'How many rungs?'),
    usual: (before, venue) => String(Math.min(kinds[before.kind].usual.levels, mostLevels(before, venue))),
    take(text, before, venue) {
      const most = mostLevels(before, venue)
      const money = decimalText(before.money)
      const fix =
        `Write a whole number from ${fewest} to ${most}` +
        (most < kinds[before.kind].levelsMost ? `; ${money} is enough for no more minimum orders` : '')
      if (!/^\d{1,6}$/.test(text)) return { seen: `${quoted(text)} is not a number of rungs`, fix }
      const levels = Number(text)
      if (levels >= fewest && levels <= most) return { levels }
      return { seen: levels < fewest ? `${levels} are too few` : `${levels} are too many`, fix }
    },
  },
  {
    flag: 'step',
    text: (before) => kinds[before.kind].step,
    usual(before, venue) {
      const { least, most } = steps(before, venue)
      const paying = placeOf(before, venue).market.makerFee.times(3)
      return percent(Decimal.min(most, Decimal.max(least, usualStep, paying)))
    },
    take(text, before, venue) {
      const { least, most } = steps(before, venue)
      const fee = feeText(placeOf(before, venue).market.makerFee)
      return ratio(text, least, most, {
        small: `a step must pay its fees (${fee} each) and be larger than some ticks`,
        large: `${before.levels} steps of it reach too far from the price`,
        key: 'step',
      })
    },
  },
  {
    flag: 'dip',
    text: (before) =>
      before.kind === 'dip'
        ? 'How far below the highest price of a day must the price be first? 0% starts at once'
        : undefined,
    usual: () => '0%',
    take: (text) =>
      ratio(text, new Decimal(0), dipMost, {
        small: '',
        large: 'the price hardly ever falls that far',
        key: 'dip',
      }),
  },
  {
    flag: 'profit',
    text: (before) =>
      kinds[before.kind].leaves ? 'How far above the average entry is the take profit?' : undefined,
    usual(before, venue) {
      const place = placeOf(before, venue)
      const paying = place.market.makerFee.plus(place.market.takerFee).times(3)
      return percent(Decimal.max(usualProfit, paying, profitLeast(place)))
    },
    take(text, before, venue) {
      const least = profitLeast(placeOf(before, venue))
      return ratio(text, least, profitMost, {
        small: 'a profit must pay the fees of both orders',
        large: 'the price would hardly ever reach it',
        key: 'profit',
      })
    },
  },
  {
    flag: 'name',
    text: () => 'What is the name of the strategy? Order ids start with it',
    usual: (before) => kinds[before.kind].usual.name,
    take: (text) =>
      /^[a-z][a-z0-9_]{0,11}$/.test(text)
        ? { name: text }
        : {
            seen: `${quoted(text)} is not a valid name`,
            fix: 'Write at most 12 lower case letters, digits and underscores, starting with a letter, such as btc_dip',
          },
  },
]

/** A ratio between two limits, in percent with four decimals at most. */
function ratio(
  text: string,
  least: Decimal,
  most: Decimal,
  about: { small: string; large: string; key: 'step' | 'dip' | 'profit' },
): Partial<StrategyDraft> | AnswerMistake {
  const fix = `Write a percentage from ${percent(least)} to ${percent(most)}`
  const [, digits] = /^(.+?) ?%$/.exec(text) ?? []
  if (digits === undefined || !isDecimalText(digits))
    return { seen: `${quoted(text)} is not a percentage`, fix }
  const value = decimal(digits).div(100)
  if (value.decimalPlaces() > 6) return { seen: `${text} has more than four decimals`, fix }
  if (value.lt(least)) return { seen: `${text} is too small: ${about.small}`, fix }
  return value.gt(most) ? { seen: `${text} is too large: ${about.large}`, fix } : { [about.key]: value }
}

function steps(before: StrategyDraft, venue: DraftVenue) {
  return stepBounds(before.kind, before.levels, placeOf(before, venue))
}

function leastMoney(before: StrategyDraft, venue: DraftVenue): Decimal {
  return moneyLeast(before.kind, fewest, placeOf(before, venue))
}

function mostLevels(before: StrategyDraft, venue: DraftVenue): number {
  return levelsMost(before.kind, before.money, placeOf(before, venue))
}

function marketsText({ places }: DraftVenue): string {
  const all = [...places.keys()]
  const some = all.slice(0, marketsShownMax).join(', ')
  return all.length > marketsShownMax ? `${some} and ${all.length - marketsShownMax} more` : some
}

function placeOf({ market }: StrategyDraft, { places }: DraftVenue): DraftPlace {
  const place = places.get(market)
  if (!place) throw new Error('the market is asked for before what depends on it')
  return place
}

function quoted(text: string): string {
  return `"${text.slice(0, 40)}"`
}

/** A negative fee is a rebate. */
function feeText(fee: Decimal): string {
  return `${fee.times(100).toFixed()}%`
}
