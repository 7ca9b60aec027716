import type { ApprovedOrder } from '#src/engine/commands.ts'
import type { CancelledOrder, OrderAnswer, Progress } from '#src/engine/events.ts'
import type { FuturesValues } from '#src/engine/futures-event.ts'
import type { TimedCandle } from '#src/market/candles/candle.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { Capability } from '#src/strategy/schema/strategy-schema.ts'
import type { VenueDescription } from './capabilities.ts'

/**
 * What the bot needs of a venue. An adapter implements it for the API of one venue: it translates calls, answers and
 * refusals, and decides nothing. Rules that hold at every venue (identity, fences, agreeing reads) are in `src/runtime`.
 * `test/venue/conformance` is the suite that an adapter must pass; docs/guides/venue.md describes both.
 */
export type Venue = {
  /** The address of orders, for log events and errors. */
  readonly address: string
  /** Most orders in one call of `cancel`. */
  readonly cancelMax: number
  /** Reads capabilities and market rules; changes nothing at the venue. Throws a BotError if the venue cannot be used. */
  describe(): Promise<VenueDescription>
  /** Whether the venue offers this capability; null if the answer is unclear and the bot must ask again. */
  offers(capability: Capability): Promise<boolean | null>
  /** The time of the venue in milliseconds; null if it does not tell its time. */
  time(): Promise<number | null>
  /** Submits orders together, or one by one where the venue has no bulk. Gives one answer per order, in order. */
  submit(orders: readonly ApprovedOrder[], policy: SubmitPolicy): Promise<Submission>
  /**
   * Cancels orders, and reads right after it how far the orders of `wanted` came, if the venue answered for each order: a fill
   * just before the cancellation is then known together with it. The read leaves before any other queued call.
   */
  cancel(orders: readonly OrderName[], wanted: readonly EndsWanted[]): Promise<Cancellation>
  /**
   * True if no call of `submit` that returned before can be admitted any more, at the address of orders. `pause` waits for a
   * span of the venue's time, and gives false when the process ends first.
   */
  fence(pause: (ms: number) => Promise<boolean>): Promise<boolean>
  readonly account: AccountReads
  readonly market: MarketReads
  /** Sets the leverage of the whole account. The venue may refuse it while orders or positions are open. */
  setLeverage(leverage: number): Promise<Done>
  /** Sets the kill switch of a market: after this silence the venue cancels all orders there. */
  deadman(market: string, silenceMs: number): Promise<Done>
  invest(order: InvestOrder, signal: AbortSignal): Promise<InvestResult>
  /** Ends queued calls, waits for those in flight, and closes connections. */
  close(): Promise<void>
}

export type SubmitPolicy = {
  /** Whether an order that is not accepted keeps the orders behind it from being placed. */
  stopOnFail: boolean
  priority: 'exits' | 'entries'
  /** How long the orders may wait before they are sent; read before each request. */
  withinMs: () => number
  /** After how long the prices of the orders are stale: orders that still wait then are not sent. Read before each request. */
  sendWithinMs?: () => number
  /** Aborted: queued requests end as not sent, requests in flight continue. */
  signal: AbortSignal
  /** Receives each time that the answers state, in milliseconds of the venue. */
  onTime: (at: number) => void
}

export type Submission = {
  answers: OrderAnswer[]
  /** For how long the venue takes no orders from now on, in milliseconds of this machine; 0 if it did not say. */
  pausedMs: number
}

/** An order as `cancel` names it: by the venue's id, or by ours where the venue does not list open orders. */
export type OrderName = { market: string } & ({ venueId: string } | { id: string })

export type CancelResult = Omit<CancelledOrder, 'id'>
/** One result per order, in order, and how far orders came. */
export type Cancellation = { results: CancelResult[] } & Ends

export type Ends = {
  /** By client order id, in the order of the history. */
  ends: ReadonlyMap<string, ListedOrder>
  unread: OrderList['unread']
}

type Done = { kind: 'done' } | { kind: 'failed'; reason: string }

export type InvestOrder = { ticker: string; amount: string; reinvest: boolean }
export type InvestResult = { outcome: 'accepted' | 'refused' | 'unknown'; message: string }

/** The answer to a read. */
export type ReadResult<Value> =
  /** `unread` are the elements that the adapter could not read and left out, as text for people. */
  | { kind: 'read'; value: Value; unread?: readonly string[] }
  /** The venue does not offer the call, or not to this key. */
  | { kind: 'denied'; reason: string }
  /** No answer, or a refusal that may pass. */
  | { kind: 'failed'; reason: string }
  /** The list changed while its pages were read. */
  | { kind: 'moved' }

export type AccountReads = {
  /** All open orders. `isPrimary` reads, here and below, go to the address of orders and to no other one. */
  openOrders(policy?: ReadPolicy): Promise<ReadResult<OrderList>>
  /** All orders that ended at `since` or later. */
  endedOrders(since: number, policy?: ReadPolicy): Promise<ReadResult<OrderList>>
  /** How far orders came that have just ended, as far as the history shows them by now. */
  ends(wanted: readonly EndsWanted[]): Promise<Ends>
  /** The newest deals of a market. */
  deals(market: string): Promise<ReadResult<DealPage>>
  positions(): Promise<ReadResult<ReportedPositions>>
  /** By currency, of the balance that orders use. */
  balances(policy?: ReadPolicy): Promise<ReadResult<Balances>>
  /** By currency, of the balance that orders cannot use. */
  mainBalances(): Promise<ReadResult<Record<string, string>>>
  /** Of the collateral account, open positions at market. */
  equity(): Promise<ReadResult<{ equity: string | null; leverage: number | null }>>
}

export type ReadPolicy = { isPrimary?: boolean }
export type HeldPositions = Record<string, { long: string; short: string }>
/** `liquidation`: the liquidation price by market and side, such as `BTC_PERP long`, where there is one. */
type ReportedPositions = { held: HeldPositions; liquidation: Record<string, string> }
/** What the venue reports about the account for people: nothing decides by it. */
export type AccountReport = { liquidation: ReportedPositions['liquidation']; leverage: number | null }
type Balances = { available: Record<string, string>; freeze: Record<string, string> }

/** An order as a list of the venue shows it: open, or ended. */
export type ListedOrder = {
  venueId: string
  /** The client order id. */
  id: string
  market: string
  side: 'buy' | 'sell'
  /** Null for a market order. */
  price: string | null
  amount: string
  /** In milliseconds of the venue. */
  placedAt: number
  /** In milliseconds of the venue; null while the order is open. */
  endedAt: number | null
  progress: Progress
  /** For people. */
  text: string
}

/** A list of the venue, as far as it could be read. */
export type OrderList = {
  /** By the venue's id. */
  orders: ReadonlyMap<string, ListedOrder>
  /** Client order ids of unreadable elements; null stands for elements without a readable id. */
  unread: ReadonlySet<string | null>
}

/** Whether an unreadable element may be this order: then the list does not prove that the order is absent. */
export function mayHide(unread: OrderList['unread'], id: string): boolean {
  return unread.has(id) || unread.has(null)
}

/** Orders of one market. */
export type EndsWanted = {
  market: string
  ids: ReadonlySet<string>
  /** Whether it is our order, and not another one with the same id. */
  isOurs: (listed: ListedOrder) => boolean
}

/** A deal of an order of this account. */
type Deal = {
  /** The venue's number of the deal; rises. */
  id: number
  venueId: string
  at: number
  amount: string
  money: string
  fee: string
}
/** The newest deals first; `isAll` if there are no older ones. */
export type DealPage = { deals: readonly Deal[]; isAll: boolean }

export type MarketReads = {
  /** The last price of each market. */
  lastPrices(): Promise<ReadResult<ReadonlyMap<string, string>>>
  quote(market: string): Promise<ReadResult<VenueQuote>>
  /** What the venue lists about its futures, by market. */
  futures(): Promise<ReadResult<ReadonlyMap<string, FuturesValues>>>
  /** The order book of a market, as deep as the venue shows it in one answer. */
  orderBook(market: string): Promise<ReadResult<BookLevels>>
  /** The newest public trades of a market, newest first. */
  trades(market: string): Promise<ReadResult<readonly PublicTrade[]>>
  /** Candles from the one that contains `from` to the one that contains `until`, oldest first. */
  candles(wanted: CandlesAsked): Promise<ReadResult<CandlePage>>
  /**
   * Streams prices of these markets, and hints that our orders changed. After a silence of `silenceMsMax` the adapter asks the
   * venue for a sign of life, unless the venue does not allow that so often.
   */
  stream(
    markets: readonly string[],
    emit: (event: StreamedEvent) => void,
    silenceMsMax: number,
  ): { close(): Promise<void> }
}

/** Null is an empty side. */
export type VenueQuote = { bid: number | null; ask: number | null; last: number | null }

/** Prices and amounts as decimal text; the best price of a side is first. */
export type BookLevels = Record<'bids' | 'asks', readonly (readonly [price: string, amount: string])[]>

/** A public trade; `side` is that of the taker. */
export type PublicTrade = {
  /** The venue's number of the trade; rises. */
  id: number
  /** The start of its second, in milliseconds of the venue. */
  second: number
  price: string
  amount: string
  side: 'buy' | 'sell'
}

type CandlesAsked = { market: string; interval: CandleInterval; from: number; until: number }
/** `isFull` if there may be more candles behind the last one. */
type CandlePage = { candles: readonly TimedCandle[]; isFull: boolean }

export type StreamedEvent =
  /** All channels are open. What happened before is for reads to tell. */
  | { kind: 'connected'; url: string }
  /** The venue has given a sign of life: prices that the stream has not changed are those of now. */
  | { kind: 'alive' }
  | { kind: 'disconnected'; url: string; reason: string }
  /** Events of a feed were lost. */
  | { kind: 'gap'; feed: string; isPrices: boolean; reason: string }
  /** Best bid and ask at a time of the venue, in milliseconds. */
  | { kind: 'sides'; market: string; at: number; bid: number | null; ask: number | null }
  | { kind: 'last'; market: string; last: number | null }
  /** Our orders changed: a read will tell how. */
  | { kind: 'orders' }
