import type { Search } from './events.ts'

/** Actions that the engine requests. The journal holds each before its first byte is sent. */
export type Command =
  | Submit
  /** Cancels orders of ours. */
  | { kind: 'cancel'; strategy: string; orders: { id: string; market: string; venueId: string | null }[] }
  | Look
  | { kind: 'invest'; id: string; strategy: string; ticker: string; amount: string; reinvest: boolean }

/** Resolves orders of unknown outcome; the answer is `evidence`. */
export type Look = {
  kind: 'look'
  ids: string[]
  sentSince: number
  /** Progress of earlier searches for some of them. */
  searched?: Record<string, Search>
}

export type Submit = {
  kind: 'submit'
  chunk: number
  strategy: string
  orders: ApprovedOrder[]
  stopOnFail: boolean
  priority: 'exits' | 'entries'
  /** After this time the chunk is not worth sending: it is returned as `not-sent`. */
  dueAt: number
  /** For entries: from this time on, earlier than `dueAt`, the prices that they were computed from are stale. */
  sendBy?: number
}

/** An order before the risk gate has checked it. */
export type OrderDraft = {
  /** `orderIdOf` writes it: the same intent has the same id, before and after a crash. */
  id: string
  strategy: string
  ladder: string
  level: string
  generation: number
  role: 'entry' | 'exit'
  /** The symbol of the market at the venue. */
  market: string
  side: 'buy' | 'sell'
  positionSide: 'LONG' | 'SHORT'
  price: string
  amount: string
  postOnly: boolean
  ioc: boolean
  rpi: boolean
  /** It waits at the venue until the last price reaches this price. Then it trades at the market price, and only reduces. */
  activation?: string
  /** The venue cuts it to the position of the account, and cancels it with the end of that position. */
  reduceOnly?: true
  /** For an entry that would have traded at the price of its rung: that price, and how many times in a row. */
  rungPrice?: string
  crossings?: number
  /** For an exit: the reason of its price. Explanations hold the reasons of entries. */
  because?: string
  /** The resting order that it replaces: both in one request. */
  amends?: Amended
}

/** An order of the state, its id at the venue, and its client order id there, which the order that replaces it gets. */
export type Amended = { id: string; venueId: string; clientId: string }

declare const passedTheGate: unique symbol
/** Only the risk gate creates one: it has checked the order against every limit. */
export type ApprovedOrder = OrderDraft & { readonly [passedTheGate]: true }
