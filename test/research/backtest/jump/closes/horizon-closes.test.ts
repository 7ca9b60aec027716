import { expect, test } from 'vitest'
import { EngineHarness, fileOf, minute } from '#test/engine/support/engine-harness.ts'

/** The static grid, asking this instead of its own questions. */
function asking(place: string, lets = 'price: last(px)'): EngineHarness {
  const text = fileOf('static-grid')
    .replace('between(price, 55000, 65000)', place)
    .replace('price: last(px)', lets)
    .replace('price < 54000 || price > 66000', 'position(btc) > 1000')
  const harness = new EngineHarness([text.replace(/^tests:[^]*/m, '')])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  return harness
}

function isSkipping(harness: EngineHarness): boolean {
  return harness.recorder.horizon().closes !== null
}

test('if rules only compare the last close with numbers, one close on a side is as good as many', () => {
  for (const place of [
    'between(price, 55000, 65000)',
    'last(px) > 55000 && !(price >= 65000.5)',
    '(54000 < last(px) || price == 3) && position(btc) < 1000',
    'price > low',
    'price + 1 > 55000',
    '2 * 27500 < price',
    'price / 2 > low / 2 - 3',
    'price > 55000 + position(btc)',
    'abs(price - 59000) < 5000',
    '"(price > 55000 ? 1 : 2) < 1.5"',
    'open_hours(grid) < 3 || price > 1',
  ])
    expect([place, isSkipping(asking(place, 'price: last(px)\n  low: 55000'))]).toEqual([place, true])
})

test('if rules read anything else of candles, each candle is evaluated', () => {
  for (const place of [
    'ema(px, 3) > 55000',
    'price > open(px)',
    'price * price > 55000',
    '1 / price < 0.5',
    'price - 1e20 > -1e20',
    // Of closes on one side the next one ends this.
    '{ crosses_above: [side, 0.5] }',
    '{ any: [price < 1, { not: { rises: { of: side, candles: 3 } } }] }',
  ]) {
    const lets = 'price: last(px)\n  side: "(price > 55000) ? 1.0 : 0.0"'
    expect([place, isSkipping(asking(place, lets))]).toEqual([place, false])
  }
  const follows = fileOf('static-grid').replace('anchor: 60000', 'anchor: price at episode_start')
  const harness = new EngineHarness([follows.replace(/^tests:[^]*/m, '')])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  expect(isSkipping(harness)).toBe(false)
})

test('closes are evaluated again when a price reaches one of the numbers, until a close reaches it, too', () => {
  const harness = asking('between(price, 55000, 60500)')
  const { closes } = harness.recorder.horizon()
  expect(closes?.get('BTC_USDT')?.above).toBeLessThanOrEqual(60_500)
  harness.at += minute
  harness.quote('BTC_USDT', 60_600)
  expect(isSkipping(harness)).toBe(false)
  harness.candle('BTC_USDT', '1m', 60_500)
  expect(isSkipping(harness)).toBe(false)
  harness.at += minute
  harness.quote('BTC_USDT', 60_600)
  harness.candle('BTC_USDT', '1m', 60_600)
  expect(isSkipping(harness)).toBe(true)
  expect(harness.recorder.horizon().closes?.get('BTC_USDT')?.below).toBeGreaterThanOrEqual(60_500)
})

test('an unknown or stale close is waited for', () => {
  const harness = asking('price > 55000')
  harness.at += 5 * minute
  harness.quote('BTC_USDT', 60_000)
  expect(isSkipping(harness)).toBe(false)
})
