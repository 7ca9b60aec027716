import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { kline } from '#src/venues/whitebit/contract/market-data/candles.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { join, type Bar } from '#src/exchange/trades/bars.ts'
import { candlesOf } from '#src/exchange/trades/candles.ts'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'
import { midnight, openMarkets, openMovingVenue } from './market-fixture.ts'
import { autocorrelation, deviation, kurtosis, returnsOf, varianceRatio } from './statistics.ts'

const hourMs = 3_600_000
/** In the middle of a minute, an hour and a day. */
const begin = midnight + 13 * hourMs + 1_234_567

function shown(exchange: Exchange, name: string, interval: CandleInterval, most = 1440): Bar[] {
  const { markets, simulatedHistory: past, state } = exchange.venue
  const market = markets.get(name)
  const tape = market && state.tapes[market.number]
  if (!market || !tape) throw new Error(`${name} is no market`)
  return candlesOf(tape, interval, { from: undefined, until: state.at, most, now: state.at }, past(market))
}

const exchange = openMarkets({ begin })
const names = exchange.venue.trading.markets.map(({ name }) => name)

test.each(names)('%s has a continuous price from candle to candle', (name) => {
  for (const interval of ['1m', '5m', '1h', '1d', '1w', '1M'] as const) {
    const bars = shown(exchange, name, interval)
    const [kept, ms] = [bars.length, candleIntervals[interval]]
    expect(kept, interval).toBeGreaterThanOrEqual(Math.min(1440, Math.floor((399 * 24 * hourMs) / ms)))
    for (const [place, bar] of bars.entries()) {
      const { open, close, high, low, lots, money } = bar
      if (high < Math.max(open, close) || low > Math.min(open, close) || low < 1 || lots < 1n) {
        throw new Error(`${interval}, ${place}: ${open} ${high} ${low} ${close}, ${lots} lots`)
      }
      if (money < lots * BigInt(low) || money > lots * BigInt(high))
        throw new Error(`${interval}, ${place}: ${lots} lots for ${money}`)
      if (place > 0 && open !== bars[place - 1]?.close)
        throw new Error(`${interval}, ${place}: opens at ${open}`)
    }
  }
})

test('long candles consist of the short ones', () => {
  const minutes = shown(exchange, 'BTC_PERP', '1m')
  for (const interval of ['5m', '15m', '1h'] as const) {
    const whole = shown(exchange, 'BTC_PERP', interval).filter(
      ({ start }) => start >= (minutes[60]?.start ?? 0),
    )
    expect(whole.length).toBeGreaterThan(20)
    for (const bar of whole) {
      const end = bar.start + candleIntervals[interval]
      const [first, ...more] = minutes.filter(({ start }) => start >= bar.start && start < end)
      if (first === undefined) throw new Error(`no minutes in ${bar.start}`)
      const made = { ...first }
      for (const minute of more) join(made, minute)
      expect(bar).toEqual(made)
    }
  }
})

function traded(bars: readonly Bar[]): number {
  return bars.reduce((sum, { lots }) => sum + Number(lots), 0) / bars.length
}

test('the history ends where the trades begin, and the candle of that time contains both', () => {
  const living = openMarkets({ begin })
  living.advance(begin + 0.5 * hourMs)
  for (const name of names) {
    const before = shown(exchange, name, '1m', 1)[0]
    const [, after, next] = shown(living, name, '1m', 32)
    if (!before || !after || !next) throw new Error(`${name} has no seam`)
    expect(after.start).toBe(before.start)
    expect(after.open).toBe(before.open)
    expect(after.lots).toBeGreaterThan(before.lots)
    expect(Math.abs(next.open / before.close - 1), name).toBeLessThan(0.004)
    const ratio = traded(shown(exchange, name, '5m', 2000)) / traded(shown(living, name, '5m', 5))
    expect(ratio, `${name} traded so many times as much`).toBeGreaterThan(0.3)
    expect(ratio, `${name} traded so many times as much`).toBeLessThan(2)
  }
})

test.each(names)('the history of %s is the same random walk as the later prices', (name) => {
  const base = name.split('_')[0] ?? ''
  const volatility = paperWorld.assets[base]?.volatility ?? NaN
  for (const [interval, perDay] of [
    ['1m', 1440],
    ['5m', 288],
    ['1h', 24],
    ['4h', 6],
  ] as const) {
    const prices = shown(exchange, name, interval).map(({ close }) => close)
    expect((deviation(returnsOf(prices)) * Math.sqrt(perDay)) / volatility, interval).toBeGreaterThan(0.6)
    expect((deviation(returnsOf(prices)) * Math.sqrt(perDay)) / volatility, interval).toBeLessThan(1.5)
    expect(Math.abs(varianceRatio(prices, 5) - 1), interval).toBeLessThan(0.25)
  }
  const minutes = returnsOf(shown(exchange, name, '5m', 8000).map(({ close }) => close))
  expect(kurtosis(minutes)).toBeGreaterThan(6)
  expect(autocorrelation(minutes.map(Math.abs), 1)).toBeGreaterThan(0.1)
})

test('the history follows from the seed, also in a restored world', () => {
  const state: ExchangeState = deserialize(serialize(exchange.state))
  expect(shown(openMarkets({ begin: state }), 'SOL_USDT', '1d')).toEqual(shown(exchange, 'SOL_USDT', '1d'))
  const other = openMarkets({ begin, seed: 'another seed' })
  expect(shown(other, 'SOL_USDT', '1d')).not.toEqual(shown(exchange, 'SOL_USDT', '1d'))
})

test('a still market has no history', () => {
  const still = openMarkets({ begin, sources: { seeded: false } })
  for (const interval of ['1m', '1h', '1d'] as const) expect(shown(still, 'BTC_PERP', interval)).toEqual([])
})

test('the endpoint returns days and weeks from before the start of the world', () => {
  const venue = openMovingVenue()
  for (const interval of ['1d', '1w'] as const) {
    const { status, body } = venue.exchange.handle(
      {
        method: 'GET',
        path: kline.path,
        query: `market=BTC_USDT&interval=${interval}&limit=50`,
        headers: {},
        body: Buffer.alloc(0),
        origin: '127.0.0.1',
      },
      venue.now(),
    )
    expect(status).toBe(200)
    const { result } = kline.response.parse(JSON.parse(body))
    expect(result).toHaveLength(50)
  }
})
