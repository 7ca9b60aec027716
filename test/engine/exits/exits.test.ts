import { expect, test } from 'vitest'
import { touches } from '#src/engine/exits/exits.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { now } from '#test/engine/support/working-state.ts'
import { ExitBench, percent, units } from '#test/engine/support/exit-harness.ts'
import type { ExitFile } from '#src/strategy/schema/exit-schema.ts'

const one = [decimal('1')]
const tp = (text: string, more: Partial<NonNullable<ExitFile['tp']>> = {}): ExitFile => ({
  tp: { from: 'avg_entry', pct: percent(text), split: one, gap: percent('0'), mode: 'on_touch_ioc', ...more },
})
const stop = (text: string): ExitFile => ({
  stop: { from: 'avg_entry', pct: percent(text), mode: 'on_touch_ioc' },
})
const share = (text: string) => ({ of: 'price', by: percent(text) }) as const
const trail = { trail: { activate: units('2'), retrace: units('0.5') } }

test('a long position takes profit exactly at its tick', () => {
  const bench = new ExitBench('dip', tp('1.2'))
  bench.bought('buy', '1', '990')
  bench.bought('buy', '2', '980')
  // The average is 983.333…, and 1.2 percent above it 995.1333…
  expect(bench.at(995.13)).toEqual([])
  expect(bench.at(995.14)).toEqual(['t1 sell 3 at 995.14 ioc'])
})

test('a short position takes profit exactly at its tick', () => {
  const bench = new ExitBench('top', tp('1.2'))
  bench.bought('sell', '1', '1010')
  bench.bought('sell', '2', '1020')
  // The average is 1016.666…, and 1.2 percent below it 1004.4666…
  expect(bench.at(1004.46, 1004.47)).toEqual([])
  expect(bench.at(1004.45, 1004.46)).toEqual(['t1 buy 3 at 1004.46 ioc'])
})

test('the parts of a take profit are sold in order, and the last one closes the rest', () => {
  const split = [decimal('0.5'), decimal('0.3'), decimal('0.2')]
  const bench = new ExitBench('dip', tp('1', { split, gap: percent('1') }))
  bench.bought('buy', '0.011', '1000')
  expect(bench.at(1010)).toEqual(['t1 sell 0.005 at 1010 ioc'])
  const first = bench.place(bench.exits().drafts[0]!)
  expect(bench.at(1030)).toEqual([])
  bench.fill(first, '0.002', true)
  // What one price reaches leaves together.
  expect(bench.at(1020)).toEqual(['t1 sell 0.003 at 1010 ioc', 't2 sell 0.003 at 1020 ioc'])
  bench.fill(bench.place(bench.exits().drafts[0]!), '0.003', true)
  expect(bench.own.exits.parts).toEqual({ of: '0.011', gone: '0.005' })
  expect(bench.at(1019.99)).toEqual([])
  expect(bench.at(1020)).toEqual(['t2 sell 0.003 at 1020 ioc'])
  bench.fill(bench.place(bench.exits().drafts[0]!), '0.003', true)
  // More was bought meanwhile: it goes with the last part.
  bench.bought('buy', '0.001', '1000')
  expect(bench.at(1030)).toEqual(['t3 sell 0.004 at 1030 ioc'])
  bench.fill(bench.place(bench.exits().drafts[0]!), '0.004', true)
  expect(bench.at(1030)).toEqual([])
  expect(bench.own.exits).toMatchObject({ parts: null, watch: null })
})

test('a part below the minimum of the market joins the next one, or the last', () => {
  const split = [decimal('0.2'), decimal('0.4'), decimal('0.4')]
  const bench = new ExitBench('dip', tp('1', { split, gap: percent('1') }))
  bench.bought('buy', '0.002', '1000')
  expect(bench.at(1010)).toEqual([])
  expect(bench.at(1020)).toEqual(['t2 sell 0.001 at 1020 ioc'])
})

test('a resting take profit is cancelled when the average moves, and placed again only after that', () => {
  const bench = new ExitBench('dip', tp('2', { mode: 'resting', split: [decimal('0.5'), decimal('0.5')] }))
  bench.bought('buy', '1', '1000')
  expect(bench.at(1000)).toEqual(['t1 sell 0.5 at 1020', 't2 sell 0.5 at 1020'])
  const [first, second] = bench.exits().drafts.map((draft) => bench.place(draft))
  expect(bench.exits()).toMatchObject({ drafts: [], withdraw: [] })
  bench.bought('buy', '1', '990')
  expect(bench.exits()).toMatchObject({ drafts: [], withdraw: ['work.dip.t1.1', 'work.dip.t2.1'] })
  bench.end(first!)
  // The half that is free is offered; the other when the venue has let go of it.
  expect(bench.at(1000)).toEqual(['t1 sell 1 at 1014.9'])
  bench.end(second!)
  expect(bench.at(1000)).toEqual(['t1 sell 1 at 1014.9', 't2 sell 1 at 1014.9'])
})

test('a stop sells at its tick, up to half a percent below the best price, until the ladder is flat', () => {
  const bench = new ExitBench('dip', stop('5'))
  bench.bought('buy', '1', '999.99')
  // Five percent below it is 949.9905.
  expect(bench.at(950)).toEqual([])
  expect(bench.at(949.99)).toEqual(['st sell 1 at 945.25 ioc'])
  bench.fill(bench.place(bench.exits().drafts[0]!), '0.4', true)
  expect(bench.at(980)).toEqual(['st sell 0.6 at 975.1 ioc'])
  bench.fill(bench.place(bench.exits().drafts[0]!), '0.6', true)
  expect(bench.at(900)).toEqual([])
  expect(bench.own.exits.leave).toBe(null)
})

test('the stop of a short position is above its entry', () => {
  const bench = new ExitBench('top', stop('5'))
  bench.bought('sell', '1', '999.99')
  expect(bench.at(1049.97, 1049.98)).toEqual([])
  expect(bench.at(1049.97, 1049.99)).toEqual(['st buy 1 at 1055.23 ioc'])
})

test('resting exits are cancelled before a stop sells their amount', () => {
  const bench = new ExitBench('dip', { ...tp('2', { mode: 'resting' }), ...stop('5') })
  bench.bought('buy', '1', '1000')
  bench.quote(1000, 1000.01)
  const resting = bench.place(bench.exits().drafts[0]!)
  const entry = { ladder: 'dip', level: '3', side: 'buy', role: 'entry', price: '900', amount: '1' } as const
  bench.place({ ...resting, ...entry, id: 'work.dip.3.1' })
  bench.quote(940, 940.01)
  expect(bench.exits()).toMatchObject({ drafts: [], withdraw: ['work.dip.3.1', 'work.dip.t1.1'] })
  bench.fill(resting, '0.25', true)
  expect(bench.at(940)).toEqual(['st sell 0.75 at 935.3 ioc'])
})

test('where orders cannot be cancelled, a stop sells only what no other exit offers', () => {
  const bench = new ExitBench('dip', { mirror: 1, ...stop('5') }, false)
  bench.own.rungs = []
  bench.bought('buy', '1', '990')
  bench.quote(995, 995.01)
  const [mirror] = bench.exits().drafts
  expect(mirror?.level).toBe('mx0')
  bench.place(mirror!)
  const other = bench.bought('buy', '2', '980')
  expect(bench.at(900)).toEqual(['st sell 2 at 895.5 ioc'])
  expect(bench.exits().withdraw).toEqual([])
  expect(other.filled).toBe('2')
})

test('a trailing exit follows the best price, and sells at the tick where the price has turned back', () => {
  const bench = new ExitBench('dip', trail)
  bench.own.unit = '10.005'
  bench.bought('buy', '1', '1000')
  expect(bench.at(1020)).toEqual([])
  expect(bench.own.exits.trailBest).toBe(null)
  expect(bench.at(1020.01)).toEqual([])
  expect(bench.at(1030)).toEqual([])
  expect(bench.own.exits.trailBest).toBe(1030)
  // Half a unit below is 1024.9975.
  expect(bench.at(1025)).toEqual([])
  expect(bench.at(1024.99)).toEqual(['tr sell 1 at 1019.87 ioc'])
})

test('a trailing exit of a short position follows the price down', () => {
  const bench = new ExitBench('top', trail)
  bench.own.unit = '10'
  bench.bought('sell', '1', '1000')
  expect(bench.at(970, 980)).toEqual([])
  expect(bench.at(969, 970)).toEqual([])
  expect(bench.at(974, 974.99)).toEqual([])
  expect(bench.at(974, 975)).toEqual(['tr buy 1 at 979.87 ioc'])
})

test('a trailing exit in percent counts from the average entry and from the best price', () => {
  const bench = new ExitBench('dip', { trail: { activate: share('2'), retrace: share('1') } })
  bench.bought('buy', '1', '1000')
  expect(bench.at(1019.99)).toEqual([])
  expect(bench.own.exits.trailBest).toBe(null)
  expect(bench.at(1050)).toEqual([])
  // One percent below 1050 is 1039.5.
  expect(bench.at(1039.51)).toEqual([])
  expect(bench.at(1039.5)).toEqual(['tr sell 1 at 1034.31 ioc'])
})

test('a break-even stop is active once the price was in profit, and stays so', () => {
  const bench = new ExitBench('dip', { break_even: { activate: percent('1.5'), at: percent('0.1') } })
  bench.bought('buy', '1', '1000')
  expect(bench.at(1001)).toEqual([])
  expect(bench.at(1014.99)).toEqual([])
  expect(bench.at(1000)).toEqual([])
  expect(bench.at(1015)).toEqual([])
  expect(bench.at(1001.01)).toEqual([])
  bench.bought('buy', '1', '1001')
  // The average entry is now 1000.5, and 0.1 percent above it 1001.5005.
  expect(bench.at(1001.51)).toEqual([])
  expect(bench.at(1001.5)).toEqual(['be sell 2 at 996.5 ioc'])
})

test('a break-even stop of a short position lies below the average entry', () => {
  const bench = new ExitBench('top', { break_even: { activate: percent('1'), at: percent('0') } })
  bench.bought('sell', '1', '1000')
  expect(bench.at(990, 990.01)).toEqual([])
  expect(bench.at(999.99, 1000)).toEqual([])
  expect(bench.at(989.99, 990)).toEqual([])
  expect(bench.at(999.98, 999.99)).toEqual([])
  expect(bench.at(999.99, 1000)).toEqual(['be buy 1 at 1005 ioc'])
})

test('a position older than max_age is closed at any price', () => {
  const bench = new ExitBench('dip', { max_age: 60_000 })
  bench.bought('buy', '1', '1000')
  bench.state.at = now + 59_998
  expect(bench.at(990)).toEqual([])
  expect(bench.at(990)).toEqual(['ag sell 1 at 985.05 ioc'])
})

test('max_age is checked with the tick, also while prices move a trailing exit', () => {
  const bench = new ExitBench('dip', { max_age: 59_500, ...trail })
  bench.own.unit = '10'
  bench.bought('buy', '1', '1000')
  expect(bench.at(1020)).toEqual([])
  bench.state.at = now + 59_600
  expect(bench.at(1021)).toEqual([])
  bench.state.at = now + 59_999
  expect(bench.at(1022)).toEqual(['ag sell 1 at 1016.89 ioc'])
})

test('an exit `at` closes the position at its price', () => {
  const bench = new ExitBench('dip', {})
  Object.assign(bench.ladder, { programs: { ...bench.ladder.programs, exitAt: decimal('1003.333') } })
  bench.bought('buy', '1', '1000')
  expect(bench.at(1003.33)).toEqual([])
  expect(bench.at(1003.34)).toEqual(['at sell 1 at 1003.34 ioc'])
})

test('an exit `at` first cancels the parts of a resting take profit', () => {
  const bench = new ExitBench('dip', tp('2', { mode: 'resting' }))
  Object.assign(bench.ladder, { programs: { ...bench.ladder.programs, exitAt: decimal('1010') } })
  bench.bought('buy', '1', '1000')
  bench.quote(1005, 1006)
  const resting = bench.place(bench.exits().drafts[0]!)
  bench.quote(1010, 1011)
  expect(bench.exits().withdraw).toEqual([resting.id])
  bench.end(resting)
  expect(bench.at(1010)).toEqual(['at sell 1 at 1010 ioc'])
})

test('only one exit order is open at a time, and one with unknown outcome counts as open', () => {
  const bench = new ExitBench('dip', tp('1'))
  bench.bought('buy', '1', '1000')
  bench.quote(1010, 1011)
  const leaving = bench.place(bench.exits().drafts[0]!)
  leaving.status = 'doubtful'
  expect(bench.at(1020)).toEqual([])
  bench.fill(leaving, '0.6', false)
  expect(bench.at(1020)).toEqual([])
  bench.end(leaving)
  expect(bench.at(1020)).toEqual(['t1 sell 0.4 at 1010 ioc'])
})

test('a position below the minimum of the market counts as flat', () => {
  const bench = new ExitBench('dip', stop('5'))
  bench.bought('buy', '0.0005', '1000')
  expect(bench.at(100)).toEqual([])
  expect(bench.own.exits.leave).toBe(null)
})

test('without a fresh quote the close of the candle is the price; without both no exit is sent', () => {
  const bench = new ExitBench('dip', tp('1'))
  bench.bought('buy', '1', '1000')
  bench.quote(1010, 1011)
  bench.state.at += 60_001
  expect(bench.exits().drafts).toEqual([])
  const feed = bench.state.strategies['work']!.feeds['btc']!
  feed.at = bench.state.at
  feed.readings.now = { open: 1, high: 1020, low: 1, close: 1010, volume: 1 }
  expect(bench.exits().drafts).toHaveLength(1)
})

test('a quote between the exit prices is not evaluated', () => {
  const bench = new ExitBench('dip', { ...tp('1'), ...stop('5') })
  bench.bought('buy', '1', '1000')
  bench.at(1000)
  const at = (bid: number) => touches(bench.own, { at: now, bid, ask: bid + 1, last: null })
  expect([at(950), at(950.01), at(1009.99), at(1010)]).toEqual([true, false, false, true])
})

const banded = (bench: ExitBench): ExitBench => {
  const { risk } = bench.scene.strategy
  const strategy = { ...bench.scene.strategy, risk: { ...risk, price_band: percent('0.1') } }
  return Object.assign(bench, { scene: Object.assign(bench.scene, { strategy }) })
}

test('an exit far from the market asks for the limit of the price band, and so does a stop', () => {
  const long = banded(new ExitBench('dip', { ...tp('1'), ...stop('5') }))
  long.bought('buy', '1', '1000')
  // A tenth of a percent below 1500.005 is 1498.504995.
  expect(long.at(1500)).toEqual(['t1 sell 1 at 1498.51 ioc'])
  expect(long.at(900)).toEqual(['st sell 1 at 899.11 ioc'])
  const short = banded(new ExitBench('top', tp('1')))
  short.bought('sell', '1', '1000')
  expect(short.at(499.99, 500)).toEqual(['t1 buy 1 at 500.49 ioc'])
})
