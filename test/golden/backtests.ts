import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { openStrategy } from '#src/runtime/compose/strategy-file.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'

type Case = Partial<Pick<BacktestInput, 'fill' | 'latencyMs' | 'balance' | 'fees'>> & {
  /** Names of files in `strategies`. */
  strategies: string[]
  /** Files by symbol. */
  markets: Record<string, string>
  funding?: Record<string, string>
  /** Hours after the midnight that all files begin with. */
  fromHour?: number
  toHour?: number
}

const made = (name: string) => `test/golden/markets/${name}.csv.zst`
/** The files that config/markets had in 0.3.2. */
const bars = made('week-spot')
const trades = made('hours-trades')
const perpetual = made('week-perp')
const perpetualFunding = 'test/golden/markets/week-perp-funding.csv'

/** One strategy that trades BTC_USDT, until the second noon at the latest. */
function one(strategy: string, market = made('btc'), more: Partial<Case> = {}): Case {
  return { strategies: [strategy], markets: { BTC_USDT: market }, toHour: 36, ...more }
}

/** Each of them is recorded by `record.ts` and held against what was recorded by `backtests.test.ts`. */
export const backtests: Record<string, Case> = {
  'grid-through': one('01-static-grid', bars, { fromHour: 12, toHour: 48 }),
  'grid-touch': one('01-static-grid', made('btc'), {
    toHour: 24,
    fill: 'touch',
    fees: { maker: '0.0002', taker: '0.00055' },
  }),
  'grid-queue': one('01-static-grid', trades, { fill: 'queue' }),
  'grid-thin': one('01-static-grid', made('thin'), { fill: 'queue', latencyMs: 300 }),
  'dip-ladder': { strategies: ['02-geometric-dip-ladder'], markets: { ETH_USDT: made('eth') }, fromHour: 30 },
  'volatility-grid': {
    strategies: ['03-trailing-volatility-grid'],
    markets: { BTC_PERP: perpetual },
    funding: { BTC_PERP: perpetualFunding },
    fromHour: 24,
    toHour: 30,
  },
  'averaging-down': { strategies: ['04-dca-take-profit'], markets: { SOL_PERP: made('sol') }, toHour: 18 },
  'averaging-down-slow': {
    strategies: ['04-dca-take-profit'],
    markets: { SOL_PERP: made('sol') },
    fromHour: 24,
    latencyMs: 3000,
    fill: 'touch',
  },
  'market-making': one('05-market-making', trades, { toHour: 0.25, latencyMs: 0 }),
  'market-making-slow': one('05-market-making', trades, {
    fromHour: 0.5,
    toHour: 0.75,
    latencyMs: 600,
    fill: 'touch',
  }),
  'mean-reversion': {
    strategies: ['06-mean-reversion'],
    markets: { SOL_USDT: made('sol') },
    fromHour: 24,
    fill: 'touch',
  },
  accumulation: {
    strategies: ['07-scheduled-accumulation'],
    markets: { BTC_USDT: made('btc'), ETH_USDT: made('eth') },
    fromHour: 10,
  },
  hedged: { strategies: ['08-hedged-ladders'], markets: { ETH_PERP: made('eth') } },
  together: {
    strategies: ['01-static-grid', '04-dca-take-profit', '08-hedged-ladders', 'mirrors'],
    markets: { BTC_USDT: made('btc'), SOL_PERP: made('sol'), ETH_PERP: made('eth') },
    toHour: 12,
  },
  'take-profit-touch': one('tptouch'),
  'take-profit-resting': one('tprest'),
  'take-profit-thin': one('tprest', made('thin'), { fill: 'queue' }),
  stop: one('stopout'),
  'stop-fall': one('stopout', made('fall'), { fill: 'touch' }),
  trailing: one('trailing'),
  'at-price': one('atprice'),
  age: one('aged'),
  'all-exits': one('allexits', made('btc'), { toHour: 12 }),
  'all-exits-thin': one('allexits', made('thin'), { latencyMs: 700, toHour: 2 }),
  mirrors: one('mirrors'),
  'mirrors-and-stop': one('mirstop', made('btc'), { toHour: 18 }),
  short: one('shortie'),
  fibonacci: one('fibo'),
  valley: one('valley'),
  mountain: one('mountain'),
  offsets: one('offs'),
  scaled: one('scaled', made('btc'), { toHour: 18 }),
  nearest: one('nearest', made('btc'), { toHour: 12 }),
  edge: one('edgy', made('btc'), { toHour: 18 }),
  'limit-notional': one('notional', made('btc'), { toHour: 18 }),
  'limit-position': one('position', made('fall')),
  'limit-open-orders': one('openmax', made('btc'), { toHour: 18 }),
  'limit-order-rate': one('ordrate'),
  'limit-worst-case': one('worst', made('fall')),
  'limit-drawdown': one('drawn', made('fall')),
  'limit-daily-loss': one('daily', made('fall')),
  'limit-per-week': one('weekly'),
  'limit-band': one('banded', made('btc'), { fromHour: 4.5 }),
  schedules: one('timed', made('btc'), { toHour: 24 }),
  'schedules-gaps': one('timed', made('gaps')),
  'gaps-stops': one('stopout', made('gaps')),
  'gaps-mirrors': one('mirrors', made('gaps')),
  'halt-by-rule': one('haltrule'),
  'reads-itself': one('opened', made('btc'), { toHour: 18 }),
  'reads-the-book': one('booked', made('thin'), { fill: 'touch', toHour: 2 }),
  'three-markets': {
    strategies: ['many'],
    markets: { BTC_USDT: made('btc'), ETH_PERP: made('eth'), SOL_PERP: made('sol') },
    toHour: 24,
  },
  'no-money': one('greedy', made('fall'), { balance: '500' }),
}

const root = new URL('../../', import.meta.url)
const midnight = Date.UTC(2026, 0, 5)
const hourMs = 3_600_000
const loaded = new Map<string, HistoricalMarket>()

/** Reads each market file once. */
function marketIn(path: string): HistoricalMarket {
  const before = loaded.get(path)
  if (before) return before
  const market = sharedMarket(loadMarket(new URL(path, root).pathname))
  loaded.set(path, market)
  return market
}

export async function outcomeOf(name: string): Promise<BacktestOutcome> {
  const { strategies, markets, funding = {}, fromHour, toHour, ...more } = backtests[name]!
  const result = await runBacktest({
    strategies: strategies.map((file) => ({ path: file, text: textOf(file) })),
    markets: new Map(Object.entries(markets).map(([symbol, path]) => [symbol, marketIn(path)])),
    funding: new Map(
      Object.entries(funding).map(([symbol, path]) => [symbol, readFunding(new URL(path, root).pathname)]),
    ),
    ...(fromHour !== undefined && { from: midnight + fromHour * hourMs }),
    ...(toHour !== undefined && { to: midnight + toHour * hourMs }),
    latencyMs: 50,
    fill: 'through',
    seed: 'golden',
    ...more,
  })
  return outcomeIn(result)
}

/** What a backtest came to, without its words: those may be written anew. */
export type BacktestOutcome = {
  summary: Record<string, string | number>
  /** One text for each fill, rung, holding, rule and stop. */
  fills: string[]
  rungs: string[]
  held: string[]
  rules: string[]
  stops: string[]
}

function textOf(strategy: string): string {
  const { read } = openStrategy(new URL(`test/golden/strategies/${strategy}.yaml`, root).pathname)
  if (Array.isArray(read)) throw new RangeError(`${strategy}: ${read[0]?.message}`)
  return read.text()
}

function outcomeIn({ summary, fills, rungs, held, rules, stops }: BacktestResult): BacktestOutcome {
  return {
    summary: Object.fromEntries(summaryFields.map((name) => [name, summary[name]])),
    fills: fills.map(({ at, order, side, amount, price, fee, maker }) =>
      [timeText(at), order, side, amount, 'at', price, 'fee', fee, maker ? 'maker' : 'taker'].join(' '),
    ),
    rungs: rungs.map(({ id, side, amount, price, orders, fills: count }) =>
      [id, side, amount, 'at', price, 'orders', orders, 'fills', count].join(' '),
    ),
    held: held.map(({ strategy, market, amount, entry }) =>
      [strategy, market, amount, 'at', entry].join(' '),
    ),
    rules: rules.map(({ strategy, rule, fired, first, last }) =>
      [strategy, rule, 'fired', fired, timeText(first), timeText(last)].join(' '),
    ),
    stops: stops.map(({ strategy, kind, rule, times, first, resumed }) =>
      [strategy, kind, rule ?? 'bot', times, timeText(first), timeText(resumed)].join(' '),
    ),
  }
}

const summaryFields = [
  'fills',
  'orders',
  'netProfit',
  'fees',
  'funding',
  'maxDrawdown',
  'liquidations',
  'halts',
  'events',
  'from',
  'to',
  'startEquity',
  'endEquity',
] as const

/** All of it is in one month. */
function timeText(at: number | null): string {
  return at === null ? '-' : new Date(at).toISOString().slice('2026-01-'.length)
}
