import { expect, test } from 'vitest'
import { narrow, type PriceBand } from '#src/engine/state/price-bands.ts'

test('a price on an edge leaves the band in either direction', () => {
  const bands = new Map<string, PriceBand>()
  for (const edge of [90, 110]) narrow(bands, 'BTC_USDT', 100, edge)
  expect(bands.get('BTC_USDT')).toEqual({ below: expect.closeTo(90, 6), above: expect.closeTo(110, 6) })
  narrow(bands, 'BTC_USDT', 100, 100)
  const { below = 0, above = Infinity } = bands.get('BTC_USDT') ?? {}
  expect([below >= 100, above <= 100]).toEqual([true, true])
})

test('an edge that rounding has put beside the price counts on either side', () => {
  // 16 % below 145 is 125, and the division gives a little more.
  const edge = 145 / 1.16
  expect(edge).toBeGreaterThan(125)
  const bands = new Map<string, PriceBand>()
  narrow(bands, 'BTC_USDT', 125, edge)
  const { below = 0, above = Infinity } = bands.get('BTC_USDT') ?? {}
  expect([below >= 125, above <= 125]).toEqual([true, true])
})
