import { caps } from '#src/exchange/caps.ts'
import { begin, drawOrderId, useClientId } from './order-intake.ts'
import type { Draft } from './order-draft.ts'
import type { Floor } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, restingRows } from '#src/exchange/trading/book/order-columns.ts'
import { place, takerBand } from './order-matching.ts'
import { reachOf } from './market-order-size.ts'
import type { Stop, Trigger } from '#src/exchange/trading/records.ts'
import { end, withdraw } from './resting-orders.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { isUsed } from './used-client-ids.ts'

/** Orders that wait until the last price has come to theirs. They hold nothing before that. */

type Wait = Pick<Trigger, 'activation' | 'rises' | 'other'>

/** The id is that of the order which it becomes. */
export function wait(
  floor: Floor,
  market: Market,
  trader: Trader,
  draft: Draft,
  about: Wait,
  now: number,
): Trigger {
  if (draft.clientId !== '' && !isUsed(trader.usedIds, draft.clientId))
    useClientId(floor, trader, draft.clientId)
  const id = drawOrderId(trader)
  const { activation, rises } = about
  const trigger: Trigger = {
    ...about,
    id,
    account: trader.number,
    market: market.number,
    draft: { ...draft, id },
    at: now,
  }
  floor.state.triggers.push(trigger)
  noteStop(trader, id, { activation, rises, activatedAt: 0 })
  floor.tell?.waits?.(trader, trigger)
  return trigger
}

function noteStop({ stops }: Trader, id: number, stop: Stop): void {
  stops.set(id, stop)
  for (const oldest of stops.keys()) {
    if (stops.size <= caps.events) return
    stops.delete(oldest)
  }
}

/** Lets come what the last prices have reached, oldest first. */
export function activate(floor: Floor, now: number): void {
  const { state } = floor
  if (state.triggers.length === 0) return
  const due = state.triggers.filter(({ market, activation, rises }) => {
    const last = state.markets[market]?.last ?? 0
    return last !== 0 && (rises ? last >= activation : last <= activation)
  })
  if (due.length > 0) floor.quote?.(now)
  for (const trigger of due) {
    // It may have been called off since, by an order that came before it and traded with the one it is linked to.
    if (!state.triggers.includes(trigger)) continue
    state.triggers = state.triggers.filter((other) => other !== trigger)
    const { account, draft, other } = trigger
    const market = floor.markets[trigger.market]
    const trader = floor.accounts[account - 1]
    if (market === undefined || trader === undefined) continue
    const stop = trader.stops.get(trigger.id)
    if (stop) stop.activatedAt = now
    for (const row of restingRows(state.orders, trader)) {
      if (state.orders.id[row] === other) withdraw(floor, market, row, 'CANCELED', now)
    }
    const placed = place(floor, market, trader, { ...draft, ...sizeNow(floor, market, trader, draft) }, now)
    if (typeof placed === 'string') {
      end(floor, trader, begin(floor, market, trader, draft, now), 'CANCELED', now)
    }
  }
}

/** What an order at the market may reach is known when it comes; of a spot buy, what it will hold, too. */
function sizeNow(floor: Floor, market: Market, trader: Trader, draft: Draft): Pick<Draft, 'lots' | 'ticks'> {
  const { lots, sells, flags, selfTrade } = draft
  if ((flags & flag.market) === 0) return { lots, ticks: draft.ticks }
  const ticks = takerBand(floor, market, sells)
  if (sells || (flags & flag.spot) === 0) return { lots, ticks }
  return reachOf(floor, market, trader, { selfTrade, lots }, ticks)
}
