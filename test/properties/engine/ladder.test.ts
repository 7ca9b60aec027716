import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildLadder } from '#src/market/ladder/ladder.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { market, number, plan } from './ladder-arbitrary.ts'
import { runs } from '#test/properties/runs.ts'

test('a ladder of any shape keeps its budget, is on tick and lot, moves away from the anchor, and reports the remainder', () => {
  let built = 0
  fc.assert(
    fc.property(plan, market, number(1, 1000, 3), (plan, market, anchor) => {
      const ladder = buildLadder(plan, anchor, market)
      if ('refusal' in ladder) return
      built += 1
      const spent = ladder.rungs.reduce(
        (sum, { amount, notional }) => sum.plus(plan.budget.of === 'base' ? amount : notional),
        new Decimal(0),
      )
      expect(spent.plus(ladder.unused).eq(ladder.budget)).toBe(true)
      expect(ladder.unused.gte(0)).toBe(true)
      if (plan.budget.for === 'all') expect(ladder.budget.lte(plan.budget.amount)).toBe(true)
      if (plan.budget.cap) expect(ladder.budget.lte(plan.budget.cap)).toBe(true)
      for (const side of ['buy', 'sell'] as const) {
        let last: Decimal | undefined
        for (const { price, amount, notional } of ladder.rungs.filter((rung) => rung.side === side)) {
          expect(price.decimalPlaces()).toBeLessThanOrEqual(market.priceDigits)
          expect(amount.decimalPlaces()).toBeLessThanOrEqual(market.amountDigits)
          expect(notional.eq(price.times(amount))).toBe(true)
          expect(amount.gte(market.minAmount) && amount.gt(0) && notional.gte(market.minTotal)).toBe(true)
          expect(notional.lte(market.maxTotal)).toBe(true)
          const away = last === undefined || (side === 'buy' ? price.lt(last) : price.gt(last))
          expect(away && price.gt(0)).toBe(true)
          // Never on the wrong side: a buy above the anchor or a sell below it would execute at once.
          expect(side === 'buy' ? price.lte(anchor) : price.gte(anchor)).toBe(true)
          last = price
        }
      }
    }),
    runs(1000, 20_000, 1000),
  )
  expect(built).toBeGreaterThan(200)
})

test('a distributed remainder adds at most one lot to a rung, and never exceeds the budget', () => {
  let spread = 0
  fc.assert(
    fc.property(plan, market, number(1, 1000, 3), (plan, market, anchor) => {
      const kept = buildLadder({ ...plan, leftover: 'keep' }, anchor, market)
      const given = buildLadder({ ...plan, leftover: 'spread' }, anchor, market)
      if ('refusal' in kept || 'refusal' in given) {
        expect(given).toEqual(kept)
        return
      }
      expect(given.rungs.map(({ price }) => price)).toEqual(kept.rungs.map(({ price }) => price))
      const lot = new Decimal(10).pow(-market.amountDigits)
      for (const [index, { amount }] of given.rungs.entries()) {
        const more = amount.minus(kept.rungs[index]?.amount ?? 0)
        expect(more.isZero() || more.eq(lot)).toBe(true)
        if (!more.isZero()) spread += 1
      }
      expect(given.unused.gte(0) && given.unused.lte(kept.unused)).toBe(true)
    }),
    runs(500, 10_000),
  )
  expect(spread).toBeGreaterThan(200)
})
