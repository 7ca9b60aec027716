import { expect, test } from 'vitest'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { reasonsOf } from '#src/operate/dashboard/reasons.ts'
import { tablesOf, type TableContext } from '#src/operate/dashboard/tables/table-rows.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import type { EngineHarness } from '#test/engine/support/engine-harness.ts'
import { atWork, begun } from './dashboard-fixture.ts'

const about: TableContext = {
  pid: 1,
  version: '1.2.3',
  venueUrl: 'http://127.0.0.1:1',
  real: false,
  waiting: 0,
  contact: { readAt: null, lost: { since: 5, reason: 'a cable' } },
  dashboard: null,
  files: new Map([['sgrid', 'grid.yaml']]),
  lanes: [],
  trades: {},
}

/** The tables of an engine. */
function seen({ engine: { state } }: EngineHarness): Tables {
  const known = new Map(
    Object.entries(state.strategies).map(([name, { text }]) => [name, compileStrategy(text, state.venue)!]),
  )
  const reasons = new Map(
    [...known].map(([name, compiled]) => [name, reasonsOf(state, compiled, state.strategies[name]!)]),
  )
  return tablesOf(state, known, reasons, about)
}

test('a ladder without a price shows the rungs that it would have, with their reasons', () => {
  const harness = begun('05-market-making')
  const { ladders, rungs, feeds, bot } = seen(harness)
  expect(Object.values(ladders)).toMatchObject([
    { strategy: 'mm2s', ladder: 'bids', resting: 0, position: '0' },
    { strategy: 'mm2s', ladder: 'asks', resting: 0, position: '0' },
  ])
  expect(Object.values(rungs).length).toBeGreaterThan(1)
  for (const rung of Object.values(rungs))
    expect(rung).toMatchObject({ state: 'missing', why: expect.any(String) })
  expect(Object.values(feeds)[0]).toMatchObject({ strategy: 'mm2s', heardAt: null })
  expect(bot['']).toMatchObject({ equity: '100000', lost: 'a cable', lostSince: 5, version: '1.2.3' })
})

test('a grid shows resting orders, fills, holdings, and the reasons of the other rungs', () => {
  const harness = atWork('01-static-grid')
  const [first = ''] = harness.resting()
  harness.settle(harness.fill(first))
  harness.settle(harness.wait(1000))
  const { strategies, markets, ladders, rungs, orders, holdings, limits, rules } = seen(harness)
  const resting = harness.resting()
  expect(Object.keys(orders)).toEqual(resting)
  expect(strategies['sgrid']).toMatchObject({ running: true, resting: resting.length, file: 'grid.yaml' })
  expect(markets['BTC_USDT']).toMatchObject({
    bid: '59999',
    ask: '60001',
    last: '60000',
    at: expect.any(Number),
  })
  expect(ladders['sgrid.grid']).toMatchObject({
    market: 'BTC_USDT',
    goal: 'ensure',
    anchor: '60000',
    filled: 1,
  })
  const standing = Object.values(rungs).filter(({ state }) => state === 'resting')
  expect(standing.length).toBe(ladders['sgrid.grid']?.resting)
  expect(Object.values(rungs).find(({ order }) => order === first)).toMatchObject({ state: 'filled' })
  for (const { state, why } of Object.values(rungs))
    if (state === 'missing') expect(why).toEqual(expect.any(String))
  const { amount } = harness.order(first)
  const sign = harness.order(first).side === 'buy' ? '' : '-'
  expect(holdings['sgrid.btc']).toMatchObject({ market: 'BTC_USDT', position: `${sign}${amount}` })
  expect(Number(holdings['sgrid.btc']?.worth)).toBeCloseTo(60_000 * Number(`${sign}${amount}`))
  expect(limits['sgrid.max_open_orders']).toMatchObject({ used: String(resting.length), most: '24' })
  expect(rules['sgrid.place']).toMatchObject({ truth: 'true', leaves: expect.stringContaining(' = true') })
})

test('reading the tables does not change the state', () => {
  for (const file of ['01-static-grid', '02-geometric-dip-ladder', '05-market-making']) {
    const harness = atWork(file)
    const before = structuredClone(harness.engine.state)
    seen(harness)
    expect(harness.engine.state).toEqual(before)
  }
})

test('a signal is a feed without a market, with its last value', () => {
  const harness = atWork('09-signal-entry')
  const row = { strategy: 'sigent', feed: 'trend', market: '' }
  expect(seen(harness).feeds['sigent.trend']).toEqual({ ...row, kind: 'signal', heardAt: null })
  harness.tell({ kind: 'signal', name: 'trend', value: 'long' })
  expect(seen(harness).feeds['sigent.trend']).toEqual({ ...row, kind: 'signal long', heardAt: harness.at })
})
