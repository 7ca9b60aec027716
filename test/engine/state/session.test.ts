import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import type { Step } from '#src/engine/step-context.ts'
import {
  cancelsOf,
  EngineHarness,
  fileOf,
  minute,
  restingGrid,
  submitsOf,
  trailingBuys,
} from '#test/engine/support/engine-harness.ts'

const sent = (step: Step) => submitsOf(step).flatMap(({ orders }) => orders.map(({ id }) => id))

/** A grid whose first line has filled, and whose process was killed before its exit was answered for. */
function killed(): EngineHarness {
  const harness = restingGrid()
  expect(harness.fill('sgrid.grid.b1.1').commands).not.toEqual([])
  harness.at += 5 * minute
  return harness
}

/** What changes something at the venue. */
const acts = (step: Step) => step.commands.map(({ kind }) => kind).filter((kind) => kind !== 'look')

/** A quote and a candle of one minute at this price. */
function priced(harness: EngineHarness, price: number): Step[] {
  return [harness.quote('BTC_USDT', price), harness.candle('BTC_USDT', '1m', price)]
}

/** Passes seconds with these events each; searches for orders in doubt find nothing and prove nothing. */
function pass(harness: EngineHarness, seconds: number, tell: () => Step[] = () => []): Step[] {
  const steps: Step[] = []
  for (let second = 0; second < seconds; second++) {
    steps.push(harness.wait(1000), ...tell())
    if (harness.engine.state.looking === null) continue
    const evidence = { kind: 'evidence', found: {}, listed: false, freeze: null } as const
    steps.push(harness.tell({ ...evidence, ids: ['sgrid.grid.mb1.1'], fencedAt: harness.at }))
  }
  return steps
}

test('nothing is sent before the account was read, neither new orders nor those with unknown outcome', () => {
  const harness = killed()
  const unread = [
    harness.begin({ readsFirst: true }),
    harness.account({ USDT: '9000' }),
    ...pass(harness, 5),
    ...pass(harness, 20, () => priced(harness, 60_000)),
  ]
  expect(unread.flatMap(acts)).toEqual([])
  expect(harness.order('sgrid.grid.mb1.1').status).toBe('doubtful')
  const read = [harness.tell({ kind: 'accountRead' }), ...pass(harness, 30, () => priced(harness, 60_000))]
  expect(read.flatMap(sent)).toContain('sgrid.grid.mb1.1')
})

test('an order with unknown outcome is not sent again before the first price of its market', () => {
  const harness = killed()
  const unpriced = [
    harness.begin({ readsFirst: true }),
    harness.tell({ kind: 'accountRead' }), // What candles say is a minute old.
    ...pass(harness, 25, () => [harness.candle('BTC_USDT', '1m', 60_000)]),
  ]
  expect(unpriced.flatMap(acts)).toEqual([])
  expect(pass(harness, 30, () => priced(harness, 60_000)).flatMap(sent)).toContain('sgrid.grid.mb1.1')
})

test('fills during the downtime are sold by exits after the account was read and the first price has arrived', () => {
  const harness = restingGrid()
  harness.at += 5 * minute
  harness.begin({ readsFirst: true })
  const gone = ['sgrid.grid.b3.1']
  const read = [
    harness.fill('sgrid.grid.b1.1'),
    harness.withdrawn(gone, 'gone'),
    harness.tell({
      kind: 'evidence',
      ids: gone,
      fencedAt: harness.at,
      found: {},
      listed: true,
      freeze: null,
    }),
  ]
  expect(read.flatMap(sent)).toEqual([])
  const steps = [harness.tell({ kind: 'accountRead' }), harness.wait(1000)]
  expect(steps.flatMap(sent)).toEqual([])
  expect(steps.flatMap(({ notes }) => notes).filter(({ type }) => type === 'risk-blocked')).toEqual([])
  const why = harness.steps.flatMap(({ step }) => step.decisions).at(-1)
  expect(why?.rungs.find(({ level }) => level === 'b7')?.why).toBe(
    'no price of BTC_USDT since the start of the bot',
  )
  const [exits] = submitsOf(harness.quote('BTC_USDT', 60_000))
  expect([exits?.priority, exits?.orders.map(({ id }) => id)]).toEqual(['exits', ['sgrid.grid.mb1.1']])
})

test('prices and the account of an earlier process are unknown until this one receives its own', () => {
  const harness = restingGrid()
  harness.account({ USDT: '9000' }, {}, '10000')
  harness.at += 1000
  harness.begin({ readsFirst: true })
  expect(harness.engine.state).toMatchObject({ quotes: {}, account: null })
  harness.tell({ kind: 'accountRead' })
  const truths = () => harness.engine.state.strategies['sgrid']?.rules
  const before = structuredClone(truths())
  harness.wait(1000)
  expect(truths()).toEqual(before)
  const last = () => harness.steps.flatMap(({ step }) => step.decisions).at(-1)
  expect(last()?.rules.find(({ id }) => id === 'place')?.truth).toBe('unknown')
  // The last candle closed before the process ended. It comes again, so no newer one has closed.
  const computed = () => harness.engine.state.strategies['sgrid']?.feeds['px']?.readings
  const readings = structuredClone(computed())
  const opened = Math.floor(harness.at / minute) * minute - minute
  harness.tell({ kind: 'candle', market: 'BTC_USDT', interval: '1m', opened, ...flat(60_000) })
  harness.quote('BTC_USDT', 60_000)
  harness.wait(1000)
  expect(last()?.rules.find(({ id }) => id === 'place')?.truth).toBe('true')
  expect(computed()).toEqual(readings)
})

test.each([
  ['shorter than its candles may be old goes on', 60, true],
  ['longer than that begins anew', 100, false],
])('what a rule must be true for, after an absence that is %s', (_, seconds, goesOn) => {
  const harness = restingGrid()
  const trueSince = () => harness.engine.state.strategies['sgrid']?.rules['out']?.trueSince ?? null
  harness.at += minute
  priced(harness, 67_000)
  const since = harness.at
  expect(trueSince()).toBe(since)
  harness.at += seconds * 1000
  harness.begin({ readsFirst: true })
  harness.tell({ kind: 'accountRead' })
  harness.wait(1000)
  priced(harness, 67_000)
  harness.wait(1000)
  expect(trueSince()).toBe(goesOn ? since : since + (seconds + 1) * 1000)
})

test('a following ladder is recomputed at the current price before any of its orders is sent', () => {
  const harness = trailingBuys()
  harness.at += 60 * minute
  harness.begin({ readsFirst: true })
  harness.tell({ kind: 'accountRead' })
  harness.account({}, {}, '10000')
  const before = harness.ladder('tvol', 'trail').rungs[0]?.price
  const closes = Array.from({ length: 60 }, () => 55_000)
  harness.past('BTC_PERP', '1h', [55_000])
  const steps = [
    harness.past('BTC_PERP', '1m', closes),
    harness.quote('BTC_PERP', 55_000, 0.02),
    harness.wait(1000),
  ]
  expect(harness.ladder('tvol', 'trail').rungs[0]?.price).not.toBe(before)
  const prices = steps.flatMap((step) =>
    submitsOf(step).flatMap(({ orders }) => orders.map(({ price }) => Number(price))),
  )
  expect(prices.filter((price) => price > 55_100)).toEqual([])
  expect(steps.flatMap(cancelsOf)).not.toEqual([])
})

test('a time of a schedule during the read of the account is not missed', () => {
  const harness = new EngineHarness([fileOf('scheduled-accumulation')])
  // A second before Monday noon.
  harness.at = Date.UTC(2026, 0, 5, 11, 59, 59)
  harness.engine = new Engine(null)
  harness.begin({ readsFirst: true })
  harness.at += 2000
  harness.account({ USDT: '9000' }, { USDT: '9000' })
  harness.tell({ kind: 'accountRead' })
  expect(harness.engine.state.strategies['accu']?.rules['weekly']?.firedAt).toBe(harness.at)
})

function flat(close: number) {
  return { open: close, high: close, low: close, close, volume: 1 }
}
