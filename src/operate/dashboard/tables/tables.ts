import type { QueueView } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { RungPairs } from '#src/engine/holdings/pair-sums.ts'
import type { ExitsLeft } from '#src/engine/state/state.ts'

/**
 * All that a person can see of a bot, as flat rows by key, so that what has changed is found and told row by row. Prices
 * and money are decimal text; times are milliseconds of the venue's clock. Texts may come from strangers: shown as
 * they are, they are never more than text.
 */
export type Tables = {
  /** One row, with the key ''. */
  bot: Table<BotRow>
  /** By name. */
  strategies: Table<StrategyRow>
  /** By symbol. */
  markets: Table<MarketRow>
  /** By strategy.ladder. */
  ladders: Table<LadderRow>
  /** By strategy.ladder.level. */
  rungs: Table<RungRow>
  /** All that may be alive, exits too, by id. */
  orders: Table<OrderRow>
  /** By strategy.market, the market as the file of the strategy names it. */
  holdings: Table<HoldingRow>
  /** By strategy.ladder.level: rungs that have matched pairs or an open amount. */
  pairs: Table<PairRow>
  /** By strategy.limit. */
  limits: Table<LimitRow>
  /** By strategy.rule. */
  rules: Table<RuleRow>
  /** By strategy.feed. */
  feeds: Table<FeedRow>
  /** The ways of the client to the venue and the rates on them. */
  lanes: Table<QueueView>
}

export const noTables: Tables = {
  bot: {},
  strategies: {},
  markets: {},
  ladders: {},
  rungs: {},
  orders: {},
  holdings: {},
  pairs: {},
  limits: {},
  rules: {},
  feeds: {},
  lanes: {},
}

export type Table<Row> = Readonly<Record<string, Row>>

type BotRow = {
  at: number
  pid: number
  version: string
  venueUrl: string
  /** How many times as fast as ours its time runs. */
  speed: number
  /** Whether orders leave this machine. */
  real: boolean
  /** Events that wait for their turn. */
  waiting: number
  stopped: string | null
  /** What the stop leaves of the exits. */
  exits: ExitsLeft
  equity: string | null
  /** When the account was last read as a whole. */
  readAt: number | null
  /** Why the venue does not answer. */
  lost: string | null
  /** Which part of the account the bot cannot read. */
  unread: string | null
  lostSince: number | null
  /** How the account is not what our own doings would make it. */
  drift: string | null
  capabilities: string
  /** Where this is shown to people, without the token. */
  dashboard: string | null
}

type StrategyRow = {
  running: boolean
  halted: string | null
  /** What the halt leaves of the exits. */
  exits: ExitsLeft
  pauses: string | null
  result: string
  /** How far the result is below the best one, and the most that it ever was. */
  drawdown: string
  maxDrawdown: string
  /** Made since midnight, in UTC. */
  today: string
  fees: string
  pairs: number
  gridProfit: string
  /** What is open, at the price of the result. */
  floating: string
  /** Made before pairs were counted. */
  earlier: string
  resting: number
  sending: number
  doubtful: number
  file: string | null
}

type MarketRow = { bid: string | null; ask: string | null; last: string | null; at: number }

export type LadderRow = {
  strategy: string
  ladder: string
  /** The symbol. */
  market: string
  goal: string
  episode: number
  anchor: string | null
  rungs: number
  resting: number
  filled: number
  /** Why it cannot be laid, or places nothing. */
  missing: string | null
  /** What an operator has written off last of what it held. */
  writtenOff: string | null
  position: string
  entry: string | null
}

export type RungRow = {
  strategy: string
  ladder: string
  level: string
  market: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  state: 'resting' | 'sent' | 'doubtful' | 'filled' | 'missing'
  order: string | null
  /** What is in the way of an order, or why it is in doubt. */
  why: string | null
}

export type OrderRow = {
  strategy: string
  ladder: string
  /** The level of a rung, or the label of an exit. */
  label: string
  role: 'entry' | 'exit'
  market: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  filled: string
  status: 'sending' | 'resting' | 'doubtful'
  withdrawing: boolean
  why: string | null
  sentAt: number
  doubtfulSince: number | null
}

export type HoldingRow = {
  strategy: string
  /** As the file names it. */
  name: string
  /** The symbol. */
  market: string
  position: string
  entry: string | null
  realized: string
  fees: string
  /** At the price of now; null where that is unknown. */
  worth: string | null
}

export type PairRow = RungPairs & { strategy: string; market: string }

export type LimitRow = { strategy: string; limit: string; used: string | null; most: string }

export type RuleRow = {
  strategy: string
  rule: string
  /** true, false or unknown. */
  truth: string
  trueSince: number | null
  firedAt: number | null
  /** Each question of it with its value of now, a line each. */
  leaves: string
}

type FeedRow = {
  strategy: string
  feed: string
  market: string
  /** `book`, or the interval of its candles. */
  kind: string
  heardAt: number | null
}
