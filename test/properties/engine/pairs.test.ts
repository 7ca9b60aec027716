import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyProgress } from '#src/engine/holdings/holdings.ts'
import { pairsOf } from '#src/engine/holdings/pair-matching.ts'
import { resultPartsOf, rungPairsOf } from '#src/engine/holdings/pair-sums.ts'
import type { ClosedBy } from '#src/engine/holdings/pairs.ts'
import type { Order, StrategyState } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { now, orderOf, strategyState } from '#test/engine/support/working-state.ts'
import { runs } from '#test/properties/runs.ts'

type Fill = {
  ladder: 'grid' | 'other'
  level: string
  generation: number
  role: 'entry' | 'exit'
  side: 'buy' | 'sell'
  thousandths: number
  price: number
  /** In millionths, negative for a rebate. */
  fee: number
}

/** The engine's state after these fills, each reported as progress of its order, with a snapshot after each. */
function booked(fills: readonly (Fill & { deal?: number })[], closedBy: ClosedBy): StrategyState {
  let own = strategyState()
  const orders = new Map<string, Order>()
  for (const { thousandths, price, fee, deal, ...about } of fills) {
    own = JSON.parse(JSON.stringify(own))
    const key = `${about.ladder}.${about.level}.${about.generation}.${about.side}`
    const order = orders.get(key) ?? orderOf({ ...about, price: '1', amount: '9' }, about)
    orders.set(key, order)
    const amount = new Decimal(thousandths).div(1000)
    const progress = {
      venueId: key,
      filled: amount.plus(order.filled).toFixed(),
      money: amount.times(price).plus(order.money).toFixed(),
      fee: new Decimal(fee).div(1e6).plus(order.fee).toFixed(),
      ended: false,
      ...(deal !== undefined && { dealtAt: now - 1000, deal }),
    }
    applyProgress(own, order, progress, { market: 'both', at: now, closedBy })
  }
  return own
}

const fill = fc.record({
  ladder: fc.constantFrom('grid' as const, 'other' as const),
  level: fc.constantFrom('b1', 'b2', 's1', 's2'),
  generation: fc.integer({ min: 1, max: 2 }),
  exit: fc.constantFrom(null, null, 'm', 'st', 't1'),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  thousandths: fc.integer({ min: 1, max: 20 }),
  price: fc.integer({ min: 1, max: 99_999 }),
  fee: fc.integer({ min: -500, max: 5000 }),
})
const fills = fc.array(
  fill.map(({ exit, level, ...rest }): Fill => {
    const side = level.startsWith('b') ? ('buy' as const) : ('sell' as const)
    if (exit === null) return Object.assign(rest, { level, role: 'entry' as const, side })
    return Object.assign(rest, { level: exit === 'm' ? `m${level}` : exit, role: 'exit' as const })
  }),
  { minLength: 1, maxLength: 24 },
)
const closedBys = fc.constantFrom<ClosedBy>('mirrors', 'exits', 'entries')
const priceOfNow = fc.integer({ min: 1, max: 99_999 })

test('grid profit and floating result add up to the result, to the last digit', () => {
  fc.assert(
    fc.property(fills, closedBys, priceOfNow, (given, closedBy, price) => {
      const own = booked(given, closedBy)
      const money = given.reduce((sum, { side, thousandths, price: at, fee }) => {
        const paid = new Decimal(thousandths).div(1000).times(at)
        return (side === 'sell' ? sum.plus(paid) : sum.minus(paid)).minus(new Decimal(fee).div(1e6))
      }, new Decimal(0))
      const position = new Decimal(own.holdings['both']!.position)
      own.worth.result = money.plus(position.times(price)).toFixed()
      const { gridProfit, floating, earlier } = resultPartsOf(own)
      expect(earlier).toBe('0')
      const rungs = [...rungPairsOf(pairsOf(own.holdings['both']!), new Decimal(price)).values()]
      const sum = (of: (rung: (typeof rungs)[number]) => string | null) =>
        rungs.reduce((total, rung) => total.plus(of(rung) ?? NaN), new Decimal(0)).toFixed()
      expect(sum(({ profit }) => profit)).toBe(gridProfit)
      expect(sum((rung) => rung.floating)).toBe(floating)
      expect(sum(({ open }) => open)).toBe(position.toFixed())
      expect(new Decimal(gridProfit).plus(floating).toFixed()).toBe(own.worth.result)
    }),
    runs(300, 10_000),
  )
})

/** The fills of one order stay in their order. */
const keyOf = ({ ladder, level, generation, side }: Fill) => `${ladder}.${level}.${generation}.${side}`

test('late deals are matched in the order in which they were made', () => {
  fc.assert(
    fc.property(
      fills,
      closedBys,
      fc.array(fc.nat(), { minLength: 24, maxLength: 24 }),
      (given, by, chance) => {
        const inOrder = given.map((each, deal) => ({ ...each, deal }))
        const turns = inOrder.map((each, index) => ({ key: keyOf(each), at: chance[index] ?? 0 }))
        const left = [...inOrder]
        const reported = turns
          .toSorted((a, b) => a.at - b.at)
          .map(
            ({ key }) =>
              left.splice(
                left.findIndex((each) => keyOf(each) === key),
                1,
              )[0]!,
          )
        const pairs = (some: typeof inOrder) => pairsOf(booked(some, by).holdings['both']!)
        expect(pairs(reported)).toEqual(pairs(inOrder))
      },
    ),
    runs(200, 5000),
  )
})

type Rung = { amount: Decimal; cost: Decimal; profit: Decimal }

/**
 * The rule of the documents as plain sums: each rung at its average, a mirror closes its rung, other exits close the
 * oldest rung first.
 */
function matched(given: readonly Fill[]): Map<string, Rung> {
  const rungs = new Map<string, Rung>()
  const queue: string[] = []
  for (const { role, level, thousandths, price, fee, side } of given) {
    const sign = side === 'buy' ? 1 : -1
    const amount = new Decimal(thousandths).div(1000)
    const cost = amount.times(price).times(sign).plus(new Decimal(fee).div(1e6))
    if (role === 'entry') {
      const rung = rungs.get(level) ?? {
        amount: new Decimal(0),
        cost: new Decimal(0),
        profit: new Decimal(0),
      }
      rungs.set(level, rung)
      if (rung.amount.isZero()) queue.push(level)
      rung.amount = rung.amount.plus(amount)
      rung.cost = rung.cost.plus(cost)
      continue
    }
    let left = amount
    for (const name of level.startsWith('m') ? [level.slice(1)] : [...queue]) {
      const rung = rungs.get(name)!
      const part = Decimal.min(left, rung.amount)
      if (part.isZero()) continue
      const own = rung.cost.times(part).div(rung.amount)
      rung.profit = rung.profit.minus(own).minus(cost.times(part).div(amount))
      rung.amount = rung.amount.minus(part)
      rung.cost = rung.cost.minus(own)
      left = left.minus(part)
      if (rung.amount.isZero()) queue.splice(queue.indexOf(name), 1)
    }
  }
  return rungs
}

/** A ladder that buys, or one that sells first: entries, mirrors of at most the open amount, and stops. */
const orderly = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.record({
        what: fc.constantFrom('entry', 'entry', 'mirror', 'stop'),
        level: fc.constantFrom('1', '2', '3'),
        thousandths: fc.integer({ min: 1, max: 20 }),
        price: fc.integer({ min: 1, max: 99_999 }),
        fee: fc.integer({ min: 0, max: 5000 }),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  )
  .map(([buys, steps]) => {
    const open = new Map<string, number>()
    return steps.flatMap(({ what, level, thousandths: wanted, price, fee }, index): Fill[] => {
      const there = [...open.values()].reduce((sum, each) => sum + each, 0)
      const most = what === 'entry' ? wanted : what === 'stop' ? there : (open.get(level) ?? 0)
      const thousandths = Math.min(wanted, most)
      if (thousandths === 0) return []
      let left = thousandths
      if (what === 'entry') open.set(level, (open.get(level) ?? 0) + thousandths)
      else
        for (const name of what === 'stop' ? [...open.keys()] : [level]) {
          const part = Math.min(left, open.get(name) ?? 0)
          open.set(name, (open.get(name) ?? 0) - part)
          left -= part
          if (open.get(name) === 0) open.delete(name)
        }
      const side = (what === 'entry') === buys ? ('buy' as const) : ('sell' as const)
      const about = { ladder: 'grid' as const, generation: index, thousandths, price, fee, side }
      if (what === 'entry') return [{ ...about, level, role: 'entry' }]
      return [{ ...about, level: what === 'stop' ? 'st' : `m${level}`, role: 'exit' }]
    })
  })

test('each rung has the pairs, the profit and the open amount of a plain sum', () => {
  fc.assert(
    fc.property(orderly, (given) => {
      fc.pre(given.length > 0)
      const holding = booked(given, 'mirrors').holdings['both']!
      const found = rungPairsOf(pairsOf(holding), new Decimal(0))
      const expected = matched(given)
      expect([...found.values()].map(({ level }) => level).toSorted()).toEqual(
        [...expected.keys()].toSorted(),
      )
      for (const [level, { amount, cost, profit }] of expected) {
        const rung = found.get(`grid.${level}`)!
        expect(new Decimal(rung.open).abs().toFixed()).toBe(amount.toFixed())
        expect(Math.abs(Number(profit.minus(rung.profit)))).toBeLessThan(1e-12)
        expect(Math.abs(Number(cost.plus(rung.floating!)))).toBeLessThan(1e-12)
      }
    }),
    runs(300, 10_000),
  )
})
