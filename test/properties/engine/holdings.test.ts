import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Progress } from '#src/engine/events.ts'
import { applyProgress } from '#src/engine/holdings/holdings.ts'
import type { Order } from '#src/engine/state/state.ts'
import { now, orderOf, strategyState } from '#test/engine/support/working-state.ts'
import { textOf, trade, unitsOf, type ModelPosition } from '#test/properties/models/naive-position.ts'
import { runs } from '#test/properties/runs.ts'

const lotDigits = 3
const moneyDigits = 18

/** An order and the steps in which it fills: lots, ticks of a hundredth, and the fee in millionths. */
const order = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  steps: fc.array(
    fc.record({
      lots: fc.bigInt({ min: 1n, max: 5000n }),
      ticks: fc.bigInt({ min: 1n, max: 200_000n }),
      fee: fc.bigInt({ min: 0n, max: 9_999_999n }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})
type Given = typeof order extends fc.Arbitrary<infer Value> ? Value : never

/** All reports of the venue about these orders, as cumulative sums, in order. */
function newsOf(orders: readonly Given[]) {
  return orders.flatMap(({ side, steps }, index) => {
    let [lots, money, fee] = [0n, 0n, 0n]
    return steps.map((step) => {
      const stepMoney = step.lots * step.ticks * 10n ** 13n
      lots += step.lots
      money += stepMoney
      fee += step.fee
      const progress: Progress = {
        venueId: String(index),
        filled: textOf(lots, lotDigits),
        money: textOf(money, moneyDigits),
        fee: textOf(fee, 6),
        ended: false,
      }
      const sign = side === 'buy' ? 1n : -1n
      return { index, progress, lots: step.lots * sign, money: stepMoney * sign, fee: step.fee }
    })
  })
}

function ordersOf(given: readonly Given[]): Order[] {
  return given.map(({ side }, index) =>
    orderOf({ ladder: 'grid', level: String(index), side, role: 'entry', price: '1', amount: '100' }),
  )
}

const orders = fc.array(order, { minLength: 1, maxLength: 8 })

test('a position, its cost and its profit equal plain sums, digit for digit', () => {
  fc.assert(
    fc.property(orders, (given) => {
      const state = strategyState()
      const own = ordersOf(given)
      let expected: ModelPosition = { lots: 0n, cost: 0n, realized: 0n }
      let fees = 0n
      for (const { index, progress, lots, money, fee } of newsOf(given)) {
        const fill = applyProgress(state, own[index]!, progress, { market: 'both', at: now })
        expect(fill && unitsOf(fill.amount, lotDigits)).toBe(lots < 0n ? -lots : lots)
        expected = trade(expected, lots, money)
        fees += fee
        for (const held of [state.holdings['both']!, state.ladders['grid']!.held]) {
          expect(unitsOf(held.position, lotDigits)).toBe(expected.lots)
          expect(unitsOf(held.cost, moneyDigits)).toBe(expected.cost)
        }
        expect(unitsOf(state.holdings['both']!.realized, moneyDigits)).toBe(expected.realized)
        expect(unitsOf(state.holdings['both']!.fees, 6)).toBe(fees)
        const { entry } = state.holdings['both']!
        expect(entry === null).toBe(expected.lots === 0n)
        // The average is cut to the digits of money; times the lots it is the cost but for the cut.
        if (entry !== null) {
          const average = (expected.cost * 1000n) / expected.lots
          expect(unitsOf(entry, moneyDigits)).toBe(average)
        }
      }
    }),
    runs(300, 10_000),
  )
})

test('each fill counts once, in any order and number of reports', () => {
  fc.assert(
    fc.property(orders, fc.infiniteStream(fc.nat()), (given, chance) => {
      const state = strategyState()
      const own = ordersOf(given)
      const news = newsOf(given)
      const reported = [...news, ...news.filter((_, index) => index % 2 === 0)]
      for (let last = reported.length - 1; last > 0; last--) {
        const other = (chance.next().value ?? 0) % (last + 1)
        ;[reported[last], reported[other]] = [reported[other]!, reported[last]!]
      }
      for (const { index, progress } of reported)
        applyProgress(state, own[index]!, progress, { market: 'both', at: now })
      const holding = state.holdings['both']!
      const sum = (of: (each: (typeof news)[number]) => bigint) =>
        news.reduce((total, each) => total + of(each), 0n)
      expect(unitsOf(holding.position, lotDigits)).toBe(sum(({ lots }) => lots))
      expect(unitsOf(holding.fees, 6)).toBe(sum(({ fee }) => fee))
      // Profit and position value together equal all money in and out, at any price.
      const out = sum(({ money }) => money)
      expect(unitsOf(holding.realized, moneyDigits) - unitsOf(holding.cost, moneyDigits)).toBe(-out)
      if (sum(({ lots }) => lots) === 0n) expect(unitsOf(holding.realized, moneyDigits)).toBe(-out)
      for (const [index, { filled }] of own.entries()) {
        const last = news.findLast((each) => each.index === index)
        expect(filled).toBe(last?.progress.filled)
      }
    }),
    runs(300, 10_000),
  )
})
