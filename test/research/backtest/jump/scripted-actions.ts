import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { ListedFutures } from '#src/market/data/historical-market.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { booksAround, listingAt } from '#test/research/backtest/market/generated-books.ts'
import {
  madeBars,
  madeTrades,
  monday,
  type GeneratedWalk,
} from '#test/research/backtest/market/generated-market.ts'
import { isSlowRun } from '#test/properties/runs.ts'

const hourMs = 3_600_000

type Act = {
  /** What of the file has to be another way, so that it acts within hours. */
  changes?: [string, string][]
  markets: Record<string, Omit<GeneratedWalk, 'seed' | 'minutes'>>
  /** Hours of candles before it begins, and hours that it trades. */
  before?: number
  hours: number
  /** Trades instead of bars: one in so many milliseconds. */
  everyMs?: number
  /** Minutes from the start, name and value. */
  signals?: [number, string, string][]
  /** With a file of order books. */
  hasBooks?: boolean
  /** What is listed about BTC_PERP in a minute from the start. */
  listed?: (minute: number) => Omit<ListedFutures, 'at'>
}

/** Markets in which each strategy of the package places something and fills some of it, whatever the seed is. */
const acts: Record<string, Act> = {
  '01': { markets: { BTC_USDT: { price: 60_000, pace: 0.0015 } }, hours: 3 },
  '02': {
    changes: [
      ['interval: 1d', 'interval: 1h'],
      ['0.95 * high30', '0.995 * high30'],
      ['first: 1.5%, step: 1.2%', 'first: 0.3%, step: 0.3%'],
    ],
    markets: { ETH_USDT: { price: 3000, pace: 0.003 } },
    before: 32,
    hours: 4,
  },
  '03': {
    changes: [
      ['ema(h1, 200)', '0.9 * ema(h1, 15)'],
      ['first: 0.6, step: 0.4', 'first: 0.05, step: 0.1'],
    ],
    markets: { BTC_PERP: { price: 60_000, pace: 0.001, digits: 1 } },
    before: 20,
    hours: 4,
  },
  '04': {
    changes: [['rsi(px, 14) < 40', 'rsi(px, 14) < 60']],
    markets: { SOL_PERP: { price: 150, pace: 0.003 } },
    hours: 3,
  },
  '05': { markets: { BTC_PERP: { price: 60_000, pace: 0.0025, digits: 1 } }, hours: 0.5, everyMs: 700 },
  '06': {
    changes: [
      ['interval: 15m, stale_after: 40m', 'interval: 1m, stale_after: 3m'],
      ['interval: 1d', 'interval: 1h'],
      ['rsi(px, 14) < 28', 'rsi(px, 14) < 50'],
      ['sma(d1, 200)', 'sma(d1, 10)'],
      ['sma(d1, 50)', 'sma(d1, 5)'],
      ['cooldown: 4h', 'cooldown: 20m'],
      ['at: [0.1%, 0.4%', 'at: [0.02%, 0.1%'],
    ],
    markets: { SOL_USDT: { price: 150, pace: 0.003 } },
    before: 24,
    hours: 6,
  },
  '07': {
    changes: [['sma(b, 480)', 'sma(b, 20)']],
    markets: { BTC_USDT: { price: 60_000, pace: 0.004 }, ETH_USDT: { price: 2500, pace: 0.004 } },
    before: 34,
    hours: 4,
  },
  '08': { markets: { ETH_PERP: { price: 2500, pace: 0.003 } }, hours: 3 },
  'avellaneda-stoikov': {
    markets: { BTC_PERP: { price: 60_000, pace: 0.0001, digits: 1 } },
    before: 2,
    hours: 1,
    everyMs: 2000,
  },
  'dca-take-profits': {
    changes: [
      ['interval: 5m', 'interval: 1m'],
      ['rsi(px, 14) < 32', 'rsi(px, 14) < 60'],
      ['adx(px, 14) < 40', 'adx(px, 14) < 90'],
    ],
    markets: { SOL_PERP: { price: 150, pace: 0.003 } },
    before: 1,
    hours: 3,
  },
  'imbalance-skew': {
    markets: { BTC_PERP: { price: 60_000, pace: 0.0005, digits: 1 } },
    hours: 1,
    everyMs: 2000,
    hasBooks: true,
  },
  'funding-arbitrage': {
    // High rates before payments of each hour, and low ones after them.
    listed: (minute) => ({
      funding: minute % 60 < 40 ? 0.0003 : 0.00002,
      fundingAt: monday + 10 * hourMs + (Math.floor(minute / 60) + 1) * hourMs,
    }),
    markets: {
      BTC_PERP: { price: 60_000, pace: 0.0003, digits: 1 },
      BTC_USDT: { price: 60_000, pace: 0.0003 },
    },
    hours: 4,
  },
  'pair-trade': {
    changes: [
      ['interval: 15m', 'interval: 1m'],
      [', 96)', ', 20)'],
    ],
    markets: { BTC_PERP: { price: 60_000, pace: 0.001, digits: 1 }, ETH_PERP: { price: 3000, pace: 0.002 } },
    before: 1,
    hours: 4,
  },
  'recursive-grid': { markets: { ETH_PERP: { price: 3000, pace: 0.003 } }, before: 2, hours: 3 },
  'reinvesting-grid': {
    markets: { BTC_PERP: { price: 60_000, pace: 0.002, drift: -0.0003, digits: 1 } },
    hours: 3,
  },
  session: {
    changes: [
      ['interval: 5m', 'interval: 1m'],
      ['"13:30", "19:30"', '"10:10", "11:05"'],
      ['20:00 UTC', '11:10 UTC'],
    ],
    markets: { BTC_PERP: { price: 60_000, pace: 0.001, digits: 1 } },
    before: 1,
    hours: 3,
  },
  'triple-barrier-grid': {
    changes: [
      ['gain >= 0.012', 'gain >= 0.002'],
      ['gain <= -0.04', 'gain <= -0.004'],
      ['>= 48', '>= 0.5'],
      ['cooldown: 4h', 'cooldown: 10m'],
    ],
    markets: { BTC_PERP: { price: 60_000, pace: 0.002, digits: 1 } },
    hours: 3,
  },
  '09': {
    changes: [['stale_after: 4h', 'stale_after: 20m']],
    markets: { BTC_PERP: { price: 60_000, pace: 0.003, digits: 1 } },
    hours: 3,
    signals: [
      [-15, 'trend', 'long'],
      [11.3, 'trend', 'flat'],
      [12.001, 'trend', 'long'],
      [75, 'trend', 'long'],
    ],
  },
}

/** A grid, an average, quotes on trades, and opposing ladders. */
const few = /^0[1458]-/

/** The files below `strategies`; `npm test` trades with a few of them. */
export const actors = Object.keys(acts)
  .flatMap((part) => globSync(`{${part}-*,standard/${part}}.yaml`, { cwd: 'strategies' }))
  .filter((name) => isSlowRun || few.test(name))
  .toSorted()

/** The strategy of this file in a market by chance, or so much of it from its beginning. */
export function actingInput(name: string, seed: number, part = 1): BacktestInput {
  const act = acts[basename(name, '.yaml')] ?? acts[name.slice(0, 2)]
  if (!act) throw new RangeError(`${name} has no market`)
  const { changes = [], before = 0, hours, everyMs, signals, listed } = act
  let text = readFileSync(`strategies/${name}`, 'utf8')
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new RangeError(`${name} has no ${from}`)
    text = text.replaceAll(from, to)
  }
  // Behind noon of a Monday, so that weekly schedules come.
  const from = monday + 10 * hourMs
  const markets = Object.entries(act.markets).map(([symbol, walk], index) => {
    const whole = {
      ...walk,
      seed: seed * 10 + index,
      minutes: Math.ceil((before + hours * part) * 60),
      from: from - before * hourMs,
    }
    return [symbol, everyMs === undefined ? madeBars(whole) : madeTrades(whole, everyMs)] as const
  })
  const rows = signals?.map(([minute, signal, value], index) => ({
    at: from + minute * 60_000,
    name: signal,
    value,
    line: index + 1,
  }))
  return {
    strategies: [{ path: name, text }],
    ...(rows && { signals: { file: 'signals.csv', rows } }),
    ...(act.hasBooks && {
      depth: new Map(markets.map(([symbol, market]) => [symbol, booksAround(market, seed)])),
    }),
    ...(listed && { futures: new Map([['BTC_PERP', listingAt(listedFrom(from, hours * part, listed))]]) }),
    markets: new Map(markets),
    from,
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  }
}

function listedFrom(from: number, hours: number, listed: NonNullable<Act['listed']>): ListedFutures[] {
  const everyMs = 10_000
  return Array.from({ length: Math.ceil((hours * hourMs) / everyMs) }, (_, row) => {
    const at = from + row * everyMs
    return { at, ...listed((at - from) / 60_000) }
  })
}
