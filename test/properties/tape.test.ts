import { deserialize, serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { candlesOf } from '#src/exchange/trades/candles.ts'
import {
  beginPublicTrades,
  changeText,
  lastTrades,
  recordTrade,
  statsOfDay,
  statsOfToday,
  type PublicTrades,
  type Trade,
} from '#src/exchange/trades/public-trades.ts'
import { naiveCandles, naiveStats } from '#test/properties/models/naive-trades.ts'
import { runs } from './runs.ts'

const begin = 1_790_000_000_250
const startTicks = 600_000
const minuteMs = 60_000
const dayMs = 86_400_000

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
const intervals = Object.keys(candleIntervals) as CandleInterval[]

/** Bursts of equally spaced trades, each after its own pause. */
const gap = fc.oneof(
  fc.constantFrom(0, 1, 999, 1000, 60_000, 299_999, 3_600_000, dayMs),
  fc.integer({ min: 0, max: 3000 }),
  fc.integer({ min: 0, max: 40 * dayMs }),
)
const burst = fc.record({
  pause: gap,
  every: gap,
  trades: fc.array(
    fc.record({
      ticks: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1e12 })),
      lots: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1e15 })),
      takerSide: fc.constantFrom('buy', 'sell'),
      rpi: fc.boolean(),
    }),
    { minLength: 1, maxLength: 140, size: 'max' },
  ),
})
const history = fc.array(burst, { maxLength: 3 }).map((bursts) => {
  const trades: Trade[] = []
  let at = begin
  for (const { pause, every, trades: inBurst } of bursts) {
    at += pause
    for (const trade of inBurst) {
      trades.push({ id: 7_000_000_000 + trades.length, at, ...trade })
      at += every
    }
  }
  return trades
})
/** Time from the last trade to the request. */
const later = fc.oneof(gap, fc.constant(0))

function tapeOf(trades: readonly Trade[]): PublicTrades {
  const tape = beginPublicTrades(startTicks)
  for (const trade of trades) recordTrade(tape, { ...trade })
  return tape
}

const endOf = (trades: readonly Trade[]) => trades.at(-1)?.at ?? begin

test.each(intervals)(
  'candles of %s equal those computed from all trades, as far back as they go',
  (interval) => {
    const ms = candleIntervals[interval]
    const asked = fc.record({
      from: fc.option(fc.integer({ min: -1500, max: 20 }), { nil: undefined }),
      until: fc.integer({ min: -50, max: 2 }),
      most: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(1440)),
    })
    fc.assert(
      fc.property(history, later, asked, (trades, wait, { from, until, most }) => {
        const now = endOf(trades) + wait
        const about = {
          from: from === undefined ? undefined : Math.max(0, now + from * ms),
          until: now + until * ms,
          most,
          now,
        }
        expect(candlesOf(tapeOf(trades), interval, about)).toEqual(naiveCandles(trades, interval, about))
      }),
      runs(25, 800),
    )
  },
)

test('the statistics of the last 24 hours and of the day since midnight equal those of their trades', () => {
  fc.assert(
    fc.property(history, later, (trades, wait) => {
      const now = endOf(trades) + wait
      const tape = tapeOf(trades)
      const minute = Math.floor(now / minuteMs) * minuteMs
      expect(statsOfDay(tape, now)).toEqual(naiveStats(trades, minute - 1439 * minuteMs, startTicks))
      const midnight = Math.floor(now / dayMs) * dayMs
      expect(statsOfToday(tape, now)).toEqual(naiveStats(trades, midnight, startTicks))
    }),
    runs(200, 2000),
  )
})

test('the last trades are listed newest first, of one side if requested', () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 100 }), (trades, most) => {
      const tape = tapeOf(trades)
      const newest = trades.toReversed()
      expect(lastTrades(tape, most)).toEqual(newest.slice(0, most))
      const sells = newest.filter(({ takerSide }) => takerSide === 'sell')
      expect(lastTrades(tape, most, 'sell')).toEqual(sells.slice(0, most))
    }),
    runs(200, 2000),
  )
})

test('of very many trades the newest thousand are kept', () => {
  const trades = Array.from({ length: 2345 }, (_, index): Trade => ({
    id: index,
    at: begin + index,
    ticks: 1 + (index % 7),
    lots: 1,
    takerSide: index % 3 === 0 ? 'sell' : 'buy',
    rpi: false,
  }))
  const tape = tapeOf(trades)
  expect(lastTrades(tape, 5000)).toEqual(trades.slice(-1000).reverse())
  expect(tape.trades).toHaveLength(5000)
})

test('a market that trades for two years stores only what its candles need', () => {
  const tape = beginPublicTrades(startTicks)
  const everyMs = 15 * minuteMs
  const count = (2 * 365 * dayMs) / everyMs
  for (let id = 0; id < count; id++) {
    recordTrade(tape, {
      id,
      at: begin + id * everyMs,
      ticks: 1 + (id % 99),
      lots: 1,
      takerSide: 'buy',
      rpi: false,
    })
  }
  const now = begin + (count - 1) * everyMs
  const days = candlesOf(tape, '1d', { from: undefined, until: now, most: 1440, now })
  expect(days).toHaveLength(400)
  expect(days.every(({ lots }, index) => lots === 96n || index === 399)).toBe(true)
  for (const row of tape.bars) expect(row.length).toBeLessThan(2 * 9600 + 130)
})

test('the stored trades survive a snapshot, and continue equally', () => {
  fc.assert(
    fc.property(history, history, (before, after) => {
      const shift = endOf(before) - begin
      const rest = after.map((trade) => ({ ...trade, at: trade.at + shift }))
      const tape = tapeOf(before)
      const stored: PublicTrades = deserialize(serialize(tape))
      for (const trade of rest) {
        recordTrade(tape, trade)
        recordTrade(stored, trade)
      }
      expect(stored).toEqual(tape)
    }),
    runs(50, 1000),
  )
})

test('a change is the percentage of the opening price, cut to two decimals', () => {
  const about = { high: 0, low: 0, lots: 0n, money: 0n }
  const texts = (
    [
      [600_000, 600_000],
      [600_000, 606_000],
      [600_000, 596_580],
      [3, 4],
      [3, 2],
      [1_000_000, 1_000_001],
      [1_000_000, 999_950],
      [1, 1e15],
    ] as const
  ).map(([open, last]) => changeText({ ...about, open, last }))
  expect(texts).toEqual(['0', '1', '-0.57', '33.33', '-33.33', '0', '0', '99999999999999900'])
})
