import type { NewOrder } from './order-draft.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { restingRows, takeRow } from '#src/exchange/trading/book/order-columns.ts'
import type { Stop, Trigger } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { caps } from '#src/exchange/caps.ts'
import { feeTierOf } from '#src/exchange/trading/traded-volume.ts'
import { forgetOldest, isUsed, use } from './used-client-ids.ts'

/** Each account has its own range of order ids, so that ids reveal nothing about other accounts. */
const ordersPerAccount = 1_000_000_000_000

export function drawOrderId(account: Trader): number {
  account.nextOrder += 1
  return account.number * ordersPerAccount + account.nextOrder - 1
}

/** Marks an id as used. The exchange forgets it at the earliest after half a million newer ids. */
export function useClientId({ state }: Trading, trader: Trader, clientId: string): void {
  const { usedIds } = trader
  if (usedIds.ids.length >= caps.clientIds) {
    const open = new Set<string>()
    for (const row of restingRows(state.orders, trader)) open.add(state.orders.clientId[row] ?? '')
    for (const { account, draft } of state.triggers) if (account === trader.number) open.add(draft.clientId)
    forgetOldest(usedIds, caps.clientIds / 2, (id) => open.has(id))
  }
  use(usedIds, clientId)
}

/** Makes a row for an order that is not in the book yet. */
export function newOrderRow(
  trading: Trading,
  market: Market,
  account: Trader,
  draft: NewOrder,
  now: number,
): number {
  const { orders } = trading.state
  const row = takeRow(orders)
  const oto = draft.exits && drawOrderId(account)
  orders.id[row] = draft.id ?? drawOrderId(account)
  orders.account[row] = account.number
  orders.market[row] = market.number
  orders.sells[row] = draft.sells ? 1 : 0
  orders.flags[row] = draft.flags
  orders.positionSide[row] = draft.positionSide
  orders.selfTrade[row] = draft.selfTrade
  orders.status[row] = 0
  orders.tier[row] = feeTierOf(account, market, now)
  orders.ticks[row] = draft.ticks
  orders.lots[row] = draft.lots
  orders.left[row] = draft.lots
  orders.quanta[row] = 0
  orders.taken[row] = 0
  orders.at[row] = now
  orders.changedAt[row] = now
  orders.ahead[row] = -1
  orders.clientId[row] = draft.clientId
  if (draft.clientId !== '' && draft.id === undefined) useClientId(trading, account, draft.clientId)
  if (oto !== undefined && draft.exits) {
    const attached = { ...draft.exits, id: oto, account: account.number, market: market.number }
    ;(trading.state.attached ??= []).push({ ...attached, order: orders.id[row], isOpen: true })
  }
  return row
}

type Wait = Pick<Trigger, 'activation' | 'rises' | 'other' | 'oto'> & { draft: NewOrder }

/** Adds an order that waits. Its id is also the id of the order after its activation. */
export function addTrigger(
  trading: Trading,
  market: Market,
  trader: Trader,
  { draft, activation, rises, other, oto }: Wait,
  now: number,
): Trigger {
  if (draft.clientId !== '' && !isUsed(trader.usedIds, draft.clientId))
    useClientId(trading, trader, draft.clientId)
  const id = drawOrderId(trader)
  const trigger: Trigger = {
    activation,
    rises,
    other,
    ...(oto !== undefined && { oto }),
    id,
    account: trader.number,
    market: market.number,
    draft: { ...draft, id },
    at: now,
  }
  trading.state.triggers.push(trigger)
  noteStop(trader, id, { activation, rises, activatedAt: 0 })
  trading.listener?.waits?.(trader, trigger, 'rests')
  return trigger
}

function noteStop({ stops }: Trader, id: number, stop: Stop): void {
  stops.set(id, stop)
  for (const oldest of stops.keys()) {
    if (stops.size <= caps.events) return
    stops.delete(oldest)
  }
}
