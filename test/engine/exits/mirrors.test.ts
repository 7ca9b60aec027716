import { expect, test } from 'vitest'
import { ExitBench } from '#test/engine/support/exit-harness.ts'

const rung = (level: string, side: 'buy' | 'sell', price: string) => {
  return { level, side, price, amount: '1', order: null, held: null, wait: { count: 0, until: 0 } }
}

function gridBench(mirror: number): ExitBench {
  const bench = new ExitBench('grid', { mirror })
  bench.own.rungs = [
    rung('b1', 'buy', '990'),
    rung('b2', 'buy', '980'),
    rung('s1', 'sell', '1010'),
    rung('s2', 'sell', '1020'),
  ]
  bench.quote(999, 1001)
  return bench
}

test('a fill places a mirror on the other side, and the level again after the mirror has filled', () => {
  const bench = gridBench(1)
  bench.own.filled = ['b1', 'b2']
  bench.bought('buy', '1', '980', 'b2')
  bench.bought('sell', '1', '1020', 's2')
  expect(bench.at(999, 1001)).toEqual(['mb2 sell 1 at 990', 'ms2 buy 1 at 1010'])
  const [sell] = bench.exits().drafts.map((draft) => bench.place(draft))
  expect(bench.exits().drafts).toEqual([])
  bench.fill(sell!, '1', true)
  expect(bench.own.filled).toEqual(['b1'])
  expect(Object.keys(bench.own.exits.mirrors)).toEqual(['s2'])
})

test('a mirror that ends before it has filled offers the rest again, under the next generation', () => {
  const bench = gridBench(2)
  bench.bought('buy', '1', '980', 'b2')
  const [mirror] = bench.exits().drafts
  expect(mirror?.price).toBe('1000')
  bench.fill(bench.place(mirror!), '0.3', true)
  const [again] = bench.exits().drafts
  expect(again).toMatchObject({ id: 'work.grid.mb2.2', amount: '0.7' })
})

test('a late fill of an ended order is offered, too, and all of it once', () => {
  const bench = gridBench(1)
  const order = bench.bought('buy', '1', '980', 'b2')
  bench.end(order)
  bench.fill(order, '1.5', true)
  expect(bench.exits().drafts.map(({ amount }) => amount)).toEqual(['1.5'])
})

test('beyond the last line the lines continue at the same distance', () => {
  const bench = gridBench(3)
  bench.bought('buy', '1', '1010', 'b9')
  expect(bench.exits().drafts.map(({ price }) => price)).toEqual(['1040'])
})

test('a fill too small for an order joins the next mirror', () => {
  const bench = gridBench(1)
  bench.own.filled = ['b1', 'b2']
  bench.bought('buy', '0.0006', '980', 'b2')
  expect(bench.exits().drafts).toEqual([])
  expect(bench.own.exits.carried).toEqual({ amount: '0.0006', levels: ['b2'] })
  bench.bought('buy', '0.0006', '990', 'b1')
  const [mirror] = bench.exits().drafts
  expect(mirror).toMatchObject({ level: 'mb1', price: '1000', amount: '0.0012' })
  bench.fill(bench.place(mirror!), '0.0012', true)
  expect(bench.own.filled).toEqual([])
})

test('with nine mirrors open further parts wait; when any mirror has ended, one new mirror gets all of them', () => {
  const bench = gridBench(1)
  const entry = bench.bought('buy', '0.1', '980', 'b2')
  const placed = bench.exits().drafts.map((draft) => bench.place(draft))
  for (let part = 2; part <= 12; part++) {
    bench.fill(entry, String(part / 10), false)
    placed.push(...bench.exits().drafts.map((draft) => bench.place(draft)))
  }
  expect(placed.map(({ level }) => level)).toEqual([
    'mb2',
    ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `mb2-${n}`),
  ])
  bench.fill(placed[3]!, '0.1', true)
  expect(bench.exits().drafts).toMatchObject([{ id: 'work.grid.mb2-4.2', amount: '0.3' }])
})

test('parts that fill while exits are in flight get one mirror, also if the first mirror ends between them', () => {
  const bench = gridBench(1)
  const entry = bench.bought('buy', '0.5', '980', 'b2')
  const [first] = bench.exits().drafts.map((draft) => bench.place(draft))
  bench.fill(entry, '0.7', false)
  bench.exits().drafts.map((draft) => bench.place(draft))
  bench.fill(entry, '0.8', false)
  bench.fill(first!, '0.5', true)
  bench.fill(entry, '0.9', false)
  expect(bench.exits().drafts).toMatchObject([{ level: 'mb2-3', amount: '0.2' }])
})

test('mirrors of several rungs are sent by rung number, also the second mirror of a rung', () => {
  const bench = new ExitBench('grid', { mirror: 1 })
  bench.own.rungs = [rung('1', 'sell', '1010'), rung('2', 'sell', '1020'), rung('3', 'sell', '1030')]
  bench.quote(999, 1001)
  const first = bench.bought('sell', '0.5', '1010', '1')
  bench.exits().drafts.map((draft) => bench.place(draft))
  bench.bought('sell', '1', '1030', '3')
  bench.fill(first, '1', true)
  bench.bought('sell', '1', '1020', '2')
  expect(bench.exits().drafts.map(({ level }) => level)).toEqual(['m1-2', 'm2', 'm3'])
})

test('a mirror that the market has passed takes the better price', () => {
  const bench = gridBench(1)
  Object.assign(bench.ladder, { file: { ...bench.ladder.file, flags: { postOnly: true, rpi: false } } })
  bench.bought('buy', '1', '980', 'b2')
  expect(bench.exits().drafts[0]?.postOnly).toBe(false)
  bench.quote(989, 991)
  expect(bench.exits().drafts[0]?.postOnly).toBe(true)
})
