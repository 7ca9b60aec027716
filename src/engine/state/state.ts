import type { Readings } from '#src/market/indicators/indicator-values.ts'
import type { ExitState } from './exit-state.ts'
import type { Drift } from './drift.ts'
import type { Booking } from '#src/engine/holdings/booking.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { DepthValues } from '#src/engine/depth-event.ts'
import type { Search, VenueFacts } from '#src/engine/events.ts'
import type { FuturesValues } from '#src/engine/futures-event.ts'
import type { Pairs } from '#src/engine/holdings/pairs.ts'
import type { ReceivedTrades } from './received-trades.ts'

/**
 * All that the engine knows, as plain JSON. It is stored unchanged, and a new process continues from it. Money is decimal text;
 * times are milliseconds of the venue's clock.
 */
export type State = {
  /** Version of this type. A state of another version cannot be continued. */
  form: number
  /** Time of the last event. */
  at: number
  /** The latest timestamp of the venue. States of 0.3.2 and older lack it. */
  heard?: number | undefined
  venue: VenueFacts
  /** In the ids of all orders. Journals that 0.3.2 and older began have none. */
  tag?: string
  /** Last quote by symbol. */
  quotes: Record<string, Quote>
  /** What the venue last listed about a futures market, by symbol; only markets with a feed of futures. */
  futures?: Record<string, FuturesValues & { at: number }>
  /** The last depth of an order book, by `depthKey`; only for feeds of depth. */
  depth?: Record<string, DepthValues & { at: number }>
  /** The public trades of a market, by symbol; only for feeds of trades. */
  trades?: Record<string, ReceivedTrades>
  account: Account | null
  strategies: Record<string, StrategyState>
  /** Orders by client_order_id: all open ones, and those that ended recently. */
  orders: Record<string, Order>
  /** Chunks in flight by number, with the ids of their orders. */
  chunks: Record<number, { strategy: string; sentAt: number; ids: string[] }>
  nextChunk: number
  /** Since when a search for orders with unknown outcome is running; only one runs at a time. */
  looking: number | null
  drift: Drift
  /** Reason of an operator's stop of all strategies, until `resume`. */
  stopped: string | null
  /** The stop is because of orders that the start of this session found, and ends with it. */
  isStoppedByFound?: true
  /** When an order last freed money: an exit has filled, or an order has ended unfilled. */
  freedAt?: number
  /** When the venue accepts orders again, if it has paused them. */
  pausedUntil?: number
  /** The stop freezes exits, too. */
  frozen?: boolean
  /** The process is ending: no commands until the next `began`. */
  ending: boolean
  /** Strategies of this process. Other strategies keep their orders in the state and place none. */
  running: string[]
  /** Session of this process; states of 0.3.2 and older lack it. */
  session?: Session
  /** Only in a snapshot of a part of the state: the exposure of the strategies that the snapshot leaves out. */
  elsewhere?: Together
  /** When ended orders were last removed. */
  prunedAt: number
}

/** What all strategies together may reach: money by symbol, open orders, and loss since midnight. None offsets another one. */
export type Together = { open: number; notional: Record<string, string>; lost: string }

/** A session: from the start of a process to its end. */
type Session = {
  beganAt: number
  /** Time of the last event of the previous process; 0 without one. */
  awaySince: number
  /** Whether the whole account was read since the start. Before that, the engine evaluates and places nothing. */
  isAccountRead: boolean
}

export type Quote = { at: number; bid: number | null; ask: number | null; last: number | null }

export type Account = {
  at: number
  equity: string | null
  available: Record<string, string>
  freeze: Record<string, string>
  main: Record<string, string>
}

/** What a halt or a stop leaves of the exits; `reduce`: at most the position that the venue shows. It places no entries. */
export type ExitsLeft = 'work' | 'reduce' | 'frozen'

export type StrategyState = {
  /** Text of the strategy file; the engine compiles everything from it. */
  text: string
  /** By candle feed; `at` is the time of the last close, 0 if this session received none. Quotes keep books. Then by signal. */
  feeds: Record<string, { at: number; opened: number; readings: Readings }>
  signals?: Record<string, { at: number; value: string }>
  /** Until then a candle is missing that closes at the same time as one that has come. Older states lack it. */
  awaitsCandleUntil?: number
  rules: Record<string, RuleState>
  ladders: Record<string, LadderState>
  /** Holdings by the name of the market in the file. */
  holdings: Record<string, Holding>
  /** Why no entries are placed, by the source of the pause: `drawdown`, or a rule (see `pauseOfRule`). */
  pauses: Record<string, string>
  /** When the pause by drawdown ends. */
  pausedUntil?: number
  halted: string | null
  /** What the halt leaves of the exits. A state of 0.3.2 lacks it, and exits work. */
  haltedExits?: ExitsLeft
  /** Why all positions are being closed, and whether that is done. Entries are halted meanwhile. */
  flatten?: { reason: string; isDone: boolean }
  /** The end of a run has halted it: the next start ends the halt. */
  isHaltedForExit?: true
  worth: ProfitAndLoss
  /** Recent spending on entries, for limits over time. */
  spent: { at: number; money: string }[]
  /** Times of recent orders. After the answer to `chunk`, the time of the answer: the request left before it. */
  sends: { at: number; orders: number; chunk?: number }[]
  invested: { at: number; money: string }[]
  /** The loss of closes with `daily_loss`, on the last day that had one. */
  lostByClose?: { day: number; money: string }
  /** How many times in a row the venue or our own queue had no room for a chunk, and when to retry. */
  throttled: Wait
  /** A flexible investment in flight or with unknown outcome. The next one waits for its result. */
  investing: { id: string; at: number; ticker: string; money: string; isDoubtful: boolean } | null
  /** Number of investments so far; ids are never reused. */
  investments: number
  /** Investments that wait until the venue has told whether it offers flexible plans. */
  awaitingFlex?: { rule: string; step: number; ticker: string; reinvest: boolean }[]
}

type Wait = { count: number; until: number }
/**
 * `takes`: refused since it would trade at once; now it may. `lacksMoneySince`: its last refusal for lack of money. `lost`: why
 * the venue ended a stop that waited there, until it is reported.
 */
type ExitWait = Wait & { takes?: true; lacksMoneySince?: number; lost?: string }

export type RuleState = {
  /** Since when the rule has been true without interruption. */
  trueSince: number | null
  firedAt: number | null
  /** Whether the rule has been false since it fired. States of older versions lack it, which means that it has not. */
  ended: boolean
  /** The episode in which a rule that fires once has fired, or -1 for ever. */
  firedIn: number | null
  /** The last time of the schedule that was handled or was over when it was seen. */
  scheduledAt: number | null
}

export type LadderState = {
  goal: 'none' | 'ensure' | 'freeze' | 'retire'
  /** Number of the episode; 0 before the first one. */
  episode: number
  openedAt: number | null
  /** The anchor of the current rungs: fixed for the episode, or following. */
  anchor: string | null
  unit: string | null
  laidAt: number | null
  /** The strategy has had a fill since the rungs were computed. Only ladders that follow fills have it. */
  isDue?: true
  /** The rungs as they should rest, until the ladder is recomputed. */
  rungs: RungState[]
  /** How many orders each level has had, with exits under their own labels. Ids are never reused. */
  generations: Record<string, number>
  /** Levels that filled in this episode. */
  filled: string[]
  filledAt: number | null
  /** Ids of open orders by label: the level of a rung, or the label of an exit. At most one order has a label. */
  open: Record<string, string>
  /** Why the ladder places no entries, whatever rules say: an order was refused. A new episode or an operator ends this state. */
  frozen: string | null
  /** Levels that stay empty until `rungs resume`, because an operator has cancelled their order: why. Older states lack it. */
  omitted?: Record<string, string>
  /** When to retry refused exits, by label. A refused exit does not delay others. */
  exitWaits: Record<string, ExitWait>
  /** The venue has refused to amend an order: until then, orders are cancelled instead. */
  amendAfter?: number
  /** The sum of the ladder's own fills; exits sell at most this. */
  held: Held
  /** When a stop, a trailing exit or age last closed the whole position, for the cooldown. Older states lack it. */
  left?: { at: number; by: NonNullable<ExitState['leave']> } | null
  /** When the position was opened, also across restarts; null when flat. Older states lack it. */
  heldSince?: number | null
  exits: ExitState
  /** Why the rungs cannot be computed, and the part of the ladder that is the cause. Older states lack the part. */
  missing: string | null
  missingPart?: string
  /** The last write-off by an operator, for people. */
  writtenOff: string | null
  /** The last explanation that was emitted, so that only changes are emitted. */
  told: string | null
  /** The kind of limit that was last reported as blocking the ladder. */
  blocked: string | null
}

export type RungState = {
  level: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  /** The current or last order of the rung; null before the first one. */
  order: string | null
  /** Why the rung has no order until the ladder is recomputed: the order breaks a rule of the market. */
  held: string | null
  /** Its mirror has filled: why its amount at the current size is not computed yet. Only with `update: rung`. */
  resize?: string
  /**
   * The last order would have traded at once. The rung is placed again after `until`, behind the best opposite price. `beyond` is
   * the best price that the refusal leaves, or null if the rung waits for its own price. Kept until the next order is sent.
   */
  crossed?: { count: number; at: number; until: number; beyond: string | null; why: string }
  /** Waits after refusals, with the message of the last one; older states lack the message. */
  wait: Wait & { why?: string; bound?: Bound }
}

/** A refusal that holds for other rungs, too. `far`: the distance of the order from the price, as a share of the price. */
export type Bound = { of: 'money'; at: number } | { of: 'price'; far: number }

/** A position and its cost, both positive for long. The cost is exact: the money paid in, less the realised result. */
export type Held = {
  position: string
  cost: string
  /** Average entry price, for people and expressions; null when flat. */
  entry: string | null
}

/** The strategy's own holding by its own fills, whatever else the account holds. */
export type Holding = Held & {
  realized: string
  fees: string
  /** Traded money in the last minute; buys are positive. */
  fills: { at: number; money: string }[]
  /** The last bookings in the order of their deals. States of 0.3.2 lack them. */
  tail?: Booking[]
  /** Matched pairs of all bookings before `tail`. States of 0.3.2 lack them. */
  pairs?: Pairs
}

/** Result of the strategy, against its own capital. */
export type ProfitAndLoss = {
  result: string
  peak: string
  /** The largest drawdown so far. States of 0.3.2 lack it. */
  maxDrawdown?: string
  /** If a pause counts from a later best: falling bests of a rolling window, or the best since the last pause or midnight. */
  bests?: { step: number; result: string }[]
  /** The result at the start of the day in UTC. */
  day: number
  dayBegan: string
  /** Only if limits of losses are shares of it: the equity at the start of the day, and the highest; null while unknown. */
  equity?: { day: string | null; peak: string | null }
}

export type Order = OrderDraft & {
  status: 'sending' | 'resting' | 'doubtful' | 'ended'
  /** A cancel request is in flight. */
  withdrawing: boolean
  /** After a failed cancel request: when to retry. */
  withdrawAfter: number
  /** How many times in a row the venue has refused to cancel. */
  refusals: number
  /** What the venue said then: a strategy reports each message once. Orders of 0.3.2 lack it. */
  cancelRefusal?: string
  /** The venue's id: empty if the venue has confirmed the order without an id, null if it has not confirmed it. */
  venueId: string | null
  filled: string
  money: string
  fee: string
  /** For an entry: how much of its fills was offered by mirrors, or left to the exits of the whole position. */
  armed: string
  /** Money and fee of `armed`. Only with `earn: base`. */
  armedCost?: string
  /** For an entry: part of it filled in an earlier episode. States of 0.3.2 and older lack it. */
  isFormer?: boolean
  /** Time of the first send. */
  sentAt: number
  /** The latest timestamp of the venue before that: it cannot date the order earlier. Orders of 0.3.2 and older lack it. */
  heard?: number
  /** Since when the order is known to rest; only in a ladder with `min_life`. */
  restsSince?: number
  endedAt: number | null
  /** Why the order ended or its outcome is unknown, for people. */
  why: string | null
  /** Since when the outcome is unknown, and how often the order was searched for and sent (0 if its id was used before). */
  doubtfulSince: number | null
  looks: number
  attempts: number
  /** The venue answered a repeated send with "id already used". States of 0.3.2 lack it. */
  isUsed?: true
  /** While the outcome is unknown: the order was sent again, and the venue refused it because it would have traded at once. */
  wouldTake?: string
  /** A fill is the likely cause of the unknown outcome: no event reports it before a search has found none. */
  isUnreported?: true
  /** While the outcome is unknown: the progress of the search. */
  search?: Search
  /** The address that the order was sent to, if later processes use another one. */
  sentTo?: string
}
