import type { OrderBook } from '#src/exchange/trading/book/book.ts'
import type { AttachedExits, NewOrder } from '#src/exchange/trading/orders/order-draft.ts'

/** Prices in ticks, 0 if there is none yet. Margin and liquidation use the mark price. */
export type MarketState = {
  book: OrderBook
  last: number
  mark: number
  /** Whether the mark price follows an index instead of the last trade. */
  indexed: boolean
  /** Whether mark price, last price and public trades come from recorded data, so that trades do not change them. */
  recorded: boolean
  /** The funding rate without a premium, in 10^-8; if absent, the rate is the premium. */
  fundingBase?: number
  /** Oldest first. Rates are in 10^-8. */
  fundings: { at: number; rate: number; ticks: number }[]
}

/** An order that waits until the last price reaches its activation price. */
export type Trigger = {
  /** The id of the order after its activation. */
  id: number
  account: number
  market: number
  draft: NewOrder
  activation: number
  /** Whether the activation price must be reached from below. */
  rises: boolean
  /** The order that ends when this one activates, and vice versa: the take profit beside a stop loss. */
  other: number
  /** The OTO whose take profit or stop loss it is. */
  oto?: number
  at: number
}

/** An order with exits, from its placement until neither it nor an exit can trade any more. */
export type Attached = AttachedExits & {
  id: number
  account: number
  market: number
  /** The order that the exits belong to, and whether it can still trade. */
  order: number
  isOpen: boolean
}

/** The activation price of an order with the flag `stop`; `activatedAt` is 0 until it activates. */
export type Stop = { activation: number; rises: boolean; activatedAt: number }

/** Cancels the orders of a market at `dueAt`. */
export type KillSwitch = { kinds: readonly OrderKind[]; startedAt: number; dueAt: number }

/** Spot account, or collateral account on a margin or futures market. */
export type OrderKind = 'spot' | 'margin' | 'futures'

/** An account's position in one market and the sums of its resting orders there. Short positions have negative lots. */
export type Exposure = ReturnType<typeof noExposure>

export function noExposure(market: number, bucket: 0 | 1) {
  return {
    market,
    bucket,
    positionId: 0,
    openedAt: 0,
    changedAt: 0,
    lots: 0,
    /** The money for which the open lots were bought or sold. */
    cost: 0n,
    /** Since the position opened: profits less losses and fees, and funding received less paid. */
    realised: 0n,
    funding: 0n,
    /** Number of resting reduce-only orders, which are not part of the sums. */
    reducing: 0,
    buys: { lots: 0, quanta: 0 },
    sells: { lots: 0, quanta: 0 },
  }
}
