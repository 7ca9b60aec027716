import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFastTicker } from '#src/venues/whitebit/client/streams/fast-ticker.ts'
import { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import { decimalText } from '#test/core/money/oracle.ts'
import { runs } from '#test/properties/runs.ts'

const time = fc.oneof(
  fc.nat(),
  fc.nat().map((ms) => 1.7e9 + ms / 1000),
  fc.double({ min: 0, noNaN: true }),
)
const params = fc.tuple(
  time,
  time,
  fc.constantFrom('BTC_PERP', 'X_Y', 'btc_perp', 'A_B_C'),
  fc.oneof(fc.nat(), fc.maxSafeNat()),
  decimalText,
  decimalText,
  decimalText,
  decimalText,
)
const frame = (told: unknown) => JSON.stringify({ method: 'bookTicker_update', params: [told], id: null })

test('best prices that are read in one look are those of JSON and the schema, whatever stands in the frame', () => {
  let read = 0
  const spoiled = fc.tuple(
    fc.nat(200),
    fc.constantFrom('', '0', '"', ' ', '.', '-', ',', '1e3', '\\u0041', ']'),
  )
  fc.assert(
    fc.property(params, fc.option(spoiled), (told, spoil) => {
      const text = frame(told)
      const given = spoil ? text.slice(0, spoil[0]) + spoil[1] + text.slice(spoil[0] + 1) : text
      const plain = readFastTicker(given)
      if (plain === undefined) return
      read += 1
      const { method, params } = JSON.parse(given)
      expect([method, plain]).toEqual(['bookTicker_update', streamUpdates.bookTicker.parse(params)])
    }),
    runs(3000, 300_000, 3000),
  )
  expect(read).toBeGreaterThan(100)
})

test('a frame as the exchange writes it is read in one look', () => {
  const told = [1795295815.123, 1795295815.123, 'BTC_PERP', 71, '60000.5', '1', '60000.6', '0.25']
  expect(readFastTicker(frame(told))).toEqual([told])
})
