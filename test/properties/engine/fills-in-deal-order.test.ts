import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyProgress } from '#src/engine/holdings/holdings.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { now, orderOf, strategyState } from '#test/engine/support/working-state.ts'
import { runs } from '#test/properties/runs.ts'

/** A fill of a few thousandths; several may belong to one order, and several have the same time. */
const deal = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  order: fc.nat(5),
  thousandths: fc.integer({ min: 1, max: 20 }),
  price: fc.integer({ min: 1, max: 99_999 }),
  atMs: fc.nat(600),
})
type Deal = typeof deal extends fc.Arbitrary<infer Value> ? Value & { id: number } : never

/** Position, average entry and profit by the definition of the average cost in docs/strategy-reference.md. */
function averageCost(deals: readonly Deal[]) {
  let [position, entry, realized] = [new Decimal(0), new Decimal(0), new Decimal(0)]
  for (const { side, thousandths, price } of deals) {
    const amount = new Decimal(side === 'buy' ? thousandths : -thousandths).div(1000)
    const closed =
      position.isPositive() === amount.isPositive()
        ? new Decimal(0)
        : Decimal.min(position.abs(), amount.abs())
    realized = realized.plus(closed.times(entry.minus(price)).times(amount.isPositive() ? 1 : -1))
    const opened = amount.abs().minus(closed)
    const kept = position.abs().minus(closed)
    if (!opened.isZero()) entry = kept.times(entry).plus(opened.times(price)).div(kept.plus(opened))
    position = position.plus(amount)
  }
  return { position, entry: position.isZero() ? null : entry, realized }
}

/** The holdings of the engine after it has received the deals in this order. */
function booked(reported: readonly Deal[]) {
  let own = strategyState()
  const orders = new Map<string, { order: ReturnType<typeof orderOf>; filled: Decimal; money: Decimal }>()
  for (const { id, side, order: number, thousandths, price, atMs } of reported) {
    // A snapshot between any two of them.
    own = JSON.parse(JSON.stringify(own))
    const key = `${side}${number}`
    const about = {
      ladder: number % 2 === 0 ? 'grid' : 'other',
      level: key,
      side,
      role: 'entry',
      price: '1',
      amount: '9',
    } as const
    const known = orders.get(key) ?? { order: orderOf(about), filled: new Decimal(0), money: new Decimal(0) }
    known.filled = known.filled.plus(new Decimal(thousandths).div(1000))
    known.money = known.money.plus(new Decimal(thousandths).div(1000).times(price))
    orders.set(key, known)
    const progress = {
      venueId: key,
      filled: known.filled.toFixed(),
      money: known.money.toFixed(),
      fee: '0',
      ended: false,
    }
    applyProgress(
      own,
      known.order,
      { ...progress, dealtAt: now - 1000 + atMs, deal: id },
      { market: 'both', at: now },
    )
  }
  const { position, cost, entry, realized } = own.holdings['both']!
  return { holding: { position, cost, entry, realized }, ladder: own.ladders['grid'] }
}

const deals = fc
  .array(deal, { minLength: 1, maxLength: 12 })
  .map((some) =>
    some.map((each, id) => Object.assign({ id }, each)).sort((a, b) => a.atMs - b.atMs || a.id - b.id),
  )

/** The fills of one order arrive in order, as growing sums; the numbers give the place of each deal. */
function shuffled(inOrder: readonly Deal[], numbers: readonly number[]): Deal[] {
  const keyOf = ({ side, order }: Deal) => `${side}${order}`
  const places = inOrder.map((each, index) => ({ key: keyOf(each), at: numbers[index] ?? 0 }))
  const sorted = places.toSorted((a, b) => a.at - b.at)
  const rest = [...inOrder]
  return sorted.map(
    ({ key }) =>
      rest.splice(
        rest.findIndex((each) => keyOf(each) === key),
        1,
      )[0]!,
  )
}

function expectSame(
  { position, entry }: { position: string; entry: string | null },
  expected: ReturnType<typeof averageCost>,
): void {
  expect(position).toBe(expected.position.toFixed())
  expect(entry === null).toBe(expected.entry === null)
  if (entry !== null) expect(Math.abs(Number(expected.entry?.minus(entry)))).toBeLessThan(1e-12)
}

test('fills give the same result, at the average cost, in any order of arrival', () => {
  fc.assert(
    fc.property(deals, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (inOrder, numbers) => {
      const { holding, ladder } = booked(shuffled(inOrder, numbers))
      expect({ holding, ladder }).toEqual(booked(inOrder))
      const expected = averageCost(inOrder)
      expectSame(holding, expected)
      expect(Math.abs(Number(expected.realized.minus(holding.realized)))).toBeLessThan(1e-12)
      if (ladder)
        expectSame(ladder.held, averageCost(inOrder.filter(({ order: number }) => number % 2 === 0)))
    }),
    runs(300, 10_000),
  )
})
