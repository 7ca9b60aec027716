import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MarketCursor } from '#src/research/backtest/loop/market-cursor.ts'
import { PricePath, type PriceWatch } from '#src/research/backtest/loop/price-path.ts'
import { runs } from '#test/properties/runs.ts'
import { madeTrades, monday } from '#test/research/backtest/market/generated-market.ts'

const walk = fc.record({
  seed: fc.nat(10_000),
  pace: fc.constantFrom(0.0001, 0.002, 0.03),
  amount: fc.constantFrom(-3e-12, -1e-12, 1e-12, 2e-11),
  steps: fc.array(fc.integer({ min: 100, max: 200_000 }), { minLength: 1, maxLength: 30 }),
})

test('the last of successive extremes gives the same maximum and the same loss as all of them', () => {
  let [ofAll, ofLast] = [0, 0]
  const check = fc.property(walk, ({ seed, pace, amount, steps }) => {
    const market = madeTrades({ seed, minutes: 30, price: 60_000, pace, digits: 2 }, 500)
    const cursor = new MarketCursor({
      blocks: market.blocks(),
      kind: 'trades',
      tick: 1e7,
      patienceMs: Infinity,
    })
    const [all, last] = [new Watched(amount, false), new Watched(amount, true)]
    const path = new PricePath([cursor], () => [all, last])
    let at = monday
    for (const step of steps) {
      cursor.pass((at += step))
      path.walk()
      expect([last.best, last.loss]).toEqual([all.best, all.loss])
    }
    ofAll += all.reports
    ofLast += last.reports
  })
  fc.assert(check, runs(60, 2000))
  expect(ofLast).toBeLessThan(ofAll / 2)
})

/** The maximum of a result, and its largest distance below it. */
class Watched implements PriceWatch {
  readonly amounts: readonly number[]
  readonly base = 1000
  readonly isLastEnough: boolean
  best: number
  loss = 0
  reports = 0

  constructor(amount: number, isLastEnough: boolean) {
    this.amounts = [amount]
    this.isLastEnough = isLastEnough
    this.best = this.base + amount * 60_000e9
  }

  get low(): number {
    return this.best - this.loss
  }

  get high(): number {
    return this.best
  }

  reached(prices: ArrayLike<number>): void {
    const result = this.base + (this.amounts[0] ?? 0) * (prices[0] ?? 0)
    this.best = Math.max(this.best, result)
    this.loss = Math.max(this.loss, this.best - result)
    this.reports += 1
  }
}
