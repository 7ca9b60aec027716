import type { Funding, HistoricalMarket } from '#src/market/data/historical-market.ts'

export type FillModel = 'touch' | 'through' | 'queue'

export type BacktestInput = {
  strategies: { path: string; text: string }[]
  /** By symbol; under the empty symbol a file that says no name, for the only market that the strategies trade. */
  markets: ReadonlyMap<string, HistoricalMarket>
  /** By symbol, or under the empty one for the only perpetual that is traded; others pay and receive none. */
  funding?: ReadonlyMap<string, Funding>
  from?: number
  to?: number
  /** Of the money of the markets; that of the packaged world without it. */
  balance?: string
  /** As shares of the money: 0.001 is a tenth of a percent. */
  fees?: { maker: string; taker: string }
  /** Of the whole account; that of the packaged world, 1, without it. */
  leverage?: number
  latencyMs: number
  fill: FillModel
  seed: string
}

/** Money is decimal text, times are Unix milliseconds; what is for charts and statistics alone is a number. */
export type BacktestResult = {
  summary: {
    fills: number
    orders: number
    netProfit: string
    fees: string
    funding: string
    maxDrawdown: string
    maxDrawdownShare: number
    liquidations: number
    /** How often a strategy was halted: after that it places no entries any more. */
    halts: number
    sharpe: number | null
    sortino: number | null
    /** The share of the time in which something was held. */
    exposure: number
    /** How long an amount was held on average; null where none was. */
    holdingMs: number | null
    /** Points of the market that passed. */
    events: number
    from: number
    to: number
    startEquity: string
    endEquity: string
  } & IfKnown<BacktestPairs>
  fills: BacktestFill[]
  /** Marked at the close of each of some 2000 periods at most, for charts. */
  equity: { at: number[]; value: number[]; position: number[] }
  /** The same periods, of the first market. */
  candles: { at: number; open: number; high: number; low: number; close: number }[]
  rungs: BacktestRung[]
  /** Empty in results of 0.3.2 and older. */
  strategies: ({ strategy: string; maxDrawdown?: string | undefined } & BacktestPairs)[]
  /** At the end, by strategy and market. */
  held: BacktestHeld[]
  rules: { rule: string; strategy: string; fired: number; first: number | null; last: number | null }[]
  rejected: { reason: string; count: number }[]
  stops: BacktestStop[]
  /** Of the texts the first ones alone. */
  alerts: { count: number; texts: BacktestAlert[] }
  blocked: BacktestBlock[]
  invested: BacktestInvested[]
  market: { symbol: string; print: string; kind: string; gaps: number; funding: string | null }[]
  /** What the numbers rest on, in words. */
  assumptions: string[]
}

export type BacktestFill = {
  at: number
  order: string
  strategy: string
  ladder: string
  level: string
  market: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  fee: string
  maker: boolean
  profit: string
}

export type BacktestRung = {
  /** strategy.ladder.level */
  id: string
  ladder: string
  side: string
  /** The average of its fills; of its last order where it has none. */
  price: string
  orders: number
  fills: number
  amount: string
  profit: string
  fees: string
} & IfKnown<BacktestPairs & { open: string }>

/** Matched pairs apart from what is open; results of 0.3.2 and older lack them. */
export type BacktestPairs = {
  /** Entry orders that were closed in full. */
  pairs: number
  /** Of the matched pairs, after the fees of both sides. */
  gridProfit: string
  /** What is open, at its last price, less what it has cost with its fees. */
  floating: string
}

type IfKnown<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

/** Halts and pauses, by who made them: a rule, or the bot itself. */
export type BacktestStop = {
  strategy: string
  kind: 'halted' | 'paused'
  rule: string | null
  reason: string
  times: number
  first: number
  last: number
  /** When it ended for the last time; null where it lasts to the end. */
  resumed: number | null
}

export type BacktestAlert = { strategy: string | null; text: string; count: number; first: number }

/** What a limit kept back, told whenever it began to. */
export type BacktestBlock = { strategy: string; ladder: string; reason: string; count: number; first: number }

export type BacktestInvested = {
  strategy: string
  currency: string
  outcome: string
  message: string | null
  count: number
  /** Of all of them. */
  amount: string
}

export type BacktestHeld = {
  strategy: string
  market: string
  /** Below zero where it is short. */
  amount: string
  entry: string
  mark: string
  /** Amount × mark, less what it has cost. */
  unrealised: string
}
