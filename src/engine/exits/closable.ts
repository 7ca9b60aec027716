import { Decimal } from '#src/core/money/decimal.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import { lackOf } from '#src/engine/account/reconcile-positions.ts'
import { exitsLeft } from '#src/engine/rules/halts.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import type { LadderState, Order, State } from '#src/engine/state/state.ts'
import { readOthers } from '#src/engine/state/validity.ts'

type Exit = Pick<OrderDraft, 'strategy' | 'market' | 'side'>

/** The most that exits may close, and why not more. */
export type Closable = { most: Decimal; why: string }

/**
 * If the venue is known to hold less than our fills add up to, and after a halt by an unknown outcome or a drift, exits close at
 * most the position that the venue shows, less what other exits there may close already. Undefined where only our own fills are
 * the bound, and where the venue shows no positions.
 */
export function closableBy(
  state: State,
  { strategy, market, side }: Exit,
  own: LadderState | undefined,
  approved: readonly OrderDraft[] = [],
): Closable | undefined {
  const lack = lackOf(state, market, own?.held)
  const whole = state.strategies[strategy]
  const shown = shownIn(state, market, side)
  const isReduced = whole !== undefined && exitsLeft(whole) === 'reduce' && shown !== undefined
  if (lack === undefined && !isReduced) return undefined
  readOthers()
  const offered = [...exitsIn(state, market, side)].map(leftOf)
  const judged = approved.filter((draft) => isExit(draft, market, side)).map(({ amount }) => amount)
  const most = [...offered, ...judged].reduce<Decimal>((left, amount) => left.minus(amount), shown ?? zero)
  const holds = `the venue holds ${(shown ?? zero).toFixed()} ${side === 'sell' ? 'long' : 'short'} in ${market}`
  return { most: Decimal.max(zero, most), why: `positions: ${lack ?? holds}` }
}

/** Resting exits of this ladder beyond the position that the venue shows, the newest first. */
export function beyondShown(state: State, exit: Exit, own: LadderState): Order[] {
  if (closableBy(state, exit, own) === undefined) return []
  let over = new Decimal(0).minus(shownIn(state, exit.market, exit.side) ?? zero)
  for (const order of exitsIn(state, exit.market, exit.side))
    if (!order.withdrawing) over = over.plus(leftOf(order))
  const beyond: Order[] = []
  const mine = new Set(Object.values(own.open))
  for (const order of [...exitsIn(state, exit.market, exit.side)].toReversed()) {
    if (!over.gt(0)) break
    if (!mine.has(order.id) || order.withdrawing || order.ioc) continue
    beyond.push(order)
    over = over.minus(leftOf(order))
  }
  return beyond
}

/** Fills of our exits since the last reading have reduced the position. */
export function closeShown({ drift }: State, { market, side }: Order, amount: string): void {
  const shown = drift.shown?.[market]
  if (!shown) return
  const of = side === 'sell' ? 'long' : 'short'
  shown[of] = Decimal.max(zero, new Decimal(shown[of]).minus(amount)).toFixed()
}

function shownIn({ drift }: State, market: string, side: 'buy' | 'sell'): Decimal | undefined {
  if (!drift.shown) return undefined
  return new Decimal(drift.shown[market]?.[side === 'sell' ? 'long' : 'short'] ?? 0)
}

/** Exits with unknown outcome are left out: if they have closed something, the position no longer shows it. */
function* exitsIn(state: State, market: string, side: 'buy' | 'sell'): Generator<Order> {
  for (const order of openOrdersOf(state).values())
    if (isExit(order, market, side) && order.status !== 'doubtful') yield order
}

/** The venue itself keeps a conditional order within the position. */
function isExit(order: OrderDraft, market: string, side: 'buy' | 'sell'): boolean {
  return (
    order.role === 'exit' && order.activation === undefined && order.market === market && order.side === side
  )
}

const zero = new Decimal(0)
