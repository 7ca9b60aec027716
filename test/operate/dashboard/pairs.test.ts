import { expect, test } from 'vitest'
import { addHoldings } from '#src/operate/dashboard/tables/holding-rows.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { statusOf, type StrategyStatus } from '#src/operate/dashboard/status.ts'
import type { PairRow } from '#src/operate/dashboard/tables/tables.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { Desk } from '#test/engine/support/engine-harness.ts'
import { atWork } from './dashboard-fixture.ts'

const known = ({ engine: { state } }: Desk) => new StrategyCache().of(state)

function statusAt(desk: Desk): StrategyStatus {
  const [own] = statusOf(desk.engine.state, known(desk), null).strategies
  return own!
}

function rowsAt(desk: Desk): Record<string, PairRow> {
  const pairs: Record<string, PairRow> = {}
  const { state } = desk.engine
  for (const [name, own] of Object.entries(state.strategies))
    addHoldings(state, name, own, known(desk).get(name), { holdings: {}, pairs })
  return pairs
}

/** Sets the price and lets the engine settle. */
function moveTo(desk: Desk, price: number): void {
  desk.quote('BTC_USDT', price)
  desk.settle(desk.wait(1000))
}

function fill(desk: Desk, id: string, part?: number): void {
  desk.settle(desk.fill(id, part))
  desk.settle(desk.wait(1000))
}

const sumOf = ({ gridProfit, floating, earlier }: StrategyStatus) =>
  new Decimal(gridProfit).plus(floating).plus(earlier).toFixed()

/** The bid at 59500 and its mirror at 60000 have filled, and the bid at 59000 by half. */
function traded(): Desk {
  const desk = atWork('01-static-grid')
  fill(desk, 'sgrid.grid.b1.1')
  fill(desk, 'sgrid.grid.mb1.1')
  fill(desk, 'sgrid.grid.b2.1', 0.5)
  moveTo(desk, 59_200)
  return desk
}

test('status shows grid profit and floating result by strategy and rung', () => {
  const desk = traded()
  const [bid, mirror, half] = ['b1', 'mb1', 'b2'].map((level) => desk.order(`sgrid.grid.${level}.1`))
  if (!bid || !mirror || !half) throw new Error('an order is missing')
  expect([bid.price, mirror.price, half.price]).toEqual(['59500', '60000', '59000'])
  const made = new Decimal(mirror.money).minus(bid.money).minus(bid.fee).minus(mirror.fee).toFixed()
  const floating = new Decimal(half.filled).times(59_200).minus(half.money).minus(half.fee).toFixed()
  const status = statusAt(desk)
  expect(status).toMatchObject({ pairs: 1, gridProfit: made, floating, earlier: '0' })
  expect(sumOf(status)).toBe(status.result)
  expect(status.rungPairs).toEqual([
    { ladder: 'grid', level: 'b1', pairs: 1, profit: made, open: '0', floating: '0' },
    { ladder: 'grid', level: 'b2', pairs: 0, profit: '0', open: half.filled, floating },
  ])
  expect(rowsAt(desk)['sgrid.grid.b2']).toEqual({
    strategy: 'sgrid',
    market: 'BTC_USDT',
    ladder: 'grid',
    level: 'b2',
    pairs: 0,
    profit: '0',
    open: half.filled,
    floating,
  })
})

test('a write-off counts as an exit at the price of the operator', () => {
  const desk = atWork('01-static-grid')
  // Too little for a mirror.
  fill(desk, 'sgrid.grid.b1.1', 0.03)
  const part = desk.order('sgrid.grid.b1.1')
  desk.at += 1000
  const about = { strategy: 'sgrid', ladder: 'grid', amount: part.filled, price: '58000', reason: 'by hand' }
  desk.tell({ kind: 'operator', act: 'write-off', ...about })
  const lost = new Decimal(part.filled).times(58_000).minus(part.money).minus(part.fee).toFixed()
  const level = { ladder: 'grid', level: 'b1', pairs: 1, profit: lost, open: '0', floating: '0' }
  expect(statusAt(desk)).toMatchObject({ gridProfit: lost, rungPairs: [level] })
})

/** The state in the format of 0.3.2. */
function asBefore(state: State): State {
  const old: State = JSON.parse(JSON.stringify(state))
  for (const { holdings } of Object.values(old.strategies))
    for (const holding of Object.values(holdings)) {
      delete holding.pairs
      for (const booking of holding.tail ?? []) delete booking.matching
    }
  return old
}

test('a state of 0.3.2 continues: its result is `earlier`, and its position is closed first', () => {
  const desk = traded()
  const result = statusAt(desk).result
  desk.engine = new Engine(asBefore(desk.engine.state))
  const before = statusAt(desk)
  const half = desk.order('sgrid.grid.b2.1')
  expect(before).toMatchObject({ pairs: 0, gridProfit: '0', result })
  expect(sumOf(before)).toBe(result)
  expect(before.rungPairs).toMatchObject([{ ladder: '', level: '', open: half.filled }])
  fill(desk, 'sgrid.grid.mb2.1')
  const after = statusAt(desk)
  expect(after).toMatchObject({ pairs: 1, earlier: before.earlier })
  expect(sumOf(after)).toBe(after.result)
  expect(after.rungPairs).toMatchObject([{ ladder: '', level: '', open: '0', pairs: 1 }])
})
