import { Decimal } from '#src/core/money/decimal.ts'
import { rangeIn } from '#src/strategy/expressions/range.ts'
import type { InMoney } from '#src/strategy/file/capital.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { lossOf } from './edge.ts'
import { sumOf, type PlacedLadder, type Preview } from './preview.ts'

/**
 * Ladders that a rule with a schedule, or each of their fills, places again and again, and the worst case when they have grown up
 * to their limits. `after`: what they grow with.
 */
type Growth = { names: string[]; after: 'scheduled time' | 'fill'; limits: string; loss: Decimal }

export function growthOf(
  strategy: InMoney,
  { placed, grownByFills }: Pick<Preview, 'placed' | 'grownByFills'>,
): Growth | undefined {
  const names = placed
    .map(({ name }) => name)
    .filter((name) => isScheduled(strategy, name) || grownByFills.has(name))
  if (names.length === 0) return undefined
  const after = names.some((name) => grownByFills.has(name)) ? 'fill' : 'scheduled time'
  const losses = strategy.risk.worst_case.move.map((move) => grownLoss(strategy, placed, names, move))
  const limits = strategy.risk.max_position === undefined ? 'max_notional' : 'max_notional or max_position'
  return { names, after, limits, loss: Decimal.max(...losses) }
}

function isScheduled({ rules }: Strategy, name: string): boolean {
  return rules.some(
    ({ schedule, once, do: actions }) =>
      schedule !== undefined && once !== 'ever' && actions.some(({ ensure }) => ensure === name),
  )
}

/** What a ladder has on the side on which the move loses, and its loss. */
type Loser = { market: string; grows: boolean; notional: Decimal; amount: Decimal; loss: Decimal }

/** As the engine counts: the loss of one market is not reduced by the gain of another one. */
function grownLoss(
  strategy: InMoney,
  placed: readonly PlacedLadder[],
  names: readonly string[],
  move: Decimal,
): Decimal {
  const [side, other] = move.lt(0) ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
  const losers = placed.map(({ name, file: { market }, placed: ladder }): Loser => {
    const [notional, amount] = [sumOf(ladder.rungs, 'notional', side), sumOf(ladder.rungs, 'amount', side)]
    const loss = lossOf(ladder, move, rangeIn(strategy, market))
    return { market, grows: names.includes(name) && !notional.isZero(), notional, amount, loss }
  })
  const losses = losers.map(({ market, grows, loss }) =>
    grows ? loss.times(growthMax(strategy, market, losers)) : loss,
  )
  const shares = losers.map(({ loss, notional }) => (notional.isZero() ? notional : loss.div(notional)))
  const { total, net } = strategy.risk.max_notional
  const isOneSided = placed.every((ladder) => sumOf(ladder.placed.rungs, 'notional', other).isZero())
  const caps = [total, isOneSided ? net : undefined].filter((cap) => cap !== undefined)
  return Decimal.min(Decimal.sum(...losses), ...caps.map((cap) => cap.times(Decimal.max(...shares))))
}

/** How many times the growing rungs of a market fit into the limits, beside the rungs that do not grow. */
function growthMax({ risk }: InMoney, market: string, losers: readonly Loser[]): Decimal {
  const here = losers.filter((each) => each.market === market)
  const times = (limit: Decimal | undefined, of: 'notional' | 'amount', within: readonly Loser[]) => {
    const sum = (ladders: readonly Loser[], grows: boolean) =>
      ladders.reduce((sum, each) => (each.grows === grows ? sum.plus(each[of]) : sum), new Decimal(0))
    return limit === undefined ? [] : [limit.minus(sum(within, false)).div(sum(here, true))]
  }
  const most = [
    ...times(risk.max_notional[market], 'notional', here),
    ...times(risk.max_notional['total'], 'notional', losers),
    ...times(risk.max_position?.[market], 'amount', here),
  ]
  return most.length === 0 ? new Decimal(1) : Decimal.max(1, Decimal.min(...most))
}
