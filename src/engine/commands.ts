import type { Search } from './events.ts'

/** What the engine wants done. Each is in the journal before its first byte leaves. */
export type Command =
  | Submit
  /** Takes orders of ours back. */
  | { kind: 'cancel'; strategy: string; orders: { id: string; market: string; venueId: string | null }[] }
  | Look
  | { kind: 'invest'; id: string; strategy: string; ticker: string; amount: string; reinvest: boolean }

/** Resolve these orders of unknown outcome, and answer with `evidence`. */
export type Look = {
  kind: 'look'
  ids: string[]
  sentSince: number
  /** How far earlier searches for some of them have come. */
  searched?: Record<string, Search>
}

export type Submit = {
  kind: 'submit'
  chunk: number
  strategy: string
  orders: ApprovedOrder[]
  stopOnFail: boolean
  priority: 'exits' | 'entries'
  /** Not worth sending any more after this: it is handed back as `not-sent`. */
  dueAt: number
  /** Of entries: from here on the prices that they were computed from are stale, and it is before `dueAt`. */
  sendBy?: number
}

/** An order that nobody has judged yet. */
export type OrderDraft = {
  /** `name.ladder.level.generation`: the same intent has the same id, before and after a crash. */
  id: string
  strategy: string
  ladder: string
  level: string
  generation: number
  role: 'entry' | 'exit'
  /** The name of the market at the venue. */
  market: string
  side: 'buy' | 'sell'
  positionSide: 'LONG' | 'SHORT'
  price: string
  amount: string
  postOnly: boolean
  ioc: boolean
  rpi: boolean
  /** Of an entry that would have taken at the price of its rung: that price, and how often in a row it would have. */
  rungPrice?: string
  crossings?: number
  /** Of an exit: why it stands where it does. Those of entries are in the decisions. */
  because?: string
}

declare const passedTheGate: unique symbol
/** Only the risk gate makes one: it has checked the order against every limit. */
export type ApprovedOrder = OrderDraft & { readonly [passedTheGate]: true }
