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
