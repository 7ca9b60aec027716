import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Allowance, LadderPreview, PlacedLadder } from './preview.ts'
import { sizeKey, stepOf } from './rungs.ts'
import type { StrategyTestInput } from './strategy-test-input.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { BookObject, CandlesObject } from '#src/strategy/expressions/context-objects.ts'

/**
 * Warnings about a ladder from the sample data: that it could not be checked, or that its rungs will not be placed as
 * shown.
 */
export function sampleWarnings(
  strategy: Strategy,
  ladders: readonly LadderPreview[],
  testInput: StrategyTestInput,
  allowance: Allowance,
): StrategyFault[] {
  return ladders.flatMap((ladder) => [
    ...notChecked(ladder),
    ...('placed' in ladder
      ? [
          ...noRungs(ladder),
          ...wideHysteresis(ladder),
          ...outsideBand(strategy, ladder, priceIn(strategy, testInput, ladder.file.market), allowance),
        ]
      : []),
  ])
}

/** A refused ladder is reported elsewhere. */
function notChecked(ladder: LadderPreview): StrategyFault[] {
  if (!('missing' in ladder) || 'refusal' in ladder.missing) return []
  const { missing } = ladder
  const { at } = missing
  const what = `the rungs of ${ladder.name}, their edges and their share of the limits`
  const why = 'unknown' in missing ? missing.unknown : missing.none
  const message = `${what} are not checked with sample values: ${why}`
  const hint = 'add the missing values to "given" of the first test'
  return [{ path: ['ladder', ladder.name, ...at], message, hint }]
}

function noRungs({ name, file, placed }: PlacedLadder): StrategyFault[] {
  if (placed.rungs.length > 0) return []
  const levels = placed.merged.length + placed.dropped.length
  const message = `${name} has no rungs: all of its ${levels} levels are below the minimum of the market`
  return [
    { path: ['ladder', name, ...sizeKey(file.size)], message, hint: 'use a larger size or fewer levels' },
  ]
}

/** Warns about a hysteresis above one step, or above the drift. */
function wideHysteresis({ name, file, placed, market }: PlacedLadder): StrategyFault[] {
  if (typeof file.rebase !== 'object' || !file.rebase.hysteresis) return []
  const { drift, hysteresis } = file.rebase
  const step = new Decimal(stepOf(placed.rungs))
  const lengthOf = ({ of, by }: typeof drift) => by.times(of === 'step' ? step : placed.anchor)
  const [stays, moves] = [lengthOf(hysteresis), lengthOf(drift)]
  const text = (length: Decimal) => decimalText(length.toDecimalPlaces(market.priceDigits))
  const path = ['ladder', name, 'rebase', 'hysteresis']
  const said = `rungs of ${name} that would move less than ${text(stays)} stay, and`
  if (step.gt(0) && stays.gt(step)) {
    const message = `${said} its step is ${text(step)}: a rung can reach the price of its neighbour or pass it`
    return [{ path, message, hint: 'write at most 1 step' }]
  }
  if (stays.lte(moves)) return []
  const message = `${said} the drift is ${text(moves)}: the drift alone moves no rung; the hysteresis is larger`
  return [{ path, message, hint: 'write at most the drift' }]
}

/** Finds a resting rung outside the price band. Other rungs are sent later, when the price is nearer. */
function outsideBand(
  { markets }: Strategy,
  { name, file, placed }: PlacedLadder,
  price: Decimal | undefined,
  { priceBand: band }: Allowance,
): StrategyFault[] {
  if (!band || !price) return []
  const far = placed.rungs.find(
    (rung) => placed.resting.has(rung) && rung.price.minus(price).abs().gt(price.times(band)),
  )
  if (!far) return []
  const away = percentText(far.price.minus(price).abs().div(price))
  const message =
    `level ${far.level} of ${name} at ${decimalText(far.price)} is ${away} from the price of ${decimalText(price)}, and ` +
    `the venue refuses orders in ${markets[file.market]?.symbol ?? file.market} farther away than ${percentText(band)}`
  const hint = `add resting: { within: ${percentText(band)} }, or use fewer levels or smaller steps`
  return [{ path: ['ladder', name, 'spacing'], onKey: true, message, hint }]
}

/** The price of a market in the sample; undefined if no feed of it has data. */
function priceIn({ feeds }: Strategy, { views }: StrategyTestInput, market: string): Decimal | undefined {
  for (const [name, feed] of Object.entries(feeds)) {
    if (feed.market !== market) continue
    const seen = views.now[name]
    const price =
      seen instanceof CandlesObject
        ? seen.feed.readings?.now?.close
        : seen instanceof BookObject && seen.bid && seen.ask
          ? (seen.bid + seen.ask) / 2
          : undefined
    if (price) return new Decimal(price)
  }
  return undefined
}
