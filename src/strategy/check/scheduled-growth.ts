import { Decimal } from '#src/core/money/decimal.ts'
import { rangeIn } from '#src/strategy/expressions/range.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { lossOf } from './edge.ts'
import { sumOf, type LadderPreview, type PlacedLadder } from './preview.ts'

/** Ladders that a rule with a schedule places again and again, and the worst case when they have grown up to their limits. */
export type ScheduledGrowth = { names: string[]; limits: string; loss: Decimal }

export function scheduledGrowth(
  strategy: Strategy,
  ladders: readonly LadderPreview[],
): ScheduledGrowth | undefined {
  const placed = ladders.filter((ladder) => 'placed' in ladder)
  const names = placed.map(({ name }) => name).filter((name) => isScheduled(strategy, name))
  if (names.length === 0) return undefined
  const losses = strategy.risk.worst_case.move.map((move) => grownLoss(strategy, placed, names, move))
  const limits = strategy.risk.max_position === undefined ? 'max_notional' : 'max_notional or max_position'
  return { names, limits, loss: Decimal.max(...losses) }
}

function isScheduled({ rules }: Strategy, name: string): boolean {
  return rules.some(
    ({ schedule, once, do: actions }) =>
      schedule !== undefined && once !== 'ever' && actions.some(({ ensure }) => ensure === name),
  )
}

/** As the engine counts: the loss of one market is not reduced by the gain of another one. */
function grownLoss(
  strategy: Strategy,
  placed: readonly PlacedLadder[],
  names: readonly string[],
  move: Decimal,
): Decimal {
  const [side, other] = move.lt(0) ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
  const { total, net } = strategy.risk.max_notional
  let [loss, largestShare] = [new Decimal(0), new Decimal(0)]
  for (const market of Object.keys(strategy.markets)) {
    const own = placed.filter(({ file }) => file.market === market)
    const rungs = own.flatMap((ladder) => ladder.placed.rungs)
    const notional = sumOf(rungs, 'notional', side)
    if (notional.isZero()) continue
    const range = rangeIn(strategy, market)
    const once = Decimal.sum(...own.map((ladder) => lossOf(ladder.placed, move, range)))
    const grows = own.some(({ name }) => names.includes(name))
    const most = growthMax(strategy, market, { notional, amount: sumOf(rungs, 'amount', side) })
    loss = loss.plus(grows ? once.times(most) : once)
    largestShare = Decimal.max(largestShare, once.div(notional))
  }
  const isOneSided = placed.every((ladder) => sumOf(ladder.placed.rungs, 'notional', other).isZero())
  const caps = [total, isOneSided ? net : undefined].filter((cap) => cap !== undefined)
  return Decimal.min(loss, ...caps.map((cap) => cap.times(largestShare)))
}

/** How many times the rungs of a market fit into its limits. */
function growthMax(
  { risk }: Strategy,
  market: string,
  { notional, amount }: Record<'notional' | 'amount', Decimal>,
): Decimal {
  const times = [
    risk.max_notional[market]?.div(notional),
    risk.max_notional['total']?.div(notional),
    risk.max_position?.[market]?.div(amount),
  ].filter((each) => each !== undefined)
  return times.length === 0 ? new Decimal(1) : Decimal.max(1, Decimal.min(...times))
}
