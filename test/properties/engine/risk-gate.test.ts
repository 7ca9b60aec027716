import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OrderDraft } from '#src/engine/commands.ts'
import { approveOrders, isWithin, measuresOf, tallyOf } from '#src/engine/risk/risk-gate.ts'
import { tallyAfter } from '#src/engine/risk/gate-sums.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import { decimal, Decimal } from '#src/core/money/decimal.ts'
import { draftOf, orderOf, stateAtWork, strategy } from '#test/engine/support/working-state.ts'
import {
  cents,
  entered,
  inMoney,
  ladderOf,
  laddersIn,
  most,
  names,
  rounding,
  toMoney,
  worstOf,
  type GateFacts,
  type Name,
  type TickRange,
} from '#test/properties/models/naive-gate.ts'
import { size, textOf, type ModelPosition } from '#test/properties/models/naive-position.ts'
import { runs } from '#test/properties/runs.ts'

const offer = fc.record({
  market: fc.constantFrom(...names),
  buys: fc.boolean(),
  lots: fc.bigInt({ min: 1n, max: 2000n }),
  ticks: fc.bigInt({ min: 60_000n, max: 140_000n }),
})
type Offer = typeof offer extends fc.Arbitrary<infer Value> ? Value : never

const alive = fc.record({
  offer,
  role: fc.constantFrom('entry' as const, 'exit' as const),
  status: fc.constantFrom('sending' as const, 'resting' as const, 'doubtful' as const, 'ended' as const),
  /** Filled part, in percent of its lots. */
  filled: fc.bigInt({ min: 0n, max: 99n }),
})
const holding = fc.record({
  lots: fc.bigInt({ min: -3000n, max: 3000n }),
  ticks: fc.bigInt({ min: 60_000n, max: 140_000n }),
})
/** Tight, or out of reach. */
const limit = fc.oneof(fc.bigInt({ min: 1n, max: 8000n }), fc.constant(1_000_000n))
const scenario = fc.record({
  alive: fc.array(alive, { maxLength: 6 }),
  drafts: fc.array(offer, { minLength: 1, maxLength: 6 }),
  held: fc.record({ long: holding, short: holding, both: holding }),
  isFlat: fc.boolean(),
  stopOnFail: fc.boolean(),
  block: fc.constantFrom('level' as const),
  limits: fc.record({
    long: limit,
    short: limit,
    both: limit,
    total: limit,
    net: limit,
    position: fc.oneof(fc.bigInt({ min: 1n, max: 6000n }), fc.constant(1_000_000n)),
    loss: limit,
    week: limit,
    orders: fc.constantFrom<number[]>(1, 3, 6, 100),
    rate: fc.constantFrom<number[]>(1, 3, 100),
  }),
  move: fc.constantFrom(-30, 25, -1),
  range: fc.constantFrom<TickRange>(
    null,
    { from: 90_000n, to: 110_000n },
    { from: 101_000n, to: 120_000n },
    { from: 70_000n, to: 99_000n },
  ),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never

/** In hedge mode an entry has the direction of its side; the other direction closes. */
function basicsOf({ market, buys, lots, ticks }: Offer, level: string, role: 'entry' | 'exit') {
  const opens = market === 'both' ? buys : market === 'long'
  const isBuy = role === 'entry' ? opens : market === 'both' ? buys : !opens
  return {
    ladder: ladderOf[market],
    level,
    role,
    side: isBuy ? ('buy' as const) : ('sell' as const),
    price: textOf(ticks, 2),
    amount: textOf(lots, 3),
  }
}

function stateOf({ alive, held, isFlat }: Scenario): {
  state: State
  alive: Order[]
  held: Record<Name, ModelPosition>
} {
  const state = stateAtWork()
  const orders = alive.map(({ offer, role, status, filled }, index) =>
    orderOf(basicsOf(offer, `a${index}`, role), {
      status,
      filled: textOf((offer.lots * filled) / 100n, 3),
    }),
  )
  for (const order of orders) state.orders[order.id] = order
  const positionIn = (name: Name): ModelPosition => {
    const { ticks } = held[name]
    let { lots } = held[name]
    if (isFlat) lots = 0n
    else if (name === 'long') lots = size(lots)
    else if (name === 'short') lots = -size(lots)
    const position = { lots, cost: lots * ticks * toMoney, realized: 0n }
    const own = state.strategies['work']!.holdings[name]!
    own.position = textOf(lots, 3)
    own.cost = textOf(position.cost, 24)
    return position
  }
  const positions = { long: positionIn('long'), short: positionIn('short'), both: positionIn('both') }
  return { state, alive: orders.filter(({ status }) => status !== 'ended'), held: positions }
}

function money(value: bigint): Decimal {
  return decimal(String(value))
}

function strategyWith({ limits, move, block, range }: Scenario): typeof strategy {
  return {
    ...strategy,
    ladder: range === null ? strategy.ladder : laddersIn(strategy.ladder, range),
    risk: {
      ...strategy.risk,
      max_notional: {
        long: money(limits.long),
        short: money(limits.short),
        both: money(limits.both),
        total: money(limits.total),
        net: money(limits.net),
      },
      max_position: { both: new Decimal(textOf(limits.position, 3)) },
      max_open_orders: limits.orders,
      order_rate: { orders: limits.rate, per: 1000 },
      worst_case: { move: [new Decimal(move).div(100)], max_loss: money(limits.loss) },
      per_week: money(limits.week),
      in_doubt: { ...strategy.risk.in_doubt, block },
    },
  }
}

test('after any fills of approved orders no limit is broken', () => {
  fc.assert(
    fc.property(scenario, (given) => {
      const [{ state, alive, held }, { limits }] = [stateOf(given), given]
      const drafts = given.drafts.map((each, index) => draftOf(basicsOf(each, `d${index}`, 'entry')))
      const { approved, blocked } = approveOrders(state, strategyWith(given), drafts, given)
      const few = { ...given, most: (drafts.length % 4) + 1 }
      const first = approveOrders(state, strategyWith(given), drafts, few)
      expect(first.approved).toEqual(approved.slice(0, few.most))
      const judged = [...approved, ...blocked.map(({ draft }) => draft)]
      expect(judged.toSorted(byId)).toEqual(drafts.toSorted(byId))
      const before = worstOf(alive, held, given.move, given.range)
      const worst = worstOf([...alive, ...approved], held, given.move, given.range)
      // A limit that was broken before is at least not exceeded further.
      const holds = (of: (facts: GateFacts) => bigint, limit: bigint, what: string) =>
        expect(of(worst) <= most(inMoney(limit), of(before)) + rounding, what).toBe(true)
      for (const name of names)
        holds((facts) => most(facts.long[name], facts.short[name]), limits[name], name)
      expect(worst.bought <= most(limits.position, before.bought)).toBe(true)
      expect(worst.sold <= most(limits.position, before.sold)).toBe(true)
      holds(({ total }) => total, limits.total, 'total')
      holds(({ netLong }) => netLong, limits.net, 'net long')
      holds(({ netShort }) => netShort, limits.net, 'net short')
      holds(({ loss }) => loss, limits.loss, 'worst case')
      if (approved.length === 0) return
      expect(alive.length + approved.length).toBeLessThanOrEqual(limits.orders)
      expect(approved.length).toBeLessThanOrEqual(limits.rate)
      expect(entered([...alive, ...approved]) <= inMoney(limits.week)).toBe(true)
    }),
    runs(1000, 30_000),
  )
})

test('a blocked order would break the named limit, by the stated amount', () => {
  fc.assert(
    fc.property(scenario, (given) => {
      const flat = { ...given, isFlat: true }
      const { state, alive, held } = stateOf(flat)
      const made = flat.drafts.map((each, index) => draftOf(basicsOf(each, `d${index}`, 'entry')))
      const drafts = made.map((each) => Object.assign(each, { postOnly: true }))
      const { approved, blocked } = approveOrders(state, strategyWith(flat), drafts, flat)
      for (const { draft, why, change } of blocked.map(({ words, ...each }) => ({ ...each, ...words() }))) {
        const before = approved.filter(({ level }) => level < draft.level)
        const first = blocked.find((other) => other.draft.ladder === draft.ladder)
        if (flat.stopOnFail && first?.draft !== draft) {
          expect(why).toBe(`it waits for level ${first?.draft.level} before it: ${first?.words().why}`)
          continue
        }
        const all = [...alive, ...before, draft]
        const worst = worstOf(all, held, flat.move, flat.range)
        const [what = '', which = ''] = why.split(' ')
        // An order is measured on the side that it increases.
        const own = draft.side === 'buy' ? worst.long : worst.short
        const total = names.reduce(
          (sum, name) =>
            sum + (ladderOf[name] === draft.ladder ? own[name] : most(worst.long[name], worst.short[name])),
          0n,
        )
        const of: Record<string, { found: bigint; most: bigint }> = {
          'max_notional long': { found: own.long, most: flat.limits.long },
          'max_notional short': { found: own.short, most: flat.limits.short },
          'max_notional both': { found: own.both, most: flat.limits.both },
          'max_notional total': { found: total, most: flat.limits.total },
          'max_notional net': {
            found: draft.side === 'buy' ? worst.netLong : worst.netShort,
            most: flat.limits.net,
          },
          'worst_case max_loss': { found: worst.loss, most: flat.limits.loss },
          per_week: { found: entered(all), most: flat.limits.week },
        }
        const broken = of[what === 'per_week' ? what : `${what} ${which}`]
        if (broken) {
          const { found } = broken
          const limit = inMoney(broken.most)
          expect(why).toContain(` ${broken.most} would be ${cents(found)} with this order`)
          expect(change).toBe(`${cents(found - limit)} less is within the limit`)
          expect(found > limit).toBe(true)
        } else if (what === 'max_position') {
          expect(why).toContain(
            ` would be ${new Decimal(textOf(draft.side === 'buy' ? worst.bought : worst.sold, 3)).toFixed()} `,
          )
          expect((draft.side === 'buy' ? worst.bought : worst.sold) > flat.limits.position).toBe(true)
        } else if (what === 'max_open_orders') expect(all.length).toBeGreaterThan(flat.limits.orders)
        else {
          expect(what).toBe('order_rate')
          expect(before.length).toBe(flat.limits.rate)
        }
      }
    }),
    runs(500, 20_000),
  )
})

const onlyOne = fc.record({
  of: fc.constantFrom(
    ...(['long', 'short', 'both', 'total', 'net', 'position', 'loss', 'week', 'day', 'none'] as const),
  ),
  limit: fc.oneof(fc.bigInt({ min: 1n, max: 4000n }), fc.bigInt({ min: 1n, max: 16_000n })),
  isUnpriced: fc.constantFrom(true, false, false, false),
  isPaused: fc.constantFrom(true, false, false, false),
  /** In hundredths of a percent. */
  band: fc.integer({ min: 1, max: 8000 }),
  spent: fc.bigInt({ min: 0n, max: 4000n }),
  lost: fc.integer({ min: -100, max: 8000 }),
  open: fc.integer({ min: 1, max: 12 }),
  sent: fc.integer({ min: 0, max: 6 }),
  minTotal: fc.constantFrom('0.01', '700'),
  age: fc.constantFrom(0, 59_000, 61_000),
})

test('doubles never contradict all the digits, and mostly decide', () => {
  const decided = new Map<string, { doubts: number; yes: number; no: number }>()
  fc.assert(
    fc.property(scenario, onlyOne, (given, one) => {
      const loose = Object.fromEntries(Object.keys(given.limits).map((name) => [name, 1_000_000n]))
      const limits = { ...given.limits, ...loose, [one.of]: one.limit, orders: one.open, rate: 6 }
      const alive = given.alive.filter(({ status }) => status !== 'doubtful')
      const { state } = stateOf({ ...given, alive })
      const work = state.strategies['work']!
      work.spent = [{ at: state.at - 1, money: String(one.spent) }]
      work.sends = [{ at: state.at - 1, orders: one.sent }]
      if (one.isUnpriced) delete state.quotes['ETH_PERP']
      if (one.isPaused) work.pauses = { drawdown: 'it has lost much' }
      work.worth = { ...work.worth, dayBegan: '0', result: String(-one.lost) }
      for (const facts of Object.values(state.venue.markets)) facts.minTotal = one.minTotal
      for (const quote of Object.values(state.quotes)) quote.at -= one.age
      const risking = strategyWith({ ...given, limits })
      if (one.of === 'day') risking.risk.daily_loss = money(one.limit)
      if (one.of === 'none') risking.risk.price_band = new Decimal(one.band).div(10_000)
      const drafts = given.drafts.map((each, index) => draftOf(basicsOf(each, `d${index}`, 'entry')))
      let tally = tallyOf(state, risking)
      for (const draft of drafts) {
        const after = tallyAfter(tally, [draft])
        for (const measure of measuresOf(tally.near, draft)) {
          const near = isWithin(measure, tally.near, after.near)
          const exact = isWithin(measure, tally.exact, after.exact)
          expect(near ?? exact).toBe(exact)
          const known = decided.get(measure.name) ?? { doubts: 0, yes: 0, no: 0 }
          known[near === undefined ? 'doubts' : near ? 'yes' : 'no'] += 1
          decided.set(measure.name, known)
        }
        tally = after
      }
    }),
    runs(6000, 30_000, 1000),
  )
  expect(decided.size).toBe(7)
  for (const [name, { doubts, yes, no }] of decided)
    expect(Math.min(yes, no) > 20 && doubts < yes + no, name).toBe(true)
})

function byId(a: OrderDraft, b: OrderDraft): number {
  return a.id < b.id ? -1 : 1
}
