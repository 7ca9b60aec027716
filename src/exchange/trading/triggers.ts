import { begin, drawOrderId } from './arriving.ts'
import { restingRows } from './changing.ts'
import type { Draft } from './draft.ts'
import type { Floor } from './floor.ts'
import type { Market } from './market.ts'
import { flag } from './orders.ts'
import { place, takerBand } from './placing.ts'
import type { Trigger } from './records.ts'
import { end, withdraw } from './resting.ts'
import type { Trader } from './trader.ts'
import { use } from './used-ids.ts'

/** Orders that wait until the last price has come to theirs. They hold nothing before that. */

type Wait = Pick<Trigger, 'activation' | 'rises' | 'other'>

/** The id is that of the order which it becomes. */
export function wait(
  floor: Floor,
  market: Market,
  trader: Trader,
  draft: Draft,
  { activation, rises, other }: Wait,
  now: number,
): Trigger {
  const id = drawOrderId(trader)
  if (draft.clientId !== '') use(trader.usedIds, draft.clientId)
  const trigger: Trigger = {
    id,
    account: trader.number,
    market: market.number,
    draft: { ...draft, id },
    activation,
    rises,
    other,
    at: now,
  }
  floor.state.triggers.push(trigger)
  return trigger
}

/** Lets come what the last prices have reached, oldest first. */
export function activate(floor: Floor, now: number): void {
  const { state } = floor
  if (state.triggers.length === 0) return
  const due = state.triggers.filter(({ market, activation, rises }) => {
    const last = state.markets[market]?.last ?? 0
    return last !== 0 && (rises ? last >= activation : last <= activation)
  })
  for (const trigger of due) {
    // It may have been called off since, by an order that came before it and traded with the one it is linked to.
    if (!state.triggers.includes(trigger)) continue
    state.triggers = state.triggers.filter((other) => other !== trigger)
    const { account, draft, other } = trigger
    const market = floor.markets[trigger.market]
    const trader = floor.accounts[account - 1]
    if (market === undefined || trader === undefined) continue
    for (const row of restingRows(state.orders, trader)) {
      if (state.orders.id[row] === other) withdraw(floor, market, row, 'CANCELED', now)
    }
    const ticks = (draft.flags & flag.market) === 0 ? draft.ticks : takerBand(floor, market, draft.sells)
    const placed = place(floor, market, trader, { ...draft, ticks }, now)
    if (typeof placed === 'string') {
      end(floor, trader, begin(floor, market, trader, draft, now), 'CANCELED', now)
    }
  }
}
