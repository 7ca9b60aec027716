import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginOrder } from '#src/engine/state/open-orders.ts'
import { approveOrders } from '#src/engine/risk/risk-gate.ts'
import type { Order } from '#src/engine/state/state.ts'
import { draftOf, orderOf, stateAtWork, strategy, strategyState } from '#test/engine/support/working-state.ts'
import {
  cents,
  inMoney,
  ladderOf,
  most,
  names,
  rounding,
  toMoney,
  worstOf,
  type Name,
} from '#test/properties/models/naive-gate.ts'
import { size, textOf, type ModelPosition } from '#test/properties/models/naive-position.ts'
import { runs } from './runs.ts'

const traders = ['work', 'twin'] as const
type Trader = (typeof traders)[number]
const symbols = { long: 'BTC_PERP', short: 'BTC_PERP', both: 'ETH_PERP' } as const
const caps = ['BTC_PERP', 'ETH_PERP', 'total'] as const
type Cap = (typeof caps)[number]

const offer = fc.record({
  market: fc.constantFrom(...names),
  buys: fc.boolean(),
  lots: fc.bigInt({ min: 1n, max: 2000n }),
  ticks: fc.bigInt({ min: 60_000n, max: 140_000n }),
})
const alive = fc.record({
  offer,
  of: fc.constantFrom(...traders),
  status: fc.constantFrom('sending' as const, 'resting' as const, 'doubtful' as const, 'ended' as const),
  filled: fc.bigInt({ min: 0n, max: 99n }),
})
const holding = fc.record({
  lots: fc.bigInt({ min: -3000n, max: 3000n }),
  ticks: fc.bigInt({ min: 60_000n, max: 140_000n }),
})
const held = fc.record({ long: holding, short: holding, both: holding })
const limit = fc.oneof(fc.bigInt({ min: 1n, max: 9000n }), fc.constant(1_000_000n))
const scenario = fc.record({
  alive: fc.array(alive, { maxLength: 5 }),
  held: fc.record({ work: held, twin: held }),
  isFlat: fc.boolean(),
  /** The submitting strategy and its orders, one round after the other. */
  rounds: fc.array(
    fc.record({
      of: fc.constantFrom(...traders),
      drafts: fc.array(offer, { minLength: 1, maxLength: 3 }),
      stopOnFail: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  limits: fc.record({ BTC_PERP: limit, ETH_PERP: limit, total: limit }),
  orders: fc.constantFrom<number[]>(2, 5, 100),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never
type Offer = Scenario['alive'][number]['offer']

function basicsOf({ market, buys, lots, ticks }: Offer, level: string) {
  const isBuy = market === 'both' ? buys : market === 'long'
  return {
    ladder: ladderOf[market],
    level,
    role: 'entry' as const,
    side: isBuy ? ('buy' as const) : ('sell' as const),
    price: textOf(ticks, 2),
    amount: textOf(lots, 3),
  }
}

const mine = (trader: Trader, level: string) => ({ strategy: trader, id: `${trader}.x.${level}.1` })

/** An account with both strategies active, and the positions of each. */
function accountOf({ alive, held, isFlat, limits, orders }: Scenario) {
  const state = stateAtWork()
  const { text } = state.strategies['work']!
  state.strategies['twin'] = { ...strategyState(), text: text.replace('name: work', 'name: twin') }
  state.venue.limits = {
    max_notional: Object.fromEntries(caps.map((cap) => [cap, String(limits[cap])])),
    max_open_orders: orders,
  }
  for (const [index, { offer, of, status, filled }] of alive.entries()) {
    const level = `a${index}`
    const more = { ...mine(of, level), status, filled: textOf((offer.lots * filled) / 100n, 3) }
    const order = orderOf(basicsOf(offer, level), more)
    state.orders[order.id] = order
  }
  const positionsOf = (trader: Trader) => {
    const positionIn = (name: Name): ModelPosition => {
      const { ticks, lots: some } = held[trader][name]
      const lots = isFlat ? 0n : name === 'both' ? some : name === 'long' ? size(some) : -size(some)
      const cost = lots * ticks * toMoney
      Object.assign(state.strategies[trader]!.holdings[name]!, {
        position: textOf(lots, 3),
        cost: textOf(cost, 24),
      })
      return { lots, cost, realized: 0n }
    }
    return { long: positionIn('long'), short: positionIn('short'), both: positionIn('both') }
  }
  return { state, positions: { work: positionsOf('work'), twin: positionsOf('twin') } }
}

/** For each cap, the worst of all fills of each strategy separately: a gain of one does not help the other. */
function worstTogether(
  orders: readonly Order[],
  positions: Record<Trader, Record<Name, ModelPosition>>,
  draft?: Order,
): Record<Cap, bigint> {
  const worst = { BTC_PERP: 0n, ETH_PERP: 0n, total: 0n }
  for (const trader of traders) {
    const own = orders.filter((order) => order.strategy === trader)
    const { long, short } = worstOf(own, positions[trader], -30)
    for (const name of names) {
      const isMeasured = draft?.strategy === trader && draft.ladder === ladderOf[name]
      const money = isMeasured ? (draft.side === 'buy' ? long : short)[name] : most(long[name], short[name])
      worst[symbols[name]] += money
      worst.total += money
    }
  }
  return worst
}

test('after any fills of the orders of two strategies the account limits hold', () => {
  const reported = new Map<string, number>()
  fc.assert(
    fc.property(scenario, (given) => {
      const { state, positions } = accountOf(given)
      const { limits } = given
      const orders = Object.values(state.orders).filter(({ status }) => status !== 'ended')
      for (const [round, { of, drafts: offers, stopOnFail }] of given.rounds.entries()) {
        const drafts = offers.map((offer, index) => {
          const level = `r${round}d${index}`
          return draftOf(basicsOf(offer, level), mine(of, level))
        })
        const before = worstTogether(orders, positions)
        const openBefore = orders.length
        const { approved, blocked } = approveOrders(state, { ...strategy, name: of }, drafts, { stopOnFail })
        const first = approveOrders(state, { ...strategy, name: of }, drafts, { stopOnFail, most: 2 })
        expect(first.approved).toEqual(approved.slice(0, 2))
        // The words are those of the state that was judged.
        const told = blocked.map(({ draft, words }) => ({ draft, why: words().why }))
        const ahead = [...orders]
        for (const draft of approved) {
          const order = orderOf(draft, draft)
          order.status = 'doubtful'
          orders.push(order)
          beginOrder(state, undefined, order)
        }
        const worst = worstTogether(orders, positions)
        for (const cap of caps)
          expect(worst[cap] <= most(inMoney(limits[cap]), before[cap]) + rounding, cap).toBe(true)
        expect(orders.length).toBeLessThanOrEqual(Math.max(given.orders, openBefore))
        for (const { draft, why } of told) {
          const [, what = '', cap = ''] = /^account (\S+) (\S+)/.exec(why) ?? []
          reported.set(`${what} ${what === 'max_notional' ? cap : ''}`, (reported.get(what) ?? 0) + 1)
          const sent = approved.filter(({ level }) => level < draft.level)
          const all = [...ahead, ...sent.map((each) => orderOf(each, each)), orderOf(draft, draft)]
          if (what === 'max_open_orders') expect(all.length).toBeGreaterThan(given.orders)
          const known = caps.find((each) => each === cap)
          if (!known || !given.isFlat) continue
          const found = worstTogether(all, positions, orderOf(draft, draft))[known]
          expect(why).toContain(` ${limits[known]} would be ${cents(found)} with this order`)
          expect(found > inMoney(limits[known])).toBe(true)
        }
      }
    }),
    runs(500, 20_000),
  )
  expect([...reported.keys()].filter((what) => what.startsWith('max')).toSorted()).toEqual([
    'max_notional BTC_PERP',
    'max_notional ETH_PERP',
    'max_notional total',
    'max_open_orders ',
  ])
})
