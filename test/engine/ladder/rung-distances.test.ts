import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RungDistances } from '#src/engine/ladder/rung-distances.ts'
import type { RungState } from '#src/engine/state/state.ts'
import { recordInto, Validity } from '#src/engine/state/validity.ts'
import { runs } from '#test/properties/runs.ts'

const symbol = 'BTC_USDT'

function rungAt(price: number, index: number): RungState {
  const wait = { count: 0, until: 0 }
  return {
    level: String(index),
    side: 'buy',
    price: String(price),
    amount: '1',
    order: null,
    held: null,
    wait,
  }
}

const window = fc.record({
  prices: fc.uniqueArray(fc.integer({ min: 50, max: 150 }), { minLength: 2, maxLength: 12 }),
  price: fc.integer({ min: 100, max: 300 }).map((half) => half / 2),
  max: fc.integer({ min: 1, max: 6 }),
  share: fc.integer({ min: 1, max: 40 }).map((percent) => percent / 100),
})

/** All answers about the window, and the validity that they have recorded. */
function asked(prices: readonly number[], price: number, { max, share }: { max: number; share: number }) {
  const validity = new Validity()
  recordInto(validity)
  const rungs = new RungDistances(symbol, prices.map(rungAt), () => true, price)
  const answers = prices.map((_, index) => [rungs.hasNearer(index, max), rungs.isWithin(index, share)])
  recordInto(undefined)
  return { answers, rungs, band: validity.bands.get(symbol) ?? { below: 0, above: Infinity } }
}

test('a rung has as many nearer rungs as a list of all rungs by distance shows', () => {
  fc.assert(
    fc.property(window, ({ prices, price, max, share }) => {
      const { answers, rungs } = asked(prices, price, { max, share })
      const far = prices.map((each) => Math.abs(each - price) / price)
      const inTurn = [...prices.keys()].sort((a, b) => far[a]! - far[b]! || a - b)
      for (const [rank, index] of inTurn.entries()) {
        expect(answers[index]).toEqual([rank >= max, far[index]! <= share])
        expect(rungs.numberOf(index)).toBe(rank + 1)
      }
    }),
    runs(300, 20_000, 100),
  )
})

test('the results stay the same at all prices inside the band that they record', () => {
  fc.assert(
    fc.property(window, fc.integer({ min: 100, max: 300 }), ({ prices, price, ...limits }, half) => {
      const { answers, band } = asked(prices, price, limits)
      const other = half / 2
      if (other <= band.below || other >= band.above) return
      expect(asked(prices, other, limits).answers).toEqual(answers)
    }),
    runs(3000, 200_000, 1000),
  )
})
