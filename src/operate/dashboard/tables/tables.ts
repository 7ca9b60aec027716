import type { ExitName } from '#src/strategy/schema/exit-labels.ts'
import type { QueueView } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { RungPairs } from '#src/engine/holdings/pair-sums.ts'
import type { LadderFields, StrategyFields } from '#src/operate/dashboard/strategy-fields.ts'
import type { RungExplanation } from '#src/engine/explain/explanation.ts'
import type { TradeRow } from '#src/operate/dashboard/history/trade-row.ts'
import type { ExitsLeft, Holding, Order } from '#src/engine/state/state.ts'

/**
 * The data of the dashboard, as flat rows by key, so that changes are found and sent row by row. Prices and money are decimal
 * text; times are milliseconds of the venue's clock. Texts may come from outside and must be shown as plain text.
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
  /** Open orders, including exits, by id. */
  orders: Table<OrderRow>
  /** By strategy.market, with the market's name in the strategy file. */
  holdings: Table<HoldingRow>
  /** By strategy.ladder.level: rungs that have matched pairs or an open amount. */
  pairs: Table<PairRow>
  /** The newest round trips, by strategy, market and closing order. */
  trades: Table<TradeRow>
  /** By currency. */
  balances: Table<BalanceRow>
  /** By strategy.limit. */
  limits: Table<LimitRow>
  /** By strategy.rule. */
  rules: Table<RuleRow>
  /** Named values of the strategies with their indicators, by strategy.name. */
  values: Table<ValueRow>
  /** Exits of open positions, sent or not, by strategy.ladder.label. */
  exits: Table<ExitRow>
  /** By strategy.feed. */
  feeds: Table<FeedRow>
  /** Call queues of the client, and its rate limits. */
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
  trades: {},
  balances: {},
  limits: {},
  rules: {},
  values: {},
  exits: {},
  feeds: {},
  lanes: {},
}

export type Table<Row> = Readonly<Record<string, Row>>

type BotRow = {
  at: number
  pid: number
  version: string
  venueUrl: string
  /** Speed of the venue's time. */
  speed: number
  /** Whether orders trade real money. */
  real: boolean
  /** Events in the queue. */
  waiting: number
  stopped: string | null
  /** Whether exits work during the stop. */
  exits: ExitsLeft
  equity: string | null
  /** Time of the last complete read of the account. */
  readAt: number | null
  /** Why the venue does not answer. */
  lost: string | null
  /** Which part of the account the bot cannot read. */
  unread: string | null
  lostSince: number | null
  /** How the account differs from what our own orders explain. */
  drift: string | null
  capabilities: string
  /** Address of the dashboard, without the token. */
  dashboard: string | null
}

type StrategyRow = StrategyFields & {
  pauses: string | null
  /** Result since midnight UTC. */
  today: string
  resting: number
  sending: number
  doubtful: number
  file: string | null
  /** The first sentence of the comment at the top of the file. */
  about: string | null
}

type MarketRow = { bid: string | null; ask: string | null; last: string | null; at: number }

export type LadderRow = LadderFields & {
  strategy: string
  ladder: string
  /** The symbol. */
  market: string
  filled: number
  position: string
  entry: string | null
}

/** `why` says what prevents an order, or why its outcome is unknown. */
export type RungRow = Omit<RungExplanation, 'change'> & { strategy: string; ladder: string; market: string }

type OrderField =
  | 'strategy'
  | 'ladder'
  | 'role'
  | 'market'
  | 'side'
  | 'price'
  | 'amount'
  | 'filled'
  | 'withdrawing'
  | 'why'
  | 'sentAt'
  | 'doubtfulSince'
export type OrderRow = Pick<Order, OrderField> & {
  /** The level of a rung, or the label of an exit. */
  label: string
  status: Exclude<Order['status'], 'ended'>
}

export type HoldingRow = Pick<Holding, 'position' | 'entry' | 'realized' | 'fees'> & {
  strategy: string
  /** The market's name in the strategy file. */
  name: string
  /** The symbol. */
  market: string
  /** The current price of the engine; null if that is unknown. */
  mark: string | null
  /** At the current price; null if that is unknown. */
  worth: string | null
  /** Profit of the position at the current price, before fees, in money and in percent of its cost. */
  unrealized: string | null
  percent: string | null
  /** Of the position of the account in this market and on this side, as the venue reports it; null without a report. */
  liquidation: string | null
  /** Of the whole account, as the venue reports it. */
  leverage: number | null
}

export type BalanceRow = {
  available: string
  /** Held back by open orders. */
  frozen: string
  /** In the main balance, which orders cannot use. */
  main: string
}

export type PairRow = RungPairs & { strategy: string; market: string }

export type LimitRow = { strategy: string; limit: string; used: string | null; most: string | null }

export type RuleRow = {
  strategy: string
  rule: string
  /** true, false or unknown. */
  truth: string
  trueSince: number | null
  firedAt: number | null
  /** Each comparison of the rule with its current value, one a line. */
  leaves: string
}

export type ValueRow = { strategy: string; name: string; value: string }

export type ExitRow = {
  strategy: string
  ladder: string
  market: string
  label: string
  kind: ExitName
  side: 'buy' | 'sell'
  amount: string
  price: string
  why: string
}

type FeedRow = {
  strategy: string
  feed: string
  /** Empty for a signal. */
  market: string
  /** `book`, the interval of its candles, or `signal` with the last value. */
  kind: string
  heardAt: number | null
}
