import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '#src/core/money/decimal.ts'
import { priceOf } from '#src/engine/state/prices.ts'
import { now, stateAtWork, strategy } from '#test/engine/support/working-state.ts'
import { runs } from '#test/properties/runs.ts'

const [{ symbol } = { symbol: '' }] = Object.values(strategy.markets)

/** Prices of up to fifteen digits, as a venue writes them. */
const quoted = fc.record({
  ticks: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  spread: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1_000_000_000 })),
  digits: fc.integer({ min: 0, max: 14 }),
})

test('the middle of bid and ask has all its digits', () => {
  fc.assert(
    fc.property(quoted, ({ ticks, spread, digits }) => {
      const state = stateAtWork()
      const [bid, ask] = [ticks, Math.min(ticks + spread, 999_999_999_999_999)].map((count) =>
        new Decimal(count).div(new Decimal(10).pow(digits)),
      )
      state.quotes[symbol] = { at: now, bid: bid!.toNumber(), ask: ask!.toNumber(), last: null }
      expect(priceOf(state, strategy, symbol)?.price.toFixed()).toBe(bid!.plus(ask!).div(2).toFixed())
    }),
    runs(2000, 100_000),
  )
})
