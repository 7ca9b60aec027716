import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mostAmount, mostMoney, exposuresOf } from '#src/engine/risk/exposure.ts'
import type { Decimal } from '#src/core/money/decimal.ts'
import { orderOf, stateAtWork, strategy } from '#test/engine/support/working-state.ts'
import { textOf, trade, unitsOf, type Position } from '#test/properties/models/naive-position.ts'
import { runs } from '#test/properties/runs.ts'

/** Lots are thousandths, ticks hundredths, money 10^-24: shares are cut far below the compared digits. */
const toMoney = 10n ** 19n
const rounding = 10n ** 8n

const order = fc.record({
  buys: fc.boolean(),
  lots: fc.bigInt({ min: 1n, max: 20n }),
  ticks: fc.bigInt({ min: 1n, max: 9n }),
})
type Given = typeof order extends fc.Arbitrary<infer Value> ? Value : never

/** After every set of fills, in every order. */
function everyEnd(held: Position, orders: readonly Given[], visit: (end: Position) => void): void {
  visit(held)
  for (const [index, { buys, lots, ticks }] of orders.entries()) {
    const signed = buys ? lots : -lots
    const after = trade(held, signed, signed * ticks * toMoney)
    everyEnd(after, orders.toSpliced(index, 1), visit)
  }
}

const unitsIn = (value: Decimal) => unitsOf(value.toDecimalPlaces(24).toFixed(), 24)

test('the exposure covers every order of fills, and is exact if nothing closes', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -30n, max: 30n }),
      fc.bigInt({ min: 1n, max: 9n }),
      fc.array(order, { maxLength: 4 }),
      (lots, ticks, given) => {
        const state = stateAtWork()
        const held = { lots, cost: lots * ticks * toMoney, realized: 0n }
        const own = state.strategies['work']!.holdings['both']!
        Object.assign(own, { position: textOf(lots, 3), cost: textOf(held.cost, 24) })
        const orders = given.map(({ buys, lots, ticks }, index) => {
          const [price, amount] = [textOf(ticks, 2), textOf(lots, 3)]
          return orderOf({
            ladder: 'grid',
            level: `${index}`,
            side: buys ? 'buy' : 'sell',
            role: 'entry',
            price,
            amount,
          })
        })
        const stake = exposuresOf(state, strategy, orders).get('both')!
        const [long, short] = [unitsIn(mostMoney(stake, 'buy')), unitsIn(mostMoney(stake, 'sell'))]
        const found = { long: held.cost, short: -held.cost, lots, sold: -lots }
        everyEnd(held, given, ({ lots, cost }) => {
          expect(cost <= long + rounding && -cost <= short + rounding).toBe(true)
          if (cost > found.long) found.long = cost
          if (-cost > found.short) found.short = -cost
          if (lots > found.lots) found.lots = lots
          if (-lots > found.sold) found.sold = -lots
        })
        if (lots === 0n && given.every(({ buys }) => buys)) expect(long).toBe(found.long)
        if (lots === 0n && given.every(({ buys }) => !buys)) expect(short).toBe(found.short)
        expect(unitsIn(mostAmount(stake, 'buy'))).toBe(found.lots * 10n ** 21n)
        expect(unitsIn(mostAmount(stake, 'sell'))).toBe(found.sold * 10n ** 21n)
      },
    ),
    runs(1500, 200_000),
  )
})
