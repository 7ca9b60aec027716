import { detach, exitsOf } from './attached-exits.ts'
import { findResting, isNamed, kindOf, restingOf, type Named } from './find-orders.ts'
import { bucketOf, closable, exposureOf } from '#src/exchange/trading/positions/exposure.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { OrderKind, Trigger } from '#src/exchange/trading/records.ts'
import { cancelWaiting, cancelResting } from './resting-orders.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** Cancels resting or waiting orders, one by its id or many at once. */
export type FoundOrder = { row: number } | { trigger: Trigger }

export function findOrder(
  trading: Trading,
  trader: Trader,
  market: Market,
  named: Named,
): FoundOrder | undefined {
  const row = findResting(trading, trader, market, named)
  if (row !== undefined) return { row }
  const trigger = waitingOf(trading, trader, { market: market.number }).find(({ id, draft }) =>
    isNamed(named, id, draft.clientId),
  )
  return trigger && { trigger }
}

/** Cancels the order, and the other order of its pair. The row stays readable until the next order. */
export function cancelFound(
  trading: Trading,
  trader: Trader,
  market: Market,
  found: FoundOrder,
  now: number,
): void {
  if ('row' in found) return cancelResting(trading, found.row, 'CANCELED', now)
  const { other: id, oto } = found.trigger
  if (oto !== undefined) return removeExits(trading, oto, now)
  const other = id === 0 ? undefined : findResting(trading, trader, market, { order_id: id })
  if (other === undefined) cancelWaiting(trading, found.trigger, now)
  else cancelResting(trading, other, 'CANCELED', now)
}

/** Cancels the exits of an order that wait, so that no exit is left when one activates. */
export function cancelExits(trading: Trading, oto: number, now: number): void {
  for (const exit of exitsOf(trading.state, oto)) cancelWaiting(trading, exit, now)
}

/** Cancels the exits of an order for good: further fills of the order get none. */
export function removeExits(trading: Trading, oto: number, now: number): void {
  cancelExits(trading, oto, now)
  detach(trading.state, oto)
}

/** Cancels the exits whose position has closed, or has changed its side. */
export function cancelIdleExits(trading: Trading, now: number): void {
  const { state, markets, accounts } = trading
  for (const { id, market: number, account } of state.attached ?? []) {
    const [market, trader] = [markets[number], accounts[account - 1]]
    const [exit] = exitsOf(state, id)
    if (exit === undefined || market === undefined || trader === undefined) continue
    const position = exposureOf(trader, market, bucketOf(trader, exit.draft.positionSide))
    if (closable(position, exit.draft.sells) === 0) cancelExits(trading, id, now)
  }
}

type OrderSelection = {
  market?: number | undefined
  kinds?: readonly OrderKind[] | undefined
  positionSide?: number | undefined
}

/** The waiting orders of an account that a call about many orders selects, oldest first. */
export function waitingOf({ state, markets }: Trading, trader: Trader, about: OrderSelection): Trigger[] {
  return state.triggers.filter(({ account, market: number, draft }) => {
    const market = markets[number]
    return (
      account === trader.number &&
      market !== undefined &&
      (about.market ?? number) === number &&
      (about.kinds?.includes(kindOf(market, draft.flags)) ?? true) &&
      (about.positionSide ?? draft.positionSide) === draft.positionSide
    )
  })
}

export function cancelSelected(trading: Trading, trader: Trader, about: OrderSelection, now: number): void {
  const { orders } = trading.state
  for (const { row } of restingOf(trading, trader, about)) {
    if (about.positionSide !== undefined && orders.positionSide[row] !== about.positionSide) continue
    cancelResting(trading, row, 'CANCELED', now)
  }
  for (const trigger of waitingOf(trading, trader, about)) cancelWaiting(trading, trigger, now)
}
