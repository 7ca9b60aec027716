import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildLadder } from '#src/ladder/ladder.ts'
import type { LadderPlan, MarketRules, Shape, Spacing } from '#src/ladder/plan.ts'
import { Decimal, decimal } from '#src/money/decimal.ts'
import { runs } from './runs.ts'

/** A number with `digits` decimals. */
const number = (least: number, most: number, digits: number) =>
  fc
    .integer({ min: Math.round(least * 10 ** digits), max: Math.round(most * 10 ** digits) })
    .map((units) => new Decimal(units).div(10 ** digits))
const levels = fc.integer({ min: 1, max: 40 })

const spacingOf = (count: number): fc.Arbitrary<Spacing> =>
  fc.oneof(
    fc.record({
      kind: fc.constant('arithmetic' as const),
      first: number(0, 0.05, 5),
      step: number(0.00001, 0.02, 5),
    }),
    fc.record({
      kind: fc.constant('geometric' as const),
      first: number(0, 0.05, 5),
      step: number(0.00001, 0.02, 5),
      grow: number(0.8, 1.3, 3),
    }),
    fc
      .tuple(number(1, 500, 2), number(0.01, 1000, 2), fc.constantFrom('price' as const, 'ratio' as const))
      .map(([from, width, by]) => ({ kind: 'range' as const, from, to: from.plus(width), by })),
    fc
      .uniqueArray(fc.integer({ min: 0, max: 9000 }), { minLength: count, maxLength: count })
      .map((offsets) => ({
        kind: 'offsets' as const,
        at: offsets.sort((a, b) => a - b).map((offset) => new Decimal(offset).div(10_000)),
      })),
    fc.record({
      kind: fc.constant('volatility' as const),
      unit: number(0.001, 5, 3),
      first: number(0, 2, 2),
      step: number(0.01, 2, 2),
    }),
  )

const shapeOf = (count: number): fc.Arbitrary<Shape> =>
  fc.oneof(
    fc.constantFrom<Shape>({ kind: 'flat' }, { kind: 'fibonacci' }, { kind: 'valley' }, { kind: 'mountain' }),
    fc.record({ kind: fc.constant('linear' as const), from: number(0.1, 5, 2), to: number(0.1, 5, 2) }),
    fc.record({ kind: fc.constant('geometric' as const), ratio: number(0.5, 2, 3) }),
    fc
      .array(number(0.1, 9, 2), { minLength: count, maxLength: count })
      .map((weights) => ({ kind: 'list' as const, weights })),
  )

const plan: fc.Arbitrary<LadderPlan> = levels.chain((count) =>
  fc.record({
    side: fc.constantFrom('buy', 'sell', 'both'),
    levels: fc.constant(count),
    spacing: spacingOf(count),
    shape: shapeOf(count),
    budget: fc.record({
      amount: number(0.01, 100_000, 4),
      of: fc.constantFrom('quote', 'base'),
      for: fc.constantFrom('all', 'first'),
      cap: fc.option(number(0.01, 100_000, 4), { nil: undefined }),
    }),
    belowMin: fc.constantFrom('merge', 'drop', 'refuse'),
    leftover: fc.constantFrom('keep', 'spread'),
  }),
)

const market: fc.Arbitrary<MarketRules> = fc
  .record({
    priceDigits: fc.integer({ min: 0, max: 5 }),
    amountDigits: fc.integer({ min: 0, max: 8 }),
    least: number(0, 20, 1),
  })
  .map(({ priceDigits, amountDigits, least }) => ({
    priceDigits,
    amountDigits,
    minAmount: new Decimal(10).pow(-amountDigits),
    minTotal: least,
    maxTotal: decimal('1000000'),
    makerFee: decimal('0.001'),
    takerFee: decimal('0.001'),
  }))

test('a ladder of any shape keeps its budget, lies on tick and lot, runs away from the anchor, and tells what is left', () => {
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
          // Never on the wrong side: a buy above the anchor, or a sell below it, would take.
          expect(side === 'buy' ? price.lte(anchor) : price.gte(anchor)).toBe(true)
          last = price
        }
      }
    }),
    runs(1000, 100_000),
  )
  expect(built).toBeGreaterThan(200)
})

test('leftovers that are spread give no rung more than a lot above its share, and never more than the budget', () => {
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
    runs(500, 50_000),
  )
  expect(spread).toBeGreaterThan(200)
})
