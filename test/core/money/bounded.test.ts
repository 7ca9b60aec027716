import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  allOf,
  bounded,
  decide,
  exact,
  widened,
  type Arithmetic,
  type Bounded,
} from '#src/core/money/bounded.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { runs } from '#test/properties/runs.ts'
import { decimalText } from './oracle.ts'

/** A calculation that every arithmetic can do. */
type Formula = <N>(arithmetic: Arithmetic<N>) => N

const operations = ['plus', 'minus', 'times', 'max', 'min'] as const
const leaf: fc.Arbitrary<Formula> = fc.oneof(
  decimalText.map(
    (text): Formula =>
      ({ text: read }) =>
        read(text),
  ),
  decimalText.map(
    (text): Formula =>
      ({ text: read }) =>
        read(`-${text}`),
  ),
  fc.maxSafeNat().map(
    (units): Formula =>
      ({ number }) =>
        number(units),
  ),
  // Prices and amounts have at most 18 decimals: doubles lose smaller numbers altogether.
  fc
    .tuple(fc.double({ noNaN: true, min: -1, max: 1 }), fc.integer({ min: 0, max: 12 }))
    .map(([share, size]) => Number((share * 10 ** size).toFixed(18)))
    .map(
      (double): Formula =>
        ({ number }) =>
          number(double),
    ),
  decimalText.map(
    (text): Formula =>
      ({ decimal }) =>
        decimal(new Decimal(text)),
  ),
  fc.constant<Formula>(({ zero }) => zero),
)
const formula = fc.letrec<{ formula: Formula }>((tie) => ({
  formula: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.tuple(fc.constantFrom(...operations), tie('formula'), tie('formula')).map(
      ([name, a, b]): Formula =>
        (arithmetic) =>
          arithmetic[name](a(arithmetic), b(arithmetic)),
    ),
  ),
})).formula

/** All digits of any such calculation. */
const Wide = Decimal.clone({ precision: 4000 })
const truly: Arithmetic<Decimal> = {
  ...exact,
  zero: new Wide(0),
  text: (text) => new Wide(text),
  decimal: (value) => new Wide(value),
  number: (value) => new Wide(value),
  max: (a, b) => Wide.max(a, b),
  min: (a, b) => Wide.min(a, b),
}

/** How far a double is from the true number, with all digits. */
function distance(value: number, truth: Decimal): Decimal {
  return new Wide(value).minus(truth).abs()
}

function contains({ value, error }: Bounded, truth: Decimal): boolean {
  return distance(value, truth).lte(error)
}

test('the true result of a calculation is never further away than the error says', () => {
  fc.assert(
    fc.property(formula, (calculate) => {
      expect(contains(calculate(bounded), calculate(truly))).toBe(true)
    }),
    runs(3000, 80_000),
  )
})

test('a quotient has an error that holds the true one, or no bound where the divisor may be 0', () => {
  fc.assert(
    fc.property(formula, formula, (a, b) => {
      const [divisor, truth] = [b(bounded), b(truly)]
      fc.pre(!truth.isZero())
      const quotient = bounded.over(a(bounded), divisor)
      if (Math.abs(divisor.value) <= divisor.error) expect(quotient.error).toBe(Infinity)
      else expect(contains(quotient, truly.over(a(truly), truth))).toBe(true)
    }),
    runs(3000, 80_000),
  )
})

test('zero and another number, divided by zero, have no bound, and sums with them stay in doubt', () => {
  const { over, number, plus, isAtMost, zero } = bounded
  for (const dividend of [zero, number(2)]) {
    const quotient = over(dividend, zero)
    expect(quotient.error).toBe(Infinity)
    expect(isAtMost(plus(quotient, number(1)), number(3))).toBeUndefined()
  }
})

test.each<[string, Formula, number]>([
  ['a text', ({ text }) => text('0.1'), 0.1],
  ['a long text', ({ text }) => text('123456789012345678.9'), 123456789012345680],
  ['a Decimal', ({ decimal }) => decimal(new Decimal('0.1')), 0.1],
  ['a large Decimal', ({ decimal }) => decimal(new Decimal('9007199254740993')), 9007199254740992],
  ['a double', ({ number }) => number(0.1), 0.1],
  ['a sum', ({ plus, number }) => plus(number(5), number(3)), 8],
  ['a difference', ({ minus, number }) => minus(number(5), number(3)), 2],
  ['a product', ({ times, number }) => times(number(5), number(3)), 15],
  ['a quotient', ({ over, number }) => over(number(-6), number(-3)), 2],
  [
    'a product of inexact numbers',
    ({ times, plus, number }) => times(plus(number(0.1), number(2)), plus(number(7), number(0.3))),
    2.1 * 7.3,
  ],
  [
    'a quotient of inexact numbers',
    ({ over, plus, number }) => over(plus(number(0.1), number(2)), plus(number(7), number(0.3))),
    2.1 / 7.3,
  ],
])('the error of %s is a few roundings of a double, and not 0', (_name, calculate, value) => {
  const result = calculate(bounded)
  expect(result.value).toBeCloseTo(value, 12)
  expect(result.error).toBeGreaterThan(Math.abs(value) * 2 ** -54)
  expect(result.error).toBeLessThan(Math.abs(value) * 2 ** -47)
})

test.each<[string, Formula, number]>([
  ['a whole number', ({ number }) => number(60_000), 60_000],
  ['a whole Decimal', ({ decimal }) => decimal(new Decimal(-60_000)), -60_000],
  ['zero', ({ zero }) => zero, 0],
  ['the larger of two', ({ max, number }) => max(number(2), number(3)), 3],
  ['the smaller of two', ({ min, number }) => min(number(2), number(3)), 2],
])('%s is exact', (_name, calculate, value) => {
  expect(calculate(bounded)).toEqual({ value, error: 0 })
})

test('the larger and the smaller of two numbers are as uncertain as the less certain one', () => {
  const [sure, unsure] = [
    { value: 1, error: 0 },
    { value: 2, error: 0.5 },
  ]
  expect(bounded.max(sure, unsure)).toEqual(unsure)
  expect(bounded.min(sure, unsure)).toEqual({ value: 1, error: 0.5 })
  expect(bounded.min(unsure, sure)).toEqual({ value: 1, error: 0.5 })
})

test('a comparison in doubles is true, or in doubt; it is in doubt only where the errors overlap', () => {
  // The decimals of this project hold all digits of one product.
  const product = fc.tuple(leaf, leaf).map(
    ([a, b]): Formula =>
      (arithmetic) =>
        arithmetic.times(a(arithmetic), b(arithmetic)),
  )
  fc.assert(
    fc.property(product, product, fc.boolean(), (a, b, isClose) => {
      // The same number by another way: only the digits tell the two apart.
      const other: Formula = (arithmetic) =>
        isClose
          ? arithmetic.minus(arithmetic.plus(a(arithmetic), b(arithmetic)), b(arithmetic))
          : b(arithmetic)
      const [one, two] = [a(bounded), other(bounded)]
      const answer = bounded.isAtMost(one, two)
      const truth = truly.isAtMost(a(truly), other(truly))
      if (answer !== undefined) expect(answer).toBe(truth)
      else expect(Math.abs(one.value - two.value)).toBeLessThanOrEqual((one.error + two.error) * 1.001)
      expect(decide((arithmetic) => arithmetic.isAtMost(a(arithmetic), other(arithmetic)))).toBe(truth)
    }),
    runs(3000, 80_000),
  )
})

test.each([
  [{ value: 1, error: 0 }, { value: 1, error: 0 }, true],
  [{ value: 1, error: 0 }, { value: 2, error: 0 }, true],
  [{ value: 2, error: 0 }, { value: 1, error: 0 }, false],
  [{ value: 1, error: 0.4 }, { value: 2, error: 0.4 }, true],
  [{ value: 2, error: 0.4 }, { value: 1, error: 0.4 }, false],
  [{ value: 1, error: 0.6 }, { value: 2, error: 0.6 }, undefined],
  [{ value: 1, error: 0.5 }, { value: 2, error: 0.5 }, undefined],
  [{ value: 1, error: 0.1 }, { value: 1, error: 0 }, undefined],
  [{ value: 0, error: Infinity }, { value: 1, error: 0 }, undefined],
])('%j is at most %j: %j', (a, b, answer) => {
  expect(bounded.isAtMost(a, b)).toBe(answer)
})

test('only numbers with the same value and the same error are the same', () => {
  const one = { value: 1, error: 0.5 }
  expect(bounded.isSame(one, { ...one })).toBe(true)
  expect(bounded.isSame(one, { ...one, value: 2 })).toBe(false)
  expect(bounded.isSame(one, { ...one, error: 0 })).toBe(false)
  expect(exact.isSame(new Decimal(1), new Decimal('1.0'))).toBe(true)
  expect(exact.isSame(new Decimal(1), new Decimal(2))).toBe(false)
})

test('what may be either of two numbers reaches from one to the other, and hardly further', () => {
  const [low, high] = [
    { value: 1, error: 0.25 },
    { value: 3, error: 0.5 },
  ]
  for (const both of [bounded.either(low, high), bounded.either(high, low)]) {
    expect(both.value).toBe(2.125)
    expect(both.error).toBeGreaterThanOrEqual(1.375)
    expect(both.error).toBeLessThan(1.375 + 1e-12)
  }
  expect(exact.either(new Decimal(1), new Decimal(2)).eq(1)).toBe(true)
})

test('a number is widened by a share of its size', () => {
  expect(widened({ value: -8, error: 0.5 }, 0.25)).toEqual({ value: -8, error: 2.5 })
})

test('the digits decide only what the doubles leave open', () => {
  const asked: string[] = []
  const ask = (inDoubles: boolean | undefined, inDigits: boolean | undefined) => {
    asked.length = 0
    return decide((arithmetic) => {
      const isExact = Object.is(arithmetic, exact)
      asked.push(isExact ? 'digits' : 'doubles')
      return isExact ? inDigits : inDoubles
    })
  }
  expect(ask(true, false)).toBe(true)
  expect(ask(false, true)).toBe(false)
  expect(asked).toEqual(['doubles'])
  expect(ask(undefined, true)).toBe(true)
  expect(asked).toEqual(['doubles', 'digits'])
  expect(ask(undefined, false)).toBe(false)
  expect(ask(undefined, undefined)).toBe(false)
})

test.each([
  [[], true],
  [[true, true], true],
  [[true, undefined], undefined],
  [[undefined, false], false],
  [[false, true], false],
])('all of %j: %j', (answers, all) => {
  expect(allOf(...answers)).toBe(all)
})
