import { expect, test } from 'vitest'
import { Staleness } from '#src/runtime/feeds/stale-feeds.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { EngineHarness, fileOf, minute } from '#test/engine/support/engine-harness.ts'

test('a stale feed is reported once in ten minutes, and not before its first data', () => {
  const text = fileOf('static-grid')
  const read = readStrategy(new TextEncoder().encode(text))
  if (Array.isArray(read)) throw new Error('the grid is no strategy')
  const harness = new EngineHarness([text])
  const staleness = new Staleness()
  const look = (monotonic: number) =>
    staleness.look([read], harness.engine.state, { at: harness.at, monotonic })
  harness.wait(5 * minute)
  expect(look(0)).toEqual([])
  harness.candle('BTC_USDT', '1m', 60_000)
  harness.wait(90_000)
  expect(look(1)).toEqual([])
  harness.wait(1)
  const stale = { type: 'feed-stale', strategy: 'sgrid', market: 'BTC_USDT', feed: 'px' }
  expect(look(2)).toEqual([{ ...stale, ageMs: 90_001 }])
  harness.wait(minute)
  expect(look(3)).toEqual([])
  harness.candle('BTC_USDT', '1m', 60_000)
  expect(look(4)).toEqual([])
  harness.wait(2 * minute)
  expect(look(10 * minute + 1)).toEqual([])
  // Counted from the end of the candle, which was half a minute old when it came.
  expect(look(10 * minute + 2)).toEqual([{ ...stale, ageMs: 150_001 }])
})
