import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import type { Step } from '#src/engine/step-context.ts'
import {
  cancelsOf,
  Desk,
  fileOf,
  minute,
  restingGrid,
  submitsOf,
  trailingBuys,
} from '#test/engine/support/engine-harness.ts'

const sent = (step: Step) => submitsOf(step).flatMap(({ orders }) => orders.map(({ id }) => id))

/** A grid whose first line has filled, and whose process was killed before its exit was answered for. */
function killed(): Desk {
  const desk = restingGrid()
  expect(desk.fill('sgrid.grid.b1.1').commands).not.toEqual([])
  desk.at += 5 * minute
  return desk
}

/** What changes something at the venue. */
const acts = (step: Step) => step.commands.map(({ kind }) => kind).filter((kind) => kind !== 'look')

/** A quote and a candle of one minute at this price. */
function priced(desk: Desk, price: number): Step[] {
  return [desk.quote('BTC_USDT', price), desk.candle('BTC_USDT', '1m', price)]
}

/** Passes seconds with these events each; searches for orders in doubt find nothing and prove nothing. */
function pass(desk: Desk, seconds: number, tell: () => Step[] = () => []): Step[] {
  const steps: Step[] = []
  for (let second = 0; second < seconds; second++) {
    steps.push(desk.wait(1000), ...tell())
    if (desk.engine.state.looking === null) continue
    const evidence = { kind: 'evidence', found: {}, listed: false, freeze: null } as const
    steps.push(desk.tell({ ...evidence, ids: ['sgrid.grid.mb1.1'], fencedAt: desk.at }))
  }
  return steps
}

test('nothing is sent before the account was read, neither new orders nor those with unknown outcome', () => {
  const desk = killed()
  const unread = [
    desk.begin({ readsFirst: true }),
    desk.account({ USDT: '9000' }),
    ...pass(desk, 5),
    ...pass(desk, 20, () => priced(desk, 60_000)),
  ]
  expect(unread.flatMap(acts)).toEqual([])
  expect(desk.order('sgrid.grid.mb1.1').status).toBe('doubtful')
  const read = [desk.tell({ kind: 'accountRead' }), ...pass(desk, 30, () => priced(desk, 60_000))]
  expect(read.flatMap(sent)).toContain('sgrid.grid.mb1.1')
})

test('an order with unknown outcome is not sent again before the first price of its market', () => {
  const desk = killed()
  const unpriced = [
    desk.begin({ readsFirst: true }),
    desk.tell({ kind: 'accountRead' }), // What candles say is a minute old.
    ...pass(desk, 25, () => [desk.candle('BTC_USDT', '1m', 60_000)]),
  ]
  expect(unpriced.flatMap(acts)).toEqual([])
  expect(pass(desk, 30, () => priced(desk, 60_000)).flatMap(sent)).toContain('sgrid.grid.mb1.1')
})

test('fills during the downtime are sold by exits after the account was read and the first price has arrived', () => {
  const desk = restingGrid()
  desk.at += 5 * minute
  desk.begin({ readsFirst: true })
  const gone = ['sgrid.grid.b3.1']
  const read = [
    desk.fill('sgrid.grid.b1.1'),
    desk.withdrawn(gone, 'gone'),
    desk.tell({ kind: 'evidence', ids: gone, fencedAt: desk.at, found: {}, listed: true, freeze: null }),
  ]
  expect(read.flatMap(sent)).toEqual([])
  const steps = [desk.tell({ kind: 'accountRead' }), desk.wait(1000)]
  expect(steps.flatMap(sent)).toEqual([])
  expect(steps.flatMap(({ notes }) => notes).filter(({ type }) => type === 'risk-blocked')).toEqual([])
  const why = desk.steps.flatMap(({ step }) => step.decisions).at(-1)
  expect(why?.rungs.find(({ level }) => level === 'b7')?.why).toBe(
    'no price of BTC_USDT since the start of the bot',
  )
  const [exits] = submitsOf(desk.quote('BTC_USDT', 60_000))
  expect([exits?.priority, exits?.orders.map(({ id }) => id)]).toEqual(['exits', ['sgrid.grid.mb1.1']])
})

test('prices and the account of an earlier process are unknown until this one receives its own', () => {
  const desk = restingGrid()
  desk.account({ USDT: '9000' }, {}, '10000')
  desk.at += 1000
  desk.begin({ readsFirst: true })
  expect(desk.engine.state).toMatchObject({ quotes: {}, account: null })
  desk.tell({ kind: 'accountRead' })
  const truths = () => desk.engine.state.strategies['sgrid']?.rules
  const before = structuredClone(truths())
  desk.wait(1000)
  expect(truths()).toEqual(before)
  const last = () => desk.steps.flatMap(({ step }) => step.decisions).at(-1)
  expect(last()?.rules.find(({ id }) => id === 'place')?.truth).toBe('unknown')
  // The last candle closed before the process ended. It comes again, so no newer one has closed.
  const computed = () => desk.engine.state.strategies['sgrid']?.feeds['px']?.readings
  const readings = structuredClone(computed())
  const opened = Math.floor(desk.at / minute) * minute - minute
  desk.tell({ kind: 'candle', market: 'BTC_USDT', interval: '1m', opened, ...flat(60_000) })
  desk.quote('BTC_USDT', 60_000)
  desk.wait(1000)
  expect(last()?.rules.find(({ id }) => id === 'place')?.truth).toBe('true')
  expect(computed()).toEqual(readings)
})

test.each([
  ['shorter than its candles may be old goes on', 60, true],
  ['longer than that begins anew', 100, false],
])('what a rule must be true for, after an absence that is %s', (_, seconds, goesOn) => {
  const desk = restingGrid()
  const trueSince = () => desk.engine.state.strategies['sgrid']?.rules['out']?.trueSince ?? null
  desk.at += minute
  priced(desk, 67_000)
  const since = desk.at
  expect(trueSince()).toBe(since)
  desk.at += seconds * 1000
  desk.begin({ readsFirst: true })
  desk.tell({ kind: 'accountRead' })
  desk.wait(1000)
  priced(desk, 67_000)
  desk.wait(1000)
  expect(trueSince()).toBe(goesOn ? since : since + (seconds + 1) * 1000)
})

test('a following ladder is recomputed at the current price before any of its orders is sent', () => {
  const desk = trailingBuys()
  desk.at += 60 * minute
  desk.begin({ readsFirst: true })
  desk.tell({ kind: 'accountRead' })
  desk.account({}, {}, '10000')
  const before = desk.ladder('tvol', 'trail').rungs[0]?.price
  const closes = Array.from({ length: 60 }, () => 55_000)
  desk.past('BTC_PERP', '1h', [55_000])
  const steps = [desk.past('BTC_PERP', '1m', closes), desk.quote('BTC_PERP', 55_000, 0.02), desk.wait(1000)]
  expect(desk.ladder('tvol', 'trail').rungs[0]?.price).not.toBe(before)
  const prices = steps.flatMap((step) =>
    submitsOf(step).flatMap(({ orders }) => orders.map(({ price }) => Number(price))),
  )
  expect(prices.filter((price) => price > 55_100)).toEqual([])
  expect(steps.flatMap(cancelsOf)).not.toEqual([])
})

test('a time of a schedule during the read of the account is not missed', () => {
  const desk = new Desk([fileOf('scheduled-accumulation')])
  // A second before Monday noon.
  desk.at = Date.UTC(2026, 0, 5, 11, 59, 59)
  desk.engine = new Engine(null)
  desk.begin({ readsFirst: true })
  desk.at += 2000
  desk.account({ USDT: '9000' }, { USDT: '9000' })
  desk.tell({ kind: 'accountRead' })
  expect(desk.engine.state.strategies['accu']?.rules['weekly']?.firedAt).toBe(desk.at)
})

function flat(close: number) {
  return { open: close, high: close, low: close, close, volume: 1 }
}
