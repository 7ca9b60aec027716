import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import type { VenueRules } from '#src/runtime/compose/venue-rules.ts'
import { drafted } from '#src/cli/new/new-file.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { kindNames } from '#src/strategy/draft/kind-names.ts'
import { blankDraft, kinds, type StrategyDraft } from '#src/strategy/draft/kinds.ts'
import { questions, type DraftQuestion, type DraftVenue } from '#src/strategy/draft/questions.ts'
import { decimal, Decimal, decimalText } from '#src/core/money/decimal.ts'
import { runs } from '#test/properties/runs.ts'

const packaged = rulesOfWorld(packagedWorld, 'full')

function venueOf({ markets, prices, batchMax }: VenueRules): DraftVenue {
  const places = [...markets].map(
    ([name, market]) => [name, { market, price: prices.get(name) ?? decimal('1'), batchMax }] as const,
  )
  return { places: new Map(places) }
}

/** A venue with one more market, of any size, price and fee. */
const rules = fc
  .record({
    priceDigits: fc.integer({ min: 0, max: 8 }),
    amountDigits: fc.integer({ min: 0, max: 8 }),
    lots: fc.integer({ min: 1, max: 1000 }),
    ticks: fc.integer({ min: 200, max: 100_000_000 }),
    minTotal: fc.integer({ min: 0, max: 50 }),
    fee: fc.integer({ min: -500, max: 500 }),
    batchMax: fc.integer({ min: 1, max: 30 }),
  })
  .map(({ priceDigits, amountDigits, lots, ticks, minTotal, fee, batchMax }): VenueRules => {
    const market = {
      priceDigits,
      amountDigits,
      minAmount: new Decimal(10).pow(-amountDigits).times(lots),
      minTotal: new Decimal(minTotal),
      maxTotal: decimal('10000000'),
      makerFee: new Decimal(fee).div(100_000),
      takerFee: new Decimal(fee).div(50_000),
    }
    const price = new Decimal(10).pow(-priceDigits).times(ticks)
    return {
      has: packaged.has,
      markets: new Map(packaged.markets).set('ANY_USDT', market),
      prices: new Map(packaged.prices).set('ANY_USDT', price),
      batchMax,
      orderLimit: packaged.orderLimit,
    }
  })

/** How an answer is chosen: the default, either limit, or a value in between. */
const pick = fc.oneof(fc.constantFrom('usual', 'least', 'most'), fc.double({ min: 0, max: 1, noNaN: true }))
type Pick = 'usual' | 'least' | 'most' | number

const boundsOf = /from ([\d.]+)(%?) to ([\d.]+)/

function answerOf(
  { flag, usual, take }: DraftQuestion,
  how: Pick,
  draft: StrategyDraft,
  venue: DraftVenue,
): string {
  const mistake = take('!', draft, venue)
  const [, from, unit = '', to] = boundsOf.exec('fix' in mistake ? mistake.fix : '') ?? []
  if (how === 'usual' || from === undefined || to === undefined) return usual(draft, venue)
  const [least, most] = [decimal(from), decimal(to)]
  if (typeof how !== 'number') return `${how === 'least' ? from : to}${unit}`
  const digits = flag === 'levels' ? 0 : flag === 'money' ? 2 : 4
  // Most real choices are near the lower limit.
  const between = least.plus(most.minus(least).times(new Decimal(how).pow(4)))
  return decimalText(between.toDecimalPlaces(digits, Decimal.ROUND_UP)) + unit
}

/** Answers every question; undefined if the market is refused with a message. */
function draftOf(
  picks: ReadonlyMap<string, Pick>,
  fixed: Partial<Record<string, string>>,
  venue: DraftVenue,
) {
  const draft = { ...blankDraft }
  for (const question of questions) {
    if (question.text(draft, venue) === undefined) continue
    const how = picks.get(question.flag) ?? 'usual'
    const taken = question.take(fixed[question.flag] ?? answerOf(question, how, draft, venue), draft, venue)
    if ('seen' in taken && question.flag === 'market') return undefined
    expect(taken, question.flag).not.toHaveProperty('seen')
    Object.assign(draft, taken)
  }
  return draft
}

test('for all answers the draft passes its check, with every requested rung', () => {
  fc.assert(
    fc.property(
      rules,
      fc.constantFrom(...kindNames),
      fc.constantFrom('ANY_USDT', ...packaged.markets.keys()),
      fc.record({ money: pick, levels: pick, step: pick, dip: pick, profit: pick }),
      (rules, kind, market, picks) => {
        const venue = venueOf(rules)
        const draft = draftOf(new Map(Object.entries(picks)), { kind, market }, venue)
        const place = venue.places.get(market)
        if (draft === undefined || place === undefined) return
        const { problems, preview } = drafted(draft, place, rules, 'strategy.schema.json')
        expect(problems).toEqual([])
        const counts = preview?.ladders.map((each) => ('placed' in each ? each.placed.rungs.length : 0)) ?? []
        const asked = draft.levels * kinds[kind].sides
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(asked)
      },
    ),
    runs(40, 2000),
  )
})

describe('a question', () => {
  const venue = venueOf(packaged)
  const before: StrategyDraft = {
    ...blankDraft,
    kind: 'grid',
    market: 'BTC_PERP',
    money: decimal('2000'),
    levels: 8,
  }
  const told = (flag: keyof StrategyDraft, text: string, draft = before) => {
    const taken = questions.find((question) => question.flag === flag)?.take(text, draft, venue)
    return taken && 'seen' in taken ? `${taken.seen}. ${taken.fix}` : 'taken'
  }

  test.each([
    [
      'kind',
      'gird',
      '"gird" is not a kind of strategy, did you mean "grid"?. Write one of grid, dip, dca, market-making',
    ],
    ['market', 'BTC-PER', '"BTC-PER" has no price at the venue, did you mean "BTC_PERP"?'],
    ['money', '10', '10 is less than the minimum orders of BTC_PERP cost. Write a number from 340'],
    ['money', '1e5', '"1e5" is not an amount of money'],
    ['money', '2000.123', '2000.123 has more than two decimals'],
    ['money', '90000000', '90000000 is more than BTC_PERP accepts'],
    ['levels', '1', '1 are too few. Write a whole number from 2 to 11; 2000 is enough for no more'],
    ['levels', '12', '12 are too many'],
    ['levels', 'many', '"many" is not a number of rungs'],
    ['step', '0.001%', '0.001% is too small: a step must pay its fees (0.01% each)'],
    ['step', '9%', '9% is too large: 8 steps of it reach too far from the price'],
    ['step', '0.1', '"0.1" is not a percentage. Write a percentage from 0.0257% to 3.125%'],
    ['name', 'My Grid', '"My Grid" is not a valid name. Write at most 12 lower case letters'],
    ['market', 'eth_perp', 'taken'],
  ] as const)('of the %s: "%s" is answered directly', (flag, text, expected) => {
    expect(told(flag, text)).toContain(expected)
  })
})
