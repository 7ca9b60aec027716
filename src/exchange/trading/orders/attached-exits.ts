import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import type { Attached, Trigger } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { addTrigger } from './order-intake.ts'

/**
 * Take profit and stop loss of an order (OTO). They begin with its first fill, as conditional market orders that only
 * reduce the position, for the amount that has filled.
 */

export function attachedTo({ attached }: ExchangeState, order: number): Attached | undefined {
  return attached?.find((each) => each.order === order)
}

/** The exits that wait. */
export function exitsOf({ triggers }: ExchangeState, oto: number): Trigger[] {
  return triggers.filter((trigger) => trigger.oto === oto)
}

export function isTakeProfit({ draft, rises }: Trigger): boolean {
  return rises === draft.sells
}

/** More of the order has filled: its exits grow by as much, or begin. */
export function growExits(
  trading: Trading,
  market: Market,
  trader: Trader,
  { row, lots }: { row: number; lots: number },
  now: number,
): void {
  const { state } = trading
  const { orders } = state
  const attached = attachedTo(state, orders.id[row] ?? 0)
  if (attached === undefined) return
  const waiting = exitsOf(state, attached.id)
  for (const exit of waiting) {
    exit.draft = { ...exit.draft, lots: exit.draft.lots + lots }
    trading.listener?.waits?.(trader, exit, 'changed')
  }
  if (waiting.length > 0) return
  const sells = orders.sells[row] === 0
  const draft = {
    clientId: '',
    sells,
    positionSide: orders.positionSide[row] ?? 0,
    selfTrade: orders.selfTrade[row] ?? 0,
    ticks: 0,
    lots,
    flags: flag.stop | flag.market | flag.reduceOnly,
  }
  const begin = (activation: number, rises: boolean) => {
    if (activation === 0) return
    addTrigger(trading, market, trader, { draft, activation, rises, other: 0, oto: attached.id }, now)
  }
  begin(attached.takeProfit, sells)
  begin(attached.stopLoss, !sells)
}

/** The order has ended: what has filled keeps its exits. */
export function endEntry(state: ExchangeState, order: number): void {
  const attached = attachedTo(state, order)
  if (attached === undefined) return
  attached.isOpen = false
  forgetEnded(state, attached.id)
}

/** Forgets an OTO of which neither the order nor an exit can trade any more. */
export function forgetEnded(state: ExchangeState, oto: number): void {
  const attached = state.attached?.find(({ id }) => id === oto)
  if (attached?.isOpen === false && exitsOf(state, oto).length === 0) detach(state, oto)
}

export function detach(state: ExchangeState, oto: number): void {
  state.attached = (state.attached ?? []).filter(({ id }) => id !== oto)
}
