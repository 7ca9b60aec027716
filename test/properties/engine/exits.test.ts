import fc from 'fast-check'
import { expect, test } from 'vitest'
import { levelOf } from '#src/strategy/schema/exit-labels.ts'
import { touches } from '#src/engine/exits/exits.ts'
import { approveOrders } from '#src/engine/risk/risk-gate.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { Order } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { draftOf, strategy } from '#test/engine/support/working-state.ts'
import { ExitBench, units } from '#test/engine/support/exit-harness.ts'
import type { ExitFile } from '#src/strategy/schema/exit-schema.ts'
import { size, textOf, unitsOf } from '#test/properties/models/naive-position.ts'
import { runs } from '#test/properties/runs.ts'

/** Here ratios are in hundredths of a percent, lots in thousandths, ticks in hundredths. */
const ratio = (tenThousandths: number) => new Decimal(tenThousandths).div(10_000)
const small = fc.integer({ min: 0, max: 600 })
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const tp = fc.record({
  pct: small,
  gap: small,
  split: fc.constantFrom([100], [50, 50], [50, 30, 20], [1, 98, 1]),
  mode: fc.constantFrom('resting' as const, 'on_touch_ioc' as const),
})
const closing = fc.record({
  tp: optional(tp),
  stop: optional(small),
  trail: optional(fc.record({ activate: small, retrace: small })),
  isOld: fc.boolean(),
})

const step = fc.record({
  /** Moves of the price, in ticks. */
  move: fc.integer({ min: -3000, max: 3000 }),
  entry: optional(
    fc.record({
      lots: fc.integer({ min: 1, max: 900 }),
      filled: fc.integer({ min: 0, max: 100 }),
      /** The remainder rests, and the venue treats it like an exit. */
      rests: fc.boolean(),
    }),
  ),
  /** What the venue does with each open exit: fills this percentage of it, and ends it or not. */
  venue: fc.array(
    fc.record({
      filled: fc.integer({ min: 0, max: 100 }),
      ends: fc.boolean(),
      inDoubt: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
})
const steps = fc.array(step, { minLength: 1, maxLength: 25 })
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function exitOf({
  tp,
  stop,
  trail,
  isOld,
}: typeof closing extends fc.Arbitrary<infer Value> ? Value : never): ExitFile {
  const file: ExitFile = {}
  if (tp) {
    const split = tp.split.map((part) => new Decimal(part).div(100))
    file.tp = { from: 'avg_entry', pct: ratio(tp.pct), gap: ratio(tp.gap), split, mode: tp.mode }
  }
  if (stop !== undefined) file.stop = { from: 'avg_entry', pct: ratio(stop), mode: 'on_touch_ioc' }
  if (trail) file.trail = { activate: units(trail.activate / 100), retrace: units(trail.retrace / 100) }
  if (isOld) file.max_age = 8
  return file
}

const lotsOf = (text: string) => unitsOf(text, 3)
const leftIn = ({ amount, filled }: Order) => lotsOf(amount) - lotsOf(filled)

function aliveExits({ state }: ExitBench): Order[] {
  return Object.values(state.orders).filter(({ role, status }) => role === 'exit' && status !== 'ended')
}

/** The market moves, entries fill, exits are placed, and the venue handles them at random. */
function walk(
  bench: ExitBench,
  steps: readonly Step[],
  check: (drafts: readonly OrderDraft[]) => void,
): void {
  let ticks = 100_000
  for (const [index, { move, entry, venue }] of steps.entries()) {
    ticks = Math.max(50_000, ticks + move)
    const quote = bench.quote(ticks / 100, (ticks + 1) / 100)
    const isTouched = touches(bench.own, quote)
    const drafts = bench.exits().drafts
    // A quote that reaches no exit price causes no exit; only the age exit needs no quote.
    if (!isTouched) expect(drafts.filter(({ ioc, level }) => ioc && level !== 'ag')).toEqual([])
    check(drafts)
    const { blocked } = approveOrders(bench.state, strategy, drafts)
    expect(blocked).toEqual([])
    for (const draft of drafts) bench.place(draft)
    check([])
    const alive = Object.values(bench.state.orders).filter(({ status }) => status !== 'ended')
    for (const [place, order] of alive.entries()) {
      const { filled, ends, inDoubt } = venue[place % venue.length]!
      const more = (leftIn(order) * BigInt(filled)) / 100n
      bench.fill(order, textOf(lotsOf(order.filled) + more, 3), ends || leftIn(order) === more)
      if (order.status !== 'ended' && inDoubt) order.status = 'doubtful'
    }
    check([])
    if (entry) enter(bench, `${index}`, entry)
    // Asking after every event leaves no exit that a later quote could find reached already.
    for (const draft of bench.exits().drafts) bench.place(draft)
    check([])
  }
}

function enter(bench: ExitBench, level: string, { lots, filled, rests }: NonNullable<Step['entry']>): void {
  const isBuy = bench.ladder.name === 'dip' || (bench.ladder.name === 'grid' && Number(level) % 2 === 0)
  const { bid, ask } = bench.state.quotes[bench.ladder.symbol]!
  const basics = {
    ladder: bench.ladder.name,
    level,
    role: 'entry',
    side: isBuy ? 'buy' : 'sell',
    price: textOf(BigInt(Math.round((isBuy ? bid! : ask!) * 100)), 2),
    amount: textOf(BigInt(lots), 3),
  } as const
  const order = bench.place(draftOf(basics))
  bench.fill(order, textOf(BigInt(Math.floor((lots * filled) / 100)), 3), !rests || filled === 100)
}

test('exits never offer more than the position, whatever fills, ends or has an unknown outcome', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('dip' as const, 'top' as const),
      closing,
      fc.boolean(),
      steps,
      (name, given, can, steps) => {
        const bench = new ExitBench(name, exitOf(given), can)
        bench.own.unit = '3.337'
        walk(bench, steps, (drafts) => {
          const held = lotsOf(bench.own.held.position)
          expect(name === 'dip' ? held >= 0n : held <= 0n).toBe(true)
          const alive = aliveExits(bench).reduce((sum, order) => sum + leftIn(order), 0n)
          const fresh = drafts.reduce((sum, { amount }) => sum + lotsOf(amount), 0n)
          expect(alive + fresh <= size(held)).toBe(true)
          for (const draft of drafts) expect(draft.side).toBe(name === 'dip' ? 'sell' : 'buy')
          expect(new Set(drafts.map(({ id }) => id)).size).toBe(drafts.length)
          for (const { id } of drafts) expect(bench.state.orders[id]).toBeUndefined()
        })
      },
    ),
    runs(200, 2500),
  )
})

test('a take profit is placed at the first tick that pays it, and at none before', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('dip' as const, 'top' as const),
      fc.integer({ min: 0, max: 600 }),
      fc.array(
        fc.record({
          lots: fc.bigInt({ min: 1n, max: 9999n }),
          ticks: fc.bigInt({ min: 1000n, max: 150_000n }),
        }),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
      (name, pct, entries) => {
        const bench = new ExitBench(
          name,
          exitOf({
            tp: { pct, gap: 0, split: [100], mode: 'on_touch_ioc' },
            isOld: false,
            stop: undefined,
            trail: undefined,
          }),
        )
        const isLong = name === 'dip'
        for (const { lots, ticks } of entries)
          bench.bought(isLong ? 'buy' : 'sell', textOf(lots, 3), textOf(ticks, 2))
        const lots = entries.reduce((sum, entry) => sum + entry.lots, 0n)
        const cost = entries.reduce((sum, entry) => sum + entry.lots * entry.ticks, 0n)
        const top = cost * BigInt(isLong ? 10_000 + pct : 10_000 - pct)
        const under = lots * 10_000n
        const target = isLong ? (top + under - 1n) / under : top / under
        const ask = (ticks: bigint) => bench.at(Number(ticks) / 100, Number(ticks) / 100)
        const side = isLong ? 'sell' : 'buy'
        expect(ask(isLong ? target - 1n : target + 1n)).toEqual([])
        // An amount below the market's minimum cannot be sold.
        if (lots * target < 1000n) return
        expect(touches(bench.own, bench.quote(Number(target) / 100, Number(target) / 100))).toBe(true)
        const price = new Decimal(textOf(target, 2)).toFixed()
        const amount = new Decimal(textOf(lots, 3)).toFixed()
        expect(ask(target)).toEqual([`t1 ${side} ${amount} at ${price} ioc`])
      },
    ),
    runs(500, 12_000),
  )
})

test('mirrors offer everything that entries filled, once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), steps, (mirror, steps) => {
      const bench = new ExitBench('grid', { mirror })
      bench.own.rungs = ['98000', '99000', '101000', '102000'].map((ticks, level) => ({
        level: String(level),
        side: level < 2 ? ('buy' as const) : ('sell' as const),
        price: textOf(BigInt(ticks), 2),
        amount: '1',
        order: null,
        held: null,
        wait: { count: 0, until: 0 },
      }))
      walk(bench, steps, () => {
        const { mirrors, carried } = bench.own.exits
        let offered = new Decimal(carried.amount)
        for (const [level, { side, amount, price }] of Object.entries(mirrors)) {
          offered = offered.plus(side === 'sell' ? amount : new Decimal(amount).neg())
          const order = bench.state.orders[bench.own.open[`m${level}`] ?? '']
          if (order) expect(leftIn(order) <= lotsOf(amount)).toBe(true)
          const entry = Object.values(bench.state.orders).find((order) => order.level === levelOf(level))!
          expect(
            side === 'sell' ? Number(price) > Number(entry.price) : Number(price) < Number(entry.price),
          ).toBe(true)
        }
        expect(offered.toFixed()).toBe(bench.own.held.position)
      })
    }),
    runs(200, 2500),
  )
})
