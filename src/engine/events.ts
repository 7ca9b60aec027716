import type { Capability } from '#src/strategy/schema/strategy-schema.ts'

/**
 * All that the engine ever learns. The journal keeps each of them, and what is not among them did not happen: the state
 * is what they come to, one after the other. Plain JSON. Money is decimal text; what only describes a market is a double.
 */
export type Event =
  | SessionStarted
  /** A strategy file has changed and passed the same checks as at the start. */
  | { kind: 'reloaded'; at: number; name: string; text: string }
  /** Time passes: waits, schedules and ages are looked at. */
  | { kind: 'tick'; at: number }
  /** The commands of the event before have left: now is the time to tell what they were for. */
  | { kind: 'carried'; at: number }
  /** The process is about to end in good order: from here to the next `began` nothing new leaves. */
  | { kind: 'ending'; at: number }
  | CandleEvent
  | QuoteEvent
  | Answered
  | Withdrawn
  | Seen
  | Searched
  | Evidence
  | AccountEvent
  | Positions
  /** All of the account was read since `began`: from here on orders may leave. */
  | { kind: 'accountRead'; at: number }
  /** Orders of this account that no strategy of ours has placed. */
  | { kind: 'foreign'; at: number; orders: string[] }
  /** The venue has said of a capability that was pending whether it has it. */
  | { kind: 'capability'; at: number; capability: Capability; has: boolean }
  | { kind: 'invested'; at: number; id: string; outcome: 'accepted' | 'refused' | 'unknown'; message: string }
  | Operator

/** A process has started. Whatever was on its way when the last one ended is in doubt from here on. */
export type SessionStarted = {
  kind: 'began'
  at: number
  venue: VenueFacts
  /** The files as they were read, so that a journal is complete without them. */
  strategies: { name: string; text: string }[]
  /** Nothing is placed before `accountRead`, and no price of before counts. Journals of 0.3.2 and older lack it. */
  readsFirst?: true
}

export type VenueFacts = {
  capabilities: Capability[]
  /** Those of which the venue has said neither that it has them nor that it has not: it is asked again. */
  pending?: Capability[]
  /** Orders in one bulk at most. */
  batchMax: number
  /** Whether a client_order_id stays used for ever, which makes sending it again a proof. */
  clientIds: 'forever' | 'until-ended' | 'unproven'
  /**
   * What a resting order holds back in the trading balance is its notional divided by this; null where the balance does
   * not show it, or nobody says so.
   */
  leverage: number | null
  /** The longest time between what happens and its traces in the lists of the venue, by its own time. */
  settleMs?: number
  /** Where orders are sent to; undefined on this machine, where a venue may come back at another address. */
  address?: string | undefined
  /** How many times as fast as ours its time runs: what waits for the network waits by our time. */
  speed: number
  markets: Record<string, MarketFacts>
  /** What all strategies together may have, as the venue file says; nothing where it says nothing. */
  limits?: AccountLimits | undefined
}

/** Money by market, and as `total` of all of them. */
export type AccountLimits = {
  max_notional: Record<string, string>
  max_open_orders?: number | undefined
  daily_loss?: string | undefined
}

/** The rules of a market, as `MarketRules` with numbers as text. */
export type MarketFacts = {
  /** The currency that prices are in, and that collateral orders hold back. */
  money: string
  priceDigits: number
  amountDigits: number
  minAmount: string
  minTotal: string
  maxTotal: string
  makerFee: string
  takerFee: string
}

/** A candle that has closed. `opened` tells two of the same feed apart: one that is not newer changes nothing. */
export type CandleEvent = {
  kind: 'candle'
  at: number
  market: string
  interval: string
  opened: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

/** The best prices, and the last one traded. Null is an empty side. */
export type QuoteEvent = {
  kind: 'quote'
  at: number
  market: string
  bid: number | null
  ask: number | null
  last: number | null
}

/** One for each order of the chunk, in its order. */
export type Answered = {
  kind: 'answered'
  at: number
  chunk: number
  orders: OrderAnswer[]
  /** The venue takes no orders for so long from now on, in its own time. */
  pausedMs?: number
}

export type OrderAnswer =
  | ({ kind: 'accepted' } & Progress)
  /** `alreadyUsed`: the venue has an order with this id, which may be another one. */
  | {
      kind: 'refused'
      code: number | null
      message: string
      alreadyUsed: boolean
      /** Which fields of the order the venue complains about. Journals of 0.3.2 and before do not have it. */
      fields?: string[]
      /** The adapter classifies it. Journals of 0.3.2 and before do not have it. */
      refusal?: Refusal
    }
  | { kind: 'not-attempted' }
  | { kind: 'not-sent'; cause: string; reason: string }
  | { kind: 'unknown'; reason: string }

export type RefusedOrder = Extract<OrderAnswer, { kind: 'refused' }>

/** Why a venue refused an order, in the terms that the engine acts on. */
export type Refusal =
  /** A post-only order would have traded at once. */
  | 'would-take'
  /** The order breaks a rule of the market, and would do so the next time. */
  | 'breaks-rule'
  | 'no-funds'
  | 'throttled'
  /** Another passing condition, such as a price band or an empty book. */
  | 'transient'
  /** The adapter does not know the code or the wording. */
  | 'unknown-text'

/** Classifies a refusal by its code and its words. */
export type RefusalOf = (answer: RefusedOrder) => Refusal

/** How far an order has come by the venue's word. All of it only grows. */
export type Progress = {
  venueId: string
  filled: string
  /** What the filled part cost or brought, before the fee. */
  money: string
  fee: string
  ended: boolean
  /** When the last of its deals was made, and the venue's number of that deal. Journals of 0.3.2 and before do not have them. */
  dealtAt?: number | undefined
  deal?: number | undefined
}

/**
 * Orders of ours as a read has found them: at rest, or in the history. All that one read has found is one event, so that
 * what follows from it leaves together, and not the first of it alone.
 */
type Seen = { kind: 'seen'; at: number; orders: SeenOrder[] }
export type SeenOrder = { id: string } & Progress & {
    /** A state before the last one of this order in the same event: fills of several orders are listed in the order of deals. */
    passing?: true
  }

/** What became of a request to take orders back. */
type Withdrawn = { kind: 'withdrawn'; at: number; orders: CancelledOrder[] }
export type CancelledOrder = {
  id: string
  outcome: 'canceled' | 'gone' | 'refused' | 'unknown'
  message: string
}

/**
 * How far the search for an order in doubt has come. All of it holds across processes: no request that was sent before
 * `fencedAt` can be admitted any more, and `look` is what the first of two looks has found.
 */
export type Search = {
  fencedAt: number
  /** When it was over, whether it showed the order, and all else that the second look has to agree with. */
  look?: { at: number; found: boolean; print: string }
}
export type Searched = { kind: 'searched'; at: number; orders: Record<string, Search> }

/**
 * What can be known of orders in doubt, collected after a fence: everything that was sent before has been executed by now,
 * or never will be. Two looks, with a pause between them, agreed.
 */
export type Evidence = {
  kind: 'evidence'
  at: number
  ids: string[]
  /** When the first of the two looks was made, or the search began. */
  fencedAt: number
  /** Those that were found, at rest or in the history. */
  found: Record<string, Progress>
  /** Orders under the id of ours that are not ours, or for which that is not known. */
  strangers?: Record<string, { identity: 'older' | 'other' | 'unsure'; text: string }>
  /** Whether resting orders can be listed at all: only then does absence from the list say something. */
  listed: boolean
  /** What the venue holds back for resting orders, by currency; null where it does not say. */
  freeze: Record<string, string> | null
}

/** What the venue says we hold: by market, and by side where it keeps them apart. */
export type Positions = {
  kind: 'positions'
  at: number
  held: Record<string, { long: string; short: string }>
  /** Orders that should rest, are in no list, and were in one so lately that the history may not show them yet. */
  unlisted?: string[]
}

type AccountEvent = {
  kind: 'account'
  at: number
  /** Of the collateral account, open positions at market; null where the venue does not say. */
  equity: string | null
  /** Of the trading balance, what is available. */
  available: Record<string, string>
  freeze: Record<string, string>
  main: Record<string, string>
}

export type Operator = { kind: 'operator'; at: number; reason: string } &
  /** Of entries; with `freeze` of exits, too. */
  (
    | { act: 'stop'; freeze?: boolean | undefined }
    /** Of one strategy, or of all. */
    | { act: 'resume'; strategy: string | null }
    | { act: 'halt'; strategy: string | null; freeze?: boolean | undefined }
    | { act: 'resolve'; order: string; as: 'placed' | 'absent' }
    /** A position that others have closed, at this price; null is all that the ladder holds. */
    | { act: 'write-off'; strategy: string; ladder: string; amount: string | null; price: string }
  )
