import { expect, test } from 'vitest'
import { addHoldings } from '#src/operate/dashboard/tables/holding-rows.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { statusOf, type StrategyStatus } from '#src/operate/dashboard/status.ts'
import type { PairRow } from '#src/operate/dashboard/tables/tables.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { EngineHarness } from '#test/engine/support/engine-harness.ts'
import { atWork } from './dashboard-fixture.ts'

const known = ({ engine: { state } }: EngineHarness) => new StrategyCache().of(state)

function statusAt(harness: EngineHarness): StrategyStatus {
  const [own] = statusOf(harness.engine.state, known(harness), null).strategies
  return own!
}

function rowsAt(harness: EngineHarness): Record<string, PairRow> {
  const pairs: Record<string, PairRow> = {}
  const { state } = harness.engine
  for (const [name, own] of Object.entries(state.strategies))
    addHoldings(
      state,
      name,
      own,
      { compiled: known(harness).get(name), report: undefined },
      { holdings: {}, pairs },
    )
  return pairs
}

/** Sets the price and lets the engine settle. */
function moveTo(harness: EngineHarness, price: number): void {
  harness.quote('BTC_USDT', price)
  harness.settle(harness.wait(1000))
}

function fill(harness: EngineHarness, id: string, part?: number): void {
  harness.settle(harness.fill(id, part))
  harness.settle(harness.wait(1000))
}

const sumOf = ({ gridProfit, floating, earlier }: StrategyStatus) =>
  new Decimal(gridProfit).plus(floating).plus(earlier).toFixed()

/** The bid at 59500 and its mirror at 60000 have filled, and the bid at 59000 by half. */
function traded(): EngineHarness {
  const harness = atWork('01-static-grid')
  fill(harness, 'sgrid.grid.b1.1')
  fill(harness, 'sgrid.grid.mb1.1')
  fill(harness, 'sgrid.grid.b2.1', 0.5)
  moveTo(harness, 59_200)
  return harness
}

test('status shows grid profit and floating result by strategy and rung', () => {
  const harness = traded()
  const [bid, mirror, half] = ['b1', 'mb1', 'b2'].map((level) => harness.order(`sgrid.grid.${level}.1`))
  if (!bid || !mirror || !half) throw new Error('an order is missing')
  expect([bid.price, mirror.price, half.price]).toEqual(['59500', '60000', '59000'])
  const made = new Decimal(mirror.money).minus(bid.money).minus(bid.fee).minus(mirror.fee).toFixed()
  const floating = new Decimal(half.filled).times(59_200).minus(half.money).minus(half.fee).toFixed()
  const status = statusAt(harness)
  expect(status).toMatchObject({ pairs: 1, gridProfit: made, floating, earlier: '0' })
  expect(sumOf(status)).toBe(status.result)
  expect(status.rungPairs).toEqual([
    { ladder: 'grid', level: 'b1', pairs: 1, profit: made, open: '0', floating: '0' },
    { ladder: 'grid', level: 'b2', pairs: 0, profit: '0', open: half.filled, floating },
  ])
  expect(rowsAt(harness)['sgrid.grid.b2']).toEqual({
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
  const harness = atWork('01-static-grid')
  // Too little for a mirror.
  fill(harness, 'sgrid.grid.b1.1', 0.03)
  const part = harness.order('sgrid.grid.b1.1')
  harness.at += 1000
  const about = { strategy: 'sgrid', ladder: 'grid', amount: part.filled, price: '58000', reason: 'by hand' }
  harness.tell({ kind: 'operator', act: 'write-off', ...about })
  const lost = new Decimal(part.filled).times(58_000).minus(part.money).minus(part.fee).toFixed()
  const level = { ladder: 'grid', level: 'b1', pairs: 1, profit: lost, open: '0', floating: '0' }
  expect(statusAt(harness)).toMatchObject({ gridProfit: lost, rungPairs: [level] })
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
  const harness = traded()
  const result = statusAt(harness).result
  harness.engine = new Engine(asBefore(harness.engine.state))
  const before = statusAt(harness)
  const half = harness.order('sgrid.grid.b2.1')
  expect(before).toMatchObject({ pairs: 0, gridProfit: '0', result })
  expect(sumOf(before)).toBe(result)
  expect(before.rungPairs).toMatchObject([{ ladder: '', level: '', open: half.filled }])
  fill(harness, 'sgrid.grid.mb2.1')
  const after = statusAt(harness)
  expect(after).toMatchObject({ pairs: 1, earlier: before.earlier })
  expect(sumOf(after)).toBe(after.result)
  expect(after.rungPairs).toMatchObject([{ ladder: '', level: '', open: '0', pairs: 1 }])
})
