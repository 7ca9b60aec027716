import type { OrderBook } from '#src/exchange/trading/book/book.ts'
import type { NewOrder } from '#src/exchange/trading/orders/order-draft.ts'

/** Prices in ticks, 0 as long as there is none. Margin and liquidation go by the mark. */
export type MarketState = {
  book: OrderBook
  last: number
  mark: number
  /** Whether the mark follows an index, and not the last trade. */
  indexed: boolean
  /** Whether mark, last price and tape were recorded once, so that no trade of today changes them. */
  recorded: boolean
  /** Oldest first. Rates are in 10^-8. */
  fundings: { at: number; rate: number; ticks: number }[]
}

/** An order that waits until the last price has reached another one. */
export type Trigger = {
  /** That of the order that it becomes. */
  id: number
  account: number
  market: number
  draft: NewOrder
  activation: number
  /** Whether the price must come from below. */
  rises: boolean
  /** The order that ends when this one begins, and the other way round: the take profit beside a stop loss. */
  other: number
  at: number
}

/** What an order with the flag waits, or has waited, for; `activatedAt` is 0 until it has come. */
export type Stop = { activation: number; rises: boolean; activatedAt: number }

/** Withdraws the orders of a market when its time has come. */
export type KillSwitch = { kinds: readonly OrderKind[]; startedAt: number; dueAt: number }

/** Of the spot account, or of the collateral account on a market of one kind or the other. */
export type OrderKind = 'spot' | 'margin' | 'futures'

/** An account's position in one market and what its resting orders there come to. Lots below zero are short. */
export type Exposure = {
  market: number
  bucket: 0 | 1
  positionId: number
  openedAt: number
  changedAt: number
  lots: number
  /** What the open lots were bought or sold for. */
  cost: bigint
  /** Since the position was opened: profits less losses and fees, and funding received less paid. */
  realised: bigint
  funding: bigint
  buys: { lots: number; quanta: number }
  sells: { lots: number; quanta: number }
  /** Resting reduce-only orders, which are not among the sums. */
  reducing: number
}

/** The margin that resting orders need, in two parts. */
export type Requirement = {
  /** For what would open a position. */
  opening: bigint
  /** For what would close one: its loss at the orders' prices less the margin that it frees, often below zero. */
  closing: bigint
}
