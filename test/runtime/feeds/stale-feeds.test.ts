import { expect, test } from 'vitest'
import { Staleness } from '#src/runtime/feeds/stale-feeds.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { EngineHarness, fileOf, hour, minute } from '#test/engine/support/engine-harness.ts'

/** The grid, whose candles are stale after 90 s, and what a check reports after these times at the venue and here. */
function watchedGrid() {
  const text = fileOf('static-grid')
  const read = readStrategy(new TextEncoder().encode(text))
  if (Array.isArray(read)) throw new Error('the grid is no strategy')
  const harness = new EngineHarness([text])
  const staleness = new Staleness()
  let monotonic = 0
  const after = (venueMs: number, localMs = venueMs) => {
    harness.wait(venueMs)
    monotonic += localMs
    return staleness.look([read], harness.engine.state, { at: harness.at, monotonic })
  }
  return { after, candle: () => harness.candle('BTC_USDT', '1m', 60_000) }
}

const stale = { type: 'feed-stale', strategy: 'sgrid', market: 'BTC_USDT', feed: 'px' }

test('a stale feed is reported once in ten minutes', () => {
  const { after, candle } = watchedGrid()
  expect(after(5 * minute)).toEqual([])
  candle()
  expect(after(1)).toEqual([])
  expect(after(89_999)).toEqual([])
  expect(after(1)).toEqual([{ ...stale, ageMs: 90_001 }])
  expect(after(minute)).toEqual([])
  candle()
  expect(after(1)).toEqual([])
  expect(after(9 * minute - 2)).toEqual([])
  // Counted from the end of the candle, which was half a minute old when it came.
  expect(after(1)).toEqual([{ ...stale, ageMs: 9 * minute + 30_001 }])
})

test('a feed that gets no value is reported, with its age since the start', () => {
  const never = watchedGrid()
  expect(never.after(0)).toEqual([])
  expect(never.after(90_000)).toEqual([])
  expect(never.after(1)).toEqual([{ ...stale, ageMs: 90_001 }])
})

test('after a restart, a value from before it keeps its age, and is reported after ten seconds', () => {
  const { after, candle } = watchedGrid()
  candle()
  expect(after(8 * hour, 0)).toEqual([])
  expect(after(9999)).toEqual([])
  expect(after(1)).toEqual([{ ...stale, ageMs: 8 * hour + 10_000 }])
})

test('at a fast exchange, a feed that is silent for a moment is not reported', () => {
  const { after, candle } = watchedGrid()
  expect(after(0)).toEqual([])
  for (let second = 0; second < 20; second++) {
    expect(after(10 * minute, 1000)).toEqual([])
    candle()
  }
  expect(after(10 * minute, 1000)).toEqual([])
  expect(after(90 * minute, 9000)).toEqual([])
  expect(after(10 * minute, 1000)).toEqual([{ ...stale, ageMs: 110 * minute }])
})

test('a signal is reported once for each value that became too old, and not before the first one', () => {
  const text = fileOf('signal-entry')
  const read = readStrategy(new TextEncoder().encode(text))
  if (Array.isArray(read)) throw new Error('the file is no strategy')
  const harness = new EngineHarness([text])
  const staleness = new Staleness()
  const after = (ms: number) => {
    harness.wait(ms)
    const found = staleness.look([read], harness.engine.state, { at: harness.at, monotonic: harness.at })
    return found.filter(({ feed }) => feed === 'trend')
  }
  expect(after(24 * hour)).toEqual([])
  harness.tell({ kind: 'signal', name: 'trend', value: 'long' })
  expect(after(4 * hour)).toEqual([])
  expect(after(1)).toEqual([{ type: 'feed-stale', strategy: 'sigent', feed: 'trend', ageMs: 4 * hour + 1 }])
  expect(after(48 * hour)).toEqual([])
  harness.tell({ kind: 'signal', name: 'trend', value: 'long' })
  expect(after(5 * hour)).toHaveLength(1)
})
