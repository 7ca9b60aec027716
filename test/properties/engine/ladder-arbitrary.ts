import fc from 'fast-check'
import type { LadderPlan, MarketRules, WeightShape, Spacing } from '#src/market/ladder/plan.ts'
import { Decimal, decimal, fromDouble } from '#src/core/money/decimal.ts'

/** A number with `digits` decimals. */
export const number = (least: number, most: number, digits: number) =>
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
      unit: fc.oneof(number(0.001, 5, 3), fc.double({ min: 0.01, max: 100, noNaN: true }).map(fromDouble)),
      first: number(0, 2, 2),
      step: number(0.01, 2, 2),
    }),
  )

const shapeOf = (count: number): fc.Arbitrary<WeightShape> =>
  fc.oneof(
    fc.constantFrom<WeightShape>(
      { kind: 'flat' },
      { kind: 'fibonacci' },
      { kind: 'valley' },
      { kind: 'mountain' },
    ),
    fc.record({ kind: fc.constant('linear' as const), from: number(0.1, 5, 2), to: number(0.1, 5, 2) }),
    fc.record({ kind: fc.constant('geometric' as const), ratio: number(0.5, 2, 3) }),
    fc
      .array(number(0.1, 9, 2), { minLength: count, maxLength: count })
      .map((weights) => ({ kind: 'list' as const, weights })),
  )

export const plan: fc.Arbitrary<LadderPlan> = levels.chain((count) =>
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

export const market: fc.Arbitrary<MarketRules> = fc
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

/** Prices as in strategy files, and with the twelve digits of an indicator. */
export const anchor = fc.oneof(
  number(1, 1000, 3),
  number(20, 90, 0).map((thousands) => thousands.times(1000)),
  fc.double({ min: 0.01, max: 90_000, noNaN: true }).map(fromDouble),
)
