import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildLadder } from '#src/market/ladder/ladder.ts'
import { over, plus, remainderOf, times } from '#src/market/ladder/long-double.ts'
import type { Ladder, LadderPlan, MarketRules, RefusedLadder } from '#src/market/ladder/plan.ts'
import { inDecimals, inTexts, ladderInTicks } from '#src/market/ladder/tick-ladder.ts'
import { decimal, Decimal, decimalText } from '#src/core/money/decimal.ts'
import { anchor, market, plan } from './ladder-arbitrary.ts'
import { runs } from '#test/properties/runs.ts'

/** Every digit of it. */
function digits(ladder: Ladder | RefusedLadder): unknown {
  if ('refusal' in ladder) return ladder
  const { rungs, budget, unused, merged, dropped } = ladder
  const rows = rungs.map(({ level, side, price, amount, notional }) =>
    [level, side, price.toFixed(), amount.toFixed(), notional.toFixed()].join(' '),
  )
  return { rows, budget: budget.toFixed(), unused: unused.toFixed(), merged, dropped }
}

test('a ladder in ticks equals the ladder of Decimals, digit for digit, or there is none', () => {
  let plain = 0
  let quick = 0
  fc.assert(
    fc.property(plan, market, anchor, (plan, market, anchor) => {
      const ladder = buildLadder(plan, anchor, market)
      const ticks = ladderInTicks(plan, anchor, market)
      if (ticks) {
        const decimals = inDecimals(ticks, market)
        expect(digits(decimals)).toEqual(digits(ladder))
        expect(inTexts(ticks, market)).toEqual(
          decimals.rungs.map(({ level, side, price, amount }) => {
            return { level, side, price: decimalText(price), amount: decimalText(amount) }
          }),
        )
      }
      if ('refusal' in ladder || ladder.merged.length + ladder.dropped.length > 0) return
      if (plan.leftover === 'spread') return
      plain += 1
      if (ticks) quick += 1
    }),
    runs(2000, 40_000, 1000),
  )
  expect(plain).toBeGreaterThan(100)
  // Most markets work in ticks; not money with too many digits.
  expect(quick / plain).toBeGreaterThan(0.8)
})

test('shares of whole lots stay whole where doubles are not exact enough', () => {
  const rules: MarketRules = {
    priceDigits: 0,
    amountDigits: 8,
    minAmount: decimal('1'),
    minTotal: decimal('1'),
    maxTotal: decimal('90000000'),
    makerFee: decimal('0'),
    takerFee: decimal('0'),
  }
  fc.assert(
    fc.property(fc.integer({ min: 44 * 10 ** 13, max: 80 * 10 ** 13 }), (part) => {
      const plan: LadderPlan = {
        side: 'sell',
        levels: 2,
        spacing: { kind: 'offsets', at: [decimal('0'), decimal('1')] },
        shape: { kind: 'list', weights: [decimal('3'), decimal('4')] },
        budget: { amount: new Decimal(part).times(7).div(10 ** 8), of: 'base', for: 'all' },
        belowMin: 'refuse',
        leftover: 'keep',
      }
      expect([...(ladderInTicks(plan, decimal('1'), rules)?.amounts ?? [])]).toEqual([3 * part, 4 * part])
    }),
    runs(200, 40_000),
  )
})

const whole = fc.maxSafeNat().map((value) => ({ high: value, low: 0 }))
const exact = ({ high, low }: { high: number; low: number }) => BigInt(high) + BigInt(low)

test('numbers with twice the digits are exact for whole numbers', () => {
  fc.assert(
    fc.property(whole, whole, whole, fc.integer({ min: 1, max: 2 ** 40 }), (a, b, c, divisor) => {
      const product = times(a, b)
      expect(exact(product)).toBe(exact(a) * exact(b))
      fc.pre(product.high < 2 ** 98)
      expect(exact(plus(product, c))).toBe(exact(product) + exact(c))
      const near = Math.round(a.high / divisor)
      expect(BigInt(remainderOf(a, near, divisor))).toBe(exact(a) - BigInt(near) * BigInt(divisor))
      // A quotient is not a whole number: times the divisor it is off by less than a part in 2^98.
      const back = times(over(a, { high: divisor, low: 0 }), { high: divisor, low: 0 })
      expect(Math.abs(back.high - a.high + back.low) <= a.high * 2 ** -98).toBe(true)
    }),
    runs(1000, 40_000),
  )
})
