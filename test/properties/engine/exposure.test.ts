import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginOrder, endOrder, noteChange } from '#src/engine/state/open-orders.ts'
import type { Order } from '#src/engine/state/state.ts'
import { mostAmount, mostMoney, worstLoss } from '#src/engine/risk/exposure.ts'
import { keptExact, keptNear } from '#src/engine/risk/kept-exposure.ts'
import { bounded, exact } from '#src/core/money/bounded.ts'
import type { Decimal } from '#src/core/money/decimal.ts'
import { orderOf, stateAtWork, strategy } from '#test/engine/support/working-state.ts'
import { textOf, trade, unitsOf, type ModelPosition } from '#test/properties/models/naive-position.ts'
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
function everyEnd(held: ModelPosition, orders: readonly Given[], visit: (end: ModelPosition) => void): void {
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
        for (const each of orders) state.orders[each.id] = each
        const exposure = keptExact.read(state, strategy).get('both')!
        const [long, short] = [
          unitsIn(mostMoney(exact, exposure, 'buy')),
          unitsIn(mostMoney(exact, exposure, 'sell')),
        ]
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
        expect(unitsIn(mostAmount(exact, exposure, 'buy'))).toBe(found.lots * 10n ** 21n)
        expect(unitsIn(mostAmount(exact, exposure, 'sell'))).toBe(found.sold * 10n ** 21n)
      },
    ),
    runs(1500, 60_000),
  )
})

const change = fc.record({
  what: fc.constantFrom('begin' as const, 'begin' as const, 'fill' as const, 'end' as const, 'move' as const),
  index: fc.nat(20),
  role: fc.constantFrom('entry' as const, 'exit' as const),
  market: fc.constantFrom('dip' as const, 'top' as const, 'grid' as const),
  order,
})

test('kept sums are those of all open orders, whatever began, filled, ended and moved before', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.integer({ min: 0, max: 3 }), (changes, every) => {
      const state = stateAtWork()
      const own = state.strategies['work']!
      const orders: Order[] = []
      for (const [index, { what, index: of, role, market, order }] of changes.entries()) {
        const side = order.buys ? 'buy' : 'sell'
        const [price, amount] = [textOf(order.ticks, 2), textOf(order.lots, 3)]
        const known = orders[of % Math.max(1, orders.length)]
        if (what === 'begin') {
          const begun = orderOf({ ladder: market, level: `${index}`, side, role, price, amount })
          orders.push(begun)
          beginOrder(state, undefined, begun)
        } else if (what === 'move') {
          const [quote] = Object.values(state.quotes)
          if (quote) Object.assign(quote, { bid: 100 * of + 1, ask: 100 * of + 2 })
          own.holdings['both']!.position = textOf(order.lots, 3)
        } else if (known && known.status !== 'ended') {
          if (what === 'fill') {
            known.filled = known.amount
            noteChange(state, known)
          } else endOrder(state, undefined, known)
        }
        if (index % (every + 1) > 0) continue
        const fresh = { ...state, orders: { ...state.orders } }
        const [kept, anew] = [state, fresh].map((each) => keptExact.read(each, strategy))
        const near = keptNear.read(state, strategy)
        for (const [market, exposure] of anew!) {
          for (const side of ['buy', 'sell'] as const)
            for (const measure of [mostMoney, mostAmount]) {
              const value = measure(exact, exposure, side)
              expect(measure(exact, kept!.get(market)!, side).toFixed()).toBe(value.toFixed())
              const { value: about, error } = measure(bounded, near.get(market)!, side)
              expect(value.minus(about).abs().lte(error)).toBe(true)
            }
        }
        expect(worstLoss(exact, kept!)?.toFixed()).toBe(worstLoss(exact, anew!)?.toFixed())
      }
    }),
    runs(500, 20_000),
  )
})
