import type { TimedCandle } from '#src/market/candles/candle.ts'
import type { DepthEvent } from './depth-event.ts'
import type { FuturesEvent } from './futures-event.ts'
import type { TradesEvent } from './trades-event.ts'
import type { Capability } from '#src/strategy/schema/strategy-schema.ts'

/**
 * All inputs of the engine. The journal keeps each event, and the state follows from the events in their order. Plain JSON. Money
 * is decimal text; numbers that only describe a market are doubles.
 */
export type Event =
  | SessionStarted
  /** A strategy file has changed and has passed the same checks as at the start. */
  | { kind: 'reloaded'; at: number; name: string; text: string }
  /** Time has passed: the engine checks waits, schedules and ages. */
  | { kind: 'tick'; at: number; heard?: number | undefined }
  /** The commands of the previous event have left: explanations are emitted now. */
  | { kind: 'carried'; at: number }
  /** The process ends in good order: from here to the next `began` the engine sends nothing. */
  | { kind: 'ending'; at: number }
  | CandleEvent
  | QuoteEvent
  | SignalEvent
  | FuturesEvent
  | DepthEvent
  | TradesEvent
  | Answered
  | Withdrawn
  | Seen
  | Searched
  | Evidence
  | AccountEvent
  | Positions
  /** The whole account was read since `began`: from here on the engine may place orders. */
  | { kind: 'accountRead'; at: number }
  /** Orders on this account that none of our strategies has placed. */
  | { kind: 'foreign'; at: number; orders: string[] }
  | FoundOrders
  /** The venue has told whether it offers a capability that was pending. */
  | { kind: 'capability'; at: number; capability: Capability; has: boolean }
  | { kind: 'invested'; at: number; id: string; outcome: 'accepted' | 'refused' | 'unknown'; message: string }
  | Operator

/** A process has started. Orders that were in flight when the last one ended have an unknown outcome. */
export type SessionStarted = {
  kind: 'began'
  at: number
  venue: VenueFacts
  /** The texts of the files, so that a journal is complete without them. */
  strategies: { name: string; text: string }[]
  /**
   * Nothing is placed before `accountRead`, and prices of the previous session are dropped. Journals of 0.3.2 and older lack it.
   */
  readsFirst?: true
  /** The latest timestamp of the venue, if it has sent one; ticks have it, too. Journals of 0.3.2 and older lack it. */
  heard?: number | undefined
  /** The tag of a new journal: only its first session has it, and tests and backtests do without. */
  tag?: string | undefined
}

export type VenueFacts = {
  capabilities: Capability[]
  /** Capabilities that the venue has neither confirmed nor denied: they are asked for again. */
  pending?: Capability[]
  /** The most orders in one bulk. */
  batchMax: number
  /** Whether a client_order_id stays used for ever: then sending the same order again proves what became of it. */
  clientIds: 'forever' | 'until-ended' | 'unproven'
  /**
   * A resting order holds back its notional divided by this in the trading balance; null where the balance does not show it, or
   * this is unknown.
   */
  leverage: number | null
  /** The longest time between an event at the venue and its entry in the venue's lists, in the venue's time. */
  settleMs?: number
  /** Address of the venue; undefined for an exchange on this machine, which may use another port after each start. */
  address?: string | undefined
  /** How many times as fast as ours the venue's time runs. Waits for the network use our time. */
  speed: number
  markets: Record<string, MarketFacts>
  /** Limits for all strategies together, from the venue file. */
  limits?: AccountLimits | undefined
}

/** Money by market, with `total` for all markets. */
export type AccountLimits = {
  max_notional: Record<string, string>
  max_open_orders?: number | undefined
  daily_loss?: string | undefined
}

/** The rules of a market: `MarketRules` with numbers as text. */
export type MarketFacts = {
  /** The currency of prices, which collateral orders hold back. */
  money: string
  priceDigits: number
  amountDigits: number
  minAmount: string
  minTotal: string
  maxTotal: string
  makerFee: string
  takerFee: string
}

/** A closed candle. `opened` orders the candles of a feed: one that is not newer changes nothing. */
export type CandleEvent = TimedCandle & { kind: 'candle'; at: number; market: string; interval: string }

/** The best prices and the last trade. Null is an empty side. */
export type QuoteEvent = {
  kind: 'quote'
  at: number
  market: string
  bid: number | null
  ask: number | null
  last: number | null
}

/** A value for the signals of this name, from a person or another program. `since`: when it came, if that was earlier. */
export type SignalEvent = { kind: 'signal'; at: number; name: string; value: string; since?: number }

/** One answer for each order of the chunk, in its order. */
export type Answered = {
  kind: 'answered'
  at: number
  chunk: number
  orders: OrderAnswer[]
  /** The venue accepts no orders for this time, in its own time. */
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
      /** The fields of the order that the refusal names. Journals of 0.3.2 and older lack them. */
      fields?: string[]
      /** Class of the refusal, by the adapter. Journals of 0.3.2 and older lack it. */
      refusal?: Refusal
    }
  | { kind: 'not-attempted' }
  | { kind: 'not-sent'; cause: string; reason: string }
  | { kind: 'unknown'; reason: string }

export type RefusedOrder = Extract<OrderAnswer, { kind: 'refused' }>

/** Why a venue refused an order, in classes that the engine acts on. */
export type Refusal =
  /** A post-only order would have traded at once. */
  | 'would-take'
  /** The order breaks a rule of the market, and would do so again. */
  | 'breaks-rule'
  | 'no-funds'
  /** The price is too far from that of the market. */
  | 'price-band'
  | 'throttled'
  /** The order that it would replace is not open. */
  | 'gone'
  /** Another temporary condition, such as an empty book. Journals of 0.3.2 and older use it for price bands. */
  | 'transient'
  /** The adapter does not know the code or the message. */
  | 'unknown-text'

/** Classifies a refusal by its code and message. */
export type RefusalOf = (answer: RefusedOrder) => Refusal

/** Progress of an order, as the venue reports it. All parts only grow. */
export type Progress = {
  venueId: string
  filled: string
  /** Money of the filled part, before the fee. */
  money: string
  fee: string
  ended: boolean
  /** Time and number of its last deal at the venue. Journals of 0.3.2 and older lack them. */
  dealtAt?: number | undefined
  deal?: number | undefined
}

/**
 * Our orders as one read has found them, open or in the history. All orders of a read are one event, so that what follows from
 * them is sent together.
 */
type Seen = { kind: 'seen'; at: number; orders: SeenOrder[] }
export type SeenOrder = { id: string } & Progress & {
    /** An earlier state of this order in the same event: fills of several orders are listed in the order of deals. */
    passing?: true
  }

/** The result of a cancel request. */
type Withdrawn = { kind: 'withdrawn'; at: number; orders: CancelledOrder[] }
export type CancelledOrder = {
  id: string
  /** `throttled`: the venue stopped the request before it looked at the order, because of a rate limit or a nonce. */
  outcome: 'canceled' | 'gone' | 'refused' | 'throttled' | 'unknown'
  message: string
}

/**
 * Progress of the search for an order with unknown outcome. It holds across processes: no request sent before `fencedAt` can be
 * admitted any more, and `look` is the result of the first of two looks.
 */
export type Search = {
  fencedAt: number
  /** When the look ended, whether it showed the order, and what the second look must agree with. */
  look?: { at: number; found: boolean; print: string }
}
export type Searched = { kind: 'searched'; at: number; orders: Record<string, Search> }

/**
 * What is known of orders with unknown outcome after a fence: every earlier request has been executed by now, or never will be.
 * Two looks with a pause between them agreed.
 */
export type Evidence = {
  kind: 'evidence'
  at: number
  ids: string[]
  /** When the first of the two looks was made, or the search began. */
  fencedAt: number
  /** Orders that were found, open or in the history. */
  found: Record<string, Progress>
  /** Orders under one of our ids that are not ours, or may not be. */
  strangers?: Record<string, { identity: 'older' | 'other' | 'unsure'; text: string }>
  /** Whether resting orders can be listed at all: otherwise absence from the list proves nothing. */
  listed: boolean
  /** What the venue holds back for resting orders, by currency; null where it does not say. */
  freeze: Record<string, string> | null
}

/** The positions that the venue shows: by market, and by side in hedge mode. */
export type Positions = {
  kind: 'positions'
  at: number
  held: Record<string, { long: string; short: string }>
  /** Orders that should rest, are in no list, and were in one so recently that the history may not show them yet. */
  unlisted?: string[]
}

/**
 * Orders with ids of this program that the journal does not know: all that were open at the start of the session, and those
 * with the tag of the journal that have ended since its last one.
 */
export type FoundOrders = {
  kind: 'found'
  at: number
  orders: UnownedOrder[]
  choice: FoundChoice
  /** They have been cancelled several times, and are still open. */
  isLast?: true
}
export type UnownedOrder = Progress & {
  id: string
  market: string
  side: 'buy' | 'sell'
  /** Null for a market order. */
  price: string | null
  amount: string
  placedAt: number
}
/** What becomes of the open ones; `stop` places no entries beside them. */
export type FoundChoice = (typeof foundChoices)[number]
export const foundChoices = ['stop', 'adopt', 'cancel', 'ignore'] as const

type AccountEvent = {
  kind: 'account'
  at: number
  /** Equity of the collateral account with positions at market; null where the venue does not say. */
  equity: string | null
  /** Available amounts of the trading balance. */
  available: Record<string, string>
  freeze: Record<string, string>
  main: Record<string, string>
}

export type Operator = { kind: 'operator'; at: number; reason: string } &
  /** Stops entries; with `freeze` exits, too. */
  (
    | { act: 'stop'; freeze?: boolean | undefined }
    /** One strategy, or all. A pause blocks entries and leaves open ones at the venue. */
    | { act: 'resume' | 'pause'; strategy: string | null }
    /** With `flatten`, closes all positions; with `freeze`, stops exits, too; with `forExit`, ends at the next start. */
    | {
        act: 'halt'
        strategy: string | null
        forExit?: boolean | undefined
        freeze?: boolean | undefined
        flatten?: boolean | undefined
      }
    /** An open entry: its id, or its rung as STRATEGY.LADDER.LEVEL. */
    | { act: 'cancel'; order: string }
    | { act: 'resolve'; order: string; as: 'placed' | 'absent' }
    /** A position that others have closed, at this price; null is the whole holding of the ladder. */
    | { act: 'write-off'; strategy: string; ladder: string; amount: string | null; price: string }
  )
