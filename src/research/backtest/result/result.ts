import type { CostsByMarket } from '#src/exchange/world-costs.ts'
import type {
  Funding,
  HistoricalBooks,
  HistoricalListing,
  HistoricalMarket,
  HistoricalSignals,
} from '#src/market/data/historical-market.ts'

/** Which trades fill an open order, see the option `fill`. */
export type FillModel = 'touch' | 'through' | 'queue'

export type BacktestInput = {
  strategies: { path: string; text: string }[]
  /** By symbol; a file without a name is under the empty symbol, for the only market that the strategies trade. */
  markets: ReadonlyMap<string, HistoricalMarket>
  /** By symbol, or under the empty one for the only perpetual that is traded; other markets have no funding. */
  funding?: ReadonlyMap<string, Funding>
  /** Order books of markets, which feeds of depth read; by symbol, or under the empty one for the only market. */
  depth?: ReadonlyMap<string, HistoricalBooks>
  /** What the venue listed about perpetuals, by symbol, or under the empty one for the only perpetual. */
  futures?: ReadonlyMap<string, HistoricalListing>
  /** Required if a strategy reads signals. */
  signals?: HistoricalSignals
  from?: number
  to?: number
  /** In the quote currency of the markets; without it, the balance of the packaged world. */
  balance?: string
  /** As shares of the money: 0.001 is a tenth of a percent. */
  fees?: { maker: string; taker: string }
  /** Costs of a venue file; fees win over them. */
  costs?: CostsByMarket
  /** For the whole account; without it, that of the packaged world, 1. */
  leverage?: number
  latencyMs: number
  fill: FillModel
  seed: string
}

/** Money is decimal text, times are Unix milliseconds; values for charts and statistics alone are numbers. */
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
    /** The number of halts of a strategy: after a halt it places no entries any more. */
    halts: number
    sharpe: number | null
    sortino: number | null
    /** The share of the time with a position. */
    exposure: number
    /** The average holding time of an amount; null without positions. */
    holdingMs: number | null
    /** Number of points of the market. */
    events: number
    from: number
    to: number
    startEquity: string
    endEquity: string
  } & IfKnown<BacktestPairs> &
    IfKnown<BacktestMeasures>
  fills: BacktestFill[]
  /** The equity at the close of each of at most about 2000 periods, for charts; `hold` is that of buying and holding. */
  equity: { at: number[]; value: number[]; position: number[]; hold?: number[] | undefined }
  /** In the order of the calendar; results of older versions lack them, and the parameters. */
  months?: BacktestMonth[] | undefined
  parameters?: BacktestParameters | undefined
  /** The same periods, of the first market. */
  candles: { at: number; open: number; high: number; low: number; close: number }[]
  rungs: BacktestRung[]
  /** Empty in results of 0.3.2 and older. */
  strategies: ({
    strategy: string
    maxDrawdown?: string | undefined
    /** Its file, with its base files. */
    text?: string | undefined
  } & BacktestPairs)[]
  /** At the end, by strategy and market. */
  held: BacktestHeld[]
  rules: { rule: string; strategy: string; fired: number; first: number | null; last: number | null }[]
  rejected: { reason: string; count: number }[]
  stops: BacktestStop[]
  /** Only the first texts. */
  alerts: { count: number; texts: BacktestAlert[] }
  blocked: BacktestBlock[]
  invested: BacktestInvested[]
  market: {
    symbol: string
    print: string
    kind: string
    gaps: number
    funding: string | null
    depth?: string | undefined
    futures?: string | undefined
  }[]
  /** The assumptions of the numbers, in words. */
  assumptions: string[]
}

/** One fill of an order. */
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

/** One rung of a ladder, with its orders and fills. */
export type BacktestRung = {
  /** strategy.ladder.level */
  id: string
  ladder: string
  side: string
  /** The average price of its fills; without fills, the price of its last order. */
  price: string
  orders: number
  fills: number
  amount: string
  profit: string
  fees: string
} & IfKnown<BacktestPairs & { open: string }>

/** Matched pairs and open amounts; results of 0.3.2 and older lack them. */
export type BacktestPairs = {
  /** Entry orders that were closed in full. */
  pairs: number
  /** Profit of the matched pairs, after the fees of both sides. */
  gridProfit: string
  /** The open amount at its last price, less its cost and fees. */
  floating: string
}

/** Results of older versions lack them. Null where a measure cannot be computed. */
export type BacktestMeasures = {
  /** False for fewer than 30 days: then annualised ratios say little. */
  ratiosMeaningful: boolean
  /** Yearly return that compounds to the return of the whole time. */
  cagr: number | null
  calmar: number | null
  /** Profit of buying the markets at the beginning and holding them. */
  buyAndHold: string
  longestDrawdownMs: number
  /** Returns of days, and when these began. */
  bestDay: number | null
  bestDayAt: number | null
  worstDay: number | null
  worstDayAt: number | null
  roundTrips: number
  winRate: number | null
  profitFactor: number | null
  expectancy: string | null
}

/** A calendar month in UTC, such as 2026-01. Results of older versions lack the profit. */
export type BacktestMonth = { month: string; profit?: string | undefined; return: number | null }

export type BacktestParameters = {
  fill: FillModel
  latencyMs: number
  leverage: number
  seed: string
  /** As shares of the money, before any tier. */
  fees: { market: string; maker: string; taker: string }[]
}

type IfKnown<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

/** Halts and pauses, by their source: a rule, or the bot itself. */
export type BacktestStop = {
  strategy: string
  kind: 'halted' | 'paused'
  rule: string | null
  reason: string
  times: number
  first: number
  last: number
  /** The end of the last one; null if it lasts to the end. */
  resumed: number | null
}

export type BacktestAlert = { strategy: string | null; text: string; count: number; first: number }

/** Orders that a limit blocked: how often a block began, and how long all blocks lasted together. */
export type BacktestBlock = {
  strategy: string
  ladder: string
  reason: string
  count: number
  /** Absent in results of 0.3.2 and older. */
  totalMs?: number | undefined
  first: number
}

export type BacktestInvested = {
  strategy: string
  currency: string
  outcome: string
  message: string | null
  count: number
  /** Of all of them. */
  amount: string
}

/** What a strategy holds in a market at the end. */
export type BacktestHeld = {
  strategy: string
  market: string
  /** Negative if short. */
  amount: string
  entry: string
  mark: string
  /** Amount × mark, less its cost. */
  unrealised: string
}
