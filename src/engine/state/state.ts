import type { Readings } from '#src/market/indicators/indicator-values.ts'
import type { LeavingLabel } from '#src/engine/exits/exit-labels.ts'
import type { Booking } from '#src/engine/holdings/booking.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { Search, VenueFacts } from '#src/engine/events.ts'
import type { Pairs } from '#src/engine/holdings/pairs.ts'

/**
 * All that the engine knows, as plain JSON: it is stored as it is and goes on after a restart as if nothing had been.
 * Money is decimal text; times are milliseconds of the venue's clock.
 */
export type State = {
  /** Of this type: a state that was stored in another form cannot be gone on from. */
  form: number
  /** Of the last event. */
  at: number
  venue: VenueFacts
  /** By market of the venue. */
  quotes: Record<string, Quote>
  account: Account | null
  strategies: Record<string, StrategyState>
  /** By client_order_id: all that may be alive, and those that ended a short while ago. */
  orders: Record<string, Order>
  /** Chunks on their way, by number, with the ids of their orders. */
  chunks: Record<number, { strategy: string; sentAt: number; ids: string[] }>
  nextChunk: number
  /** Since when orders in doubt are looked for at the venue: one look at a time. */
  looking: number | null
  drift: Drift
  /** An operator has stopped everything, until he resumes. */
  stopped: string | null
  /** When the venue takes orders again, if it has paused them. */
  pausedUntil?: number
  /** The stop keeps exits back, too. */
  frozen?: boolean
  /** The process ends: no commands any more, until another one has begun. */
  ending: boolean
  /** Strategies that this process was started with. Others keep their orders here, and place nothing. */
  running: string[]
  /** Of this process; states of 0.3.2 and older lack it. */
  session?: Session
  /** In a part of a state alone: what the strategies come to that are left out of it. */
  elsewhere?: Together
  /** When ended orders were last cleared away. */
  prunedAt: number
}

/**
 * What strategies may come to, in money by market of the venue, how many orders they have open, and what they have lost since
 * midnight. At work each is counted by itself and whichever way it goes, so that none pays for another.
 */
export type Together = { open: number; notional: Record<string, string>; lost: string }

/** The time from the start of a process to its end. */
type Session = {
  beganAt: number
  /** The last event of the process before it; 0 where there was none. */
  awaySince: number
  /** Whether all of the account was read since it began: before that, nothing is decided and nothing is placed. */
  isAccountRead: boolean
}

/** Where the account is not what our own doings would make it. */
export type Drift = {
  /** Somebody else has placed orders on this account. */
  foreign: boolean
  /** By market, what was there when we first looked. */
  base: Record<string, string> | null
  /** How the positions differ, since when, and how often in a row they did after the venue had time to show its cause. */
  suspect: { text: string; times: number; since?: number } | null
  /** By market: of which side the venue holds less than our own fills come to, for certain, and how much less. */
  lacking: Record<string, { side: 'long' | 'short'; why: string }>
  /** By market, what the venue held at the last reading, less what our fills have closed since. States of 0.3.2 lack it. */
  shown?: Record<string, { long: string; short: string }>
}

export type Quote = { at: number; bid: number | null; ask: number | null; last: number | null }

export type Account = {
  at: number
  equity: string | null
  available: Record<string, string>
  freeze: Record<string, string>
  main: Record<string, string>
}

/**
 * What a halt or a stop leaves of the exits: they work; or they only reduce, by at most what the venue's position shows; or
 * they are frozen. Entries never leave.
 */
export type ExitsLeft = 'work' | 'reduce' | 'frozen'

export type StrategyState = {
  /** The file, from which everything that is compiled can be made again. */
  text: string
  /** By candle feed; `at` is the time of its last close, 0 if this session has received none. A book is read from the quotes. */
  feeds: Record<string, { at: number; opened: number; readings: Readings }>
  rules: Record<string, RuleState>
  ladders: Record<string, LadderState>
  /** By market of the file. */
  holdings: Record<string, Holding>
  /** Why no entries are placed, by who said so: a rule, or `drawdown`. */
  pauses: Record<string, string>
  /** When the pause by drawdown ends. */
  pausedUntil?: number
  halted: string | null
  /** What the halt leaves of the exits. A state of 0.3.2 does not say: they work. */
  haltedExits?: ExitsLeft
  /** Why all that it holds is being closed, and whether that is done; entries are halted meanwhile. */
  flatten?: { reason: string; isDone: boolean }
  worth: ProfitAndLoss
  /** Money spent on entries lately, for limits over time; old ones are dropped. */
  spent: { at: number; money: string }[]
  /** When orders were sent lately: once `chunk` has its answer, the time of the answer. Its request left before that. */
  sends: { at: number; orders: number; chunk?: number }[]
  invested: { at: number; money: string }[]
  /** How often in a row the venue, or our own queue, had no room for a chunk, and when to try again. */
  throttled: Wait
  /** A flexible investment on its way, or in doubt; until that is settled there is no other. */
  investing: { id: string; at: number; ticker: string; money: string; isDoubtful: boolean } | null
  /** How many there were: their ids are never used again. */
  investments: number
  /** Investments that wait until the venue has said whether it has flexible plans. */
  awaitingFlex?: { rule: string; step: number; ticker: string; reinvest: boolean }[]
}

type Wait = { count: number; until: number }
/** `takes`: the venue has refused it because it would take, so that it may do so now. */
type ExitWait = Wait & { takes?: true }

export type RuleState = {
  /** Since when it has been true without a break. */
  trueSince: number | null
  firedAt: number | null
  /** Whether it has been false since it fired. States of older versions lack it, which means that it has not. */
  ended: boolean
  /** The episode, or -1 for ever, that it has fired in, where it fires once only. */
  firedIn: number | null
  /** The last time of its schedule that was dealt with, or that was over when it came. */
  scheduledAt: number | null
}

export type LadderState = {
  goal: 'none' | 'ensure' | 'freeze' | 'retire'
  /** Counts up; 0 before the first one. */
  episode: number
  openedAt: number | null
  /** Where it was laid: frozen with the episode, or followed. */
  anchor: string | null
  unit: string | null
  laidAt: number | null
  /** As they should rest; kept until the ladder is laid anew. */
  rungs: RungState[]
  /** How often each level has been used, exits under their own labels. An id never returns. */
  generations: Record<string, number>
  /** Levels that filled in this episode. */
  filled: string[]
  filledAt: number | null
  /** Orders that may be alive, by label: a rung's level, or the label of an exit. Never two of one label. */
  open: Record<string, string>
  /** Why it places no entries whatever rules say: an order of it was refused. A new episode or an operator ends it. */
  frozen: string | null
  /** Of exits that were refused, by label: when to try again. One that is refused holds no other up. */
  exitWaits: Record<string, ExitWait>
  /** What its own fills come to: no exit sells more. */
  held: Held
  /** The last time that a stop, a trailing exit or age has left all of it, for the cooldown; states of before do not have it. */
  left?: { at: number; by: NonNullable<ExitState['leave']> } | null
  /** Since the first fill of it, through the end of the process; null when flat. States of before do not have it. */
  heldSince?: number | null
  exits: ExitState
  /** Why nothing can be laid at present. */
  missing: string | null
  /** What an operator has written off last of what it held, for people. */
  writtenOff: string | null
  /** Of the last decision that was told, so that only news is told. */
  told: string | null
  /** The kind of limit that was last told to stand in its way. */
  blocked: string | null
}

export type RungState = {
  level: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  /** The order that stands for it now, or stood for it last; null before the first one. */
  order: string | null
  /** Why it has none until the ladder is laid anew: it breaks a rule of the market. */
  held: string | null
  /**
   * It would have taken, and is to be placed again after `until`, behind the best opposite price; `beyond` is the best one that
   * is left by the refusal itself, and null where the rung waits for its own price. Kept until its next order is sent.
   */
  crossed?: { count: number; at: number; until: number; beyond: string | null; why: string }
  /** After refusals, with the words of the last one; states of before do not have those. */
  wait: Wait & { why?: string }
}

export type ExitState = {
  /**
   * Mirror orders that should rest, by the level whose fill armed them; what has filled of one is taken off. What a level
   * filled while its first mirror was alive is under `level-2`, and so on.
   */
  mirrors: Record<
    string,
    { side: 'buy' | 'sell'; price: string; amount: string; order: string | null; levels: string[] }
  >
  /** What was too small to be offered: above zero to be sold, below to be bought. It joins the next mirror. */
  carried: { amount: string; levels: string[] }
  /** Parts of the take profit that are done. */
  takenParts: number
  /** What it splits, which is the position when its first part went, and how much of it has been left since. */
  parts: { of: string; gone: string } | null
  /** The best price since the trailing exit was activated. */
  trailBest: number | null
  /** By which exit all of it must go, until it is flat: stop, trailing exit, age, or because the strategy is flattened. */
  leave: LeavingLabel | null
  /** An exit that cannot leave, since the market takes no order so small; states of before do not have it. */
  tooSmall?: { kind: string; why: string } | null
  /** Between these prices a quote means nothing to the exits; null while there is nothing to watch for. */
  watch: ExitWatch | null
}

/** `best`: from this price on, the best price of an active trailing exit moves. */
export type ExitWatch = { of: 'bid' | 'ask'; below: number; above: number; best?: number }

/** A position and what it cost. All of its money is exact: what it cost is what went in, less what was realised. */
export type Held = {
  /** Above zero long, below short. */
  position: string
  /** With the sign of the position. */
  cost: string
  /** Average price of what is held, for people and expressions; null when flat. */
  entry: string | null
}

/** What the strategy itself holds by its own fills, whatever else is on the account. */
export type Holding = Held & {
  realized: string
  fees: string
  /** The last minute, in money: buys above zero. */
  fills: { at: number; money: string }[]
  /** The last bookings, in the order of their deals. States of 0.3.2 lack them. */
  tail?: Booking[]
  /** The matched pairs of all bookings before the tail. States of 0.3.2 lack them. */
  pairs?: Pairs
}

/** What the strategy has made, against its own capital. */
export type ProfitAndLoss = {
  result: string
  peak: string
  /** The most that a result was below the best one before it. States of 0.3.2 lack it. */
  maxDrawdown?: string
  /**
   * Where a pause counts from another result than the best of all: in a rolling window the best of each of its steps, falling;
   * else one, since the last pause or midnight.
   */
  bests?: { step: number; result: string }[]
  /** The result when the day began, in UTC. */
  day: number
  dayBegan: string
}

export type Order = OrderDraft & {
  status: 'sending' | 'resting' | 'doubtful' | 'ended'
  /** A request to take it back is on its way. */
  withdrawing: boolean
  /** After a request to take it back that did not succeed: when to ask again. */
  withdrawAfter: number
  /** How often the venue has refused to take it back, in a row. */
  refusals: number
  /** Empty if the venue has confirmed it and not told its id; null if it has not. */
  venueId: string | null
  filled: string
  money: string
  fee: string
  /** Of an entry: how much of what it has filled was offered to the other side, or left with the whole position. */
  armed: string
  /** Of an entry: part of it filled in an episode that is over. States of 0.3.2 and before do not have it. */
  isFormer?: boolean
  /** For the first time. */
  sentAt: number
  endedAt: number | null
  /** Why it ended or is in doubt, for people. */
  why: string | null
  /** When it came into doubt, how often it was looked for, and how often it was sent; 0 where its id was used by then. */
  doubtfulSince: number | null
  looks: number
  attempts: number
  /** The venue has said, when it was sent again, that its id is used. States of 0.3.2 lack it. */
  isUsed?: true
  /** While it is in doubt: how far the search for it has come. */
  search?: Search
  /** The address that it was sent to, where later processes have sent to another one. */
  sentTo?: string
}
