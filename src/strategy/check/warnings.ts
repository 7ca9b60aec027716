import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { capitalOf, mostActive, type InMoney } from '#src/strategy/file/capital.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { cutsLosses, distanceText, lossCutsText } from '#src/strategy/schema/exit-schema.ts'
import { amendWarnings } from './amend-warnings.ts'
import { backtestWarnings } from './backtest-warnings.ts'
import { closeWarnings } from './close-warnings.ts'
import { edgeWarnings } from './edge-warnings.ts'
import { extremeWarnings } from './extreme-warnings.ts'
import { limitWarnings } from './limit-warnings.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import { sumOf, type Allowance, type PlacedLadder, type Preview } from './preview.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { valueOf } from './rungs.ts'
import { sampleWarnings } from './sample-warnings.ts'
import { sizeWarnings } from './size-warnings.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** Warnings for the author of a strategy. */
export function warningsOf(
  strategy: InMoney,
  programs: Programs,
  preview: Preview,
  allowance: Allowance,
): StrategyFault[] {
  return [
    ...extremeWarnings(strategy, programs),
    ...backtestWarnings(strategy, programs),
    ...reentries(strategy),
    ...lateTrails(strategy),
    ...widerLoss(strategy, preview),
    ...limitWarnings(strategy, preview),
    ...amendWarnings(strategy, preview),
    ...closeWarnings(strategy, preview),
    ...lateStops(strategy, preview),
    ...preview.placed.flatMap(earlyStops),
    ...edgeWarnings(strategy, preview.placed),
    ...sizeWarnings(strategy, programs, preview),
    ...sampleWarnings(strategy, preview.ladders, preview.testInput, allowance),
    ...preview.placed.flatMap((ladder) =>
      smallExit(ladder, programs, preview, strategy.risk.price_band !== undefined),
    ),
  ]
}

/** A loss that a ladder in a range can reach from other prices than the current one. */
function widerLoss({ risk }: InMoney, { lossNow, worstLoss }: Preview): StrategyFault[] {
  const { max_loss: most } = risk.worst_case
  if (worstLoss.lte(most) || lossNow.gt(most)) return []
  const message =
    `from the worst price of its range the worst case loses ${decimalText(worstLoss)}, more than ${decimalText(most)}: ` +
    'entries beyond the limit are never placed'
  const hint = 'raise the limit, or reduce the ladder'
  return [{ path: ['risk', 'worst_case', 'max_loss'], message, hint }]
}

/** Ladders that place entries again directly after a loss. */
function reentries({ ladder, rules }: Strategy): StrategyFault[] {
  return Object.entries(ladder).flatMap(([name, { exit }]): StrategyFault[] => {
    // A rule with a schedule acts again only at its next time.
    const returning = rules.filter(({ once, schedule, do: actions }) => {
      const isAgain = once !== 'ever' && schedule === undefined
      return isAgain && actions.some(({ ensure }) => ensure === name)
    })
    if (returning.length === 0 || !cutsLosses({ exit }) || exit?.cooldown !== undefined) return []
    const ensuring = returning.map(({ id }) => id).join(' or ')
    const message = `${name} may enter again at once after its ${lossCutsText}, while ${ensuring} is true`
    const hint = 'add a cooldown, such as cooldown: 10m'
    return [{ path: ['ladder', name], onKey: true, message, hint }]
  })
}

/** Ladders with a trailing stop, which is active only in profit, and without a stop: `max_age` limits no price. */
function lateTrails({ ladder }: Strategy): StrategyFault[] {
  return Object.entries(ladder).flatMap(([name, { exit }]): StrategyFault[] => {
    if (!exit?.trail || exit.stop) return []
    const message =
      `until the trailing stop of ${name} is active, at ${distanceText(exit.trail.activate)} of profit, ` +
      `${exit.max_age === undefined ? 'no exit' : 'only max_age'} limits the loss`
    const hint = 'add a stop, such as stop: { pct: 5% }'
    return [{ path: ['ladder', name, 'exit', 'trail'], onKey: true, message, hint }]
  })
}

/** Stops that lose more, after all rungs of a side have filled, than the drawdown limit allows before it halts. */
function lateStops(strategy: InMoney, { placed }: Preview): StrategyFault[] {
  const losses = placed.flatMap((ladder) => lossAtStop(strategy, ladder))
  const bySymbol = [...Map.groupBy(losses, ({ symbol }) => symbol).values()].map((there) => {
    // One price cannot reach the stops of both sides.
    const lossOf = (side: 'buy' | 'sell') => Decimal.sum(...there.map((stop) => stop[side]))
    return [there[0]?.market ?? '', Decimal.max(lossOf('buy'), lossOf('sell'))] as const
  })
  const loss = mostActive(strategy, bySymbol)
  const { halt, then } = strategy.risk.drawdown
  const most = halt.times(capitalOf(strategy))
  if (loss.lte(most)) return []
  const names = losses.map(({ name }) => name).join(', ')
  const message =
    `all rungs of ${names} lose ${decimalText(loss.toDecimalPlaces(2, Decimal.ROUND_UP))} at the stop, and ` +
    `drawdown halts before that, at ${decimalText(most)}: ${afterHalt[then]}`
  const hint = 'raise halt, or reduce the loss of the stop or the ladder'
  return [{ path: ['risk', 'drawdown', 'halt'], message, hint }]
}

type LossAtStop = Record<'buy' | 'sell', Decimal> & { name: string; market: string; symbol: string }

function lossAtStop({ markets }: Strategy, { name, file, placed }: PlacedLadder): LossAtStop[] {
  const stop = file.exit?.stop
  const symbol = markets[file.market]?.symbol
  if (!stop || symbol === undefined) return []
  const loss = (side: 'buy' | 'sell') => sumOf(placed.rungs, 'notional', side).times(stop.pct)
  return [{ name, market: file.market, symbol, buy: loss('buy'), sell: loss('sell') }]
}

const afterHalt = {
  exits: 'entries stop at the halt, and the stop still works',
  flatten: 'the halt closes all positions before the stop is reached',
  freeze: 'the halt freezes the stop: it is not sent',
} as const satisfies Record<Strategy['risk']['drawdown']['then'], string>

/** A stop that is reached, after some levels have filled, before the next level of its own ladder. */
function earlyStops({ name, file, placed, market }: PlacedLadder): StrategyFault[] {
  const stop = file.exit?.stop
  if (!stop) return []
  return (['buy', 'sell'] as const).flatMap((side): StrategyFault[] => {
    const rungs = placed.rungs.filter((rung) => rung.side === side)
    let [amount, notional] = [new Decimal(0), new Decimal(0)]
    for (const [index, rung] of rungs.entries()) {
      amount = amount.plus(rung.amount)
      notional = notional.plus(rung.notional)
      const next = rungs[index + 1]
      if (!next) break
      const loss = notional.times(stop.pct)
      const price = (side === 'buy' ? notional.minus(loss) : notional.plus(loss)).div(amount)
      if (side === 'buy' ? price.lte(next.price) : price.gte(next.price)) continue
      const message =
        `after ${levelsText(rungs.slice(0, index + 1))} of ${name}, the stop at ` +
        `${decimalText(price.toDecimalPlaces(market.priceDigits))} (${percentText(stop.pct)}) comes before level ` +
        `${next.level} at ${decimalText(next.price)}: it loses ` +
        `${decimalText(loss.toDecimalPlaces(2, Decimal.ROUND_UP))} before fees, and ` +
        `${levelsText(rungs.slice(index + 1))} can fill only if the price jumps past the stop`
      const hint = 'widen the stop, or use fewer levels or smaller steps'
      return [{ path: ['ladder', name, 'exit', 'stop', 'pct'], message, hint }]
    }
    return []
  })
}

function levelsText(rungs: readonly { level: string }[]): string {
  const [first, last] = [rungs[0]?.level, rungs.at(-1)?.level]
  return first === last ? `level ${first ?? ''}` : `levels ${first ?? ''} to ${last ?? ''}`
}

/** An exit at a price at which the whole amount of the rungs is below the minimum order. */
function smallExit(
  { name, market, placed }: PlacedLadder,
  programs: Programs,
  { testInput }: Preview,
  hasBand: boolean,
): StrategyFault[] {
  const program = programs.ladders.get(name)?.exitAt
  // With `risk.price_band` the exit is sent at the bound of the band, where it is worth more.
  if (hasBand || !program) return []
  const at = valueOf(program, testInput.views.now)
  if (!('value' in at)) return []
  const sums = (['buy', 'sell'] as const).map((side) => sumOf(placed.rungs, 'amount', side))
  const total = Decimal.max(...sums).times(at.value)
  const { minTotal } = market
  if (total.gte(minTotal)) return []
  const message =
    `exit.at is ${decimalText(at.value)}: all rungs of ${name} have a notional of ${decimalText(total)} there, ` +
    `less than the minimum of ${decimalText(minTotal)} of the market`
  const hint = 'this exit is never sent: use another price'
  return [{ path: ['ladder', name, 'exit', 'at'], message, hint }]
}
