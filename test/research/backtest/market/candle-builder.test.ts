import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CandleBuilder } from '#src/research/backtest/loop/candle-builder.ts'
import { MarketCursor } from '#src/research/backtest/loop/market-cursor.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { runs } from '#test/properties/runs.ts'
import { madeBars, monday } from './generated-market.ts'

const minutes = 20 * 1440
const market = madeBars({ seed: 5, minutes, price: 60_000, pace: 0.001 })
const kinds: CandleInterval[] = ['1m', '3m', '5m', '1h', '1d', '3d', '1w', '1M']
const intervals = fc.subarray(kinds, { minLength: 1, maxLength: 3 })
const moments = fc.array(fc.integer({ min: 1, max: minutes * 60_000 }), { minLength: 1, maxLength: 6 })

const courseOf = (past: HistoricalMarket) =>
  new MarketCursor({ blocks: past.blocks(), kind: past.kind, tick: 1, patienceMs: Infinity })

type Closed = ReturnType<CandleBuilder['close']>[number]

/** The last closed candle of each interval at each of the times. */
function lastBefore(wanted: CandleInterval[], at: number[], others: CandleInterval[] | null) {
  const course = courseOf(market)
  const about = wanted.map((interval) => ({ market: 'BTC_USDT', interval, count: 1, after: null }))
  const candles = new CandleBuilder(course, about)
  return at.map((moment) => {
    const last = new Map<string, Closed>()
    // With several markets a jump goes only as far as all of them allow.
    const beside = (others ?? []).map((interval) => ({ market: 'ETH_USDT', interval, count: 1, after: null }))
    const other = new CandleBuilder(courseOf(market), beside)
    if (others) candles.leapTo(Math.min(candles.neededFrom(moment), other.neededFrom(moment)))
    while (candles.closesAt < moment) for (const candle of candles.close()) last.set(candle.interval, candle)
    return last
  })
}

test('a jump gives the same last candles as closing each of them', () => {
  const property = fc.property(intervals, intervals, moments, (wanted, others, spans) => {
    const at = spans.map((span) => monday + span).sort((a, b) => a - b)
    const each = lastBefore(wanted, at, null)
    const leaping = lastBefore(wanted, at, others)
    expect(leaping).toEqual(each)
  })
  fc.assert(property, runs(40, 2000))
})
