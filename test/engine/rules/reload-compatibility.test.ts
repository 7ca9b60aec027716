import { expect, test } from 'vitest'
import { reloadFaults } from '#src/engine/rules/reload-compatibility.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { EngineHarness, fileOf, venue } from '#test/engine/support/engine-harness.ts'

const text = fileOf('static-grid')

/** What is said of a text with this instead of that, after so much has happened. */
function said(harness: EngineHarness, from: string | RegExp, to: string): string[] {
  const able = text.replace('needs: [bulk,', 'needs: [bulk, position_side_short,')
  const changed = able.replaceAll(from, to)
  expect(changed).not.toBe(able)
  const read = readStrategy(new TextEncoder().encode(changed))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  return reloadFaults(harness.engine.state, read.strategy).map(
    ({ path, message }) => `${path.map(String).join(',')}: ${message}`,
  )
}

test('a market name cannot change its market while orders or a position are open under it', () => {
  const harness = new EngineHarness([text])
  const change = ['symbol: BTC_USDT', 'symbol: ETH_USDT'] as const
  expect(said(harness, ...change)).toEqual([])
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  expect(said(harness, ...change)).toEqual([
    'markets,btc: orders are open under the name "btc", which means BTC_USDT long',
  ])
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  const held = 'a position is open under the name "btc", which means BTC_USDT long'
  expect(said(harness, ...change)).toEqual([`markets,btc: ${held}`])
  expect(said(harness, 'btc', 'coin')).toEqual([`markets: ${held}`])
  expect(said(harness, 'symbol: BTC_USDT', 'symbol: BTC_USDT, positionSide: short')).toEqual([
    `markets,btc: ${held}`,
  ])
  expect(said(harness, 'max_open_orders: 24', 'max_open_orders: 20')).toEqual([])
})

test('a ladder cannot change its name or market while it has open orders or a position', () => {
  const harness = new EngineHarness([text])
  const renamed = [/\bgrid\b/g, 'mesh'] as const
  const moved = [
    /(btc: \{ symbol: BTC_USDT \})([^]*)market: btc\n( +side)/g,
    '$1\n  other: { symbol: ETH_USDT }$2market: other\n$3',
  ] as const
  expect([said(harness, ...renamed), said(harness, ...moved)]).toEqual([[], []])
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  const rest = 'by the ladder "grid" in the market "btc", and no other ladder would manage that'
  expect(said(harness, ...renamed)).toEqual([`ladder: orders are open ${rest}`])
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  expect(said(harness, ...renamed)).toEqual([`ladder: a position is open ${rest}`])
  expect(said(harness, ...moved)).toEqual([`ladder,grid,market: a position is open ${rest}`])
})

test('a strategy without a valid file is reported by name', () => {
  const harness = new EngineHarness([text])
  const strategies = [{ name: 'broken', text: 'name: broken\nversion: 1\n' }]
  harness.tell({ kind: 'began', venue, strategies, tag: undefined })
  const alerts = harness.steps.flatMap(({ step }) => step.notes).filter(({ type }) => type === 'alert')
  expect(alerts).toMatchObject([
    { strategy: 'broken', message: expect.stringMatching(/is not a valid strategy/) },
  ])
})

test('open orders and positions of a strategy that does not run, or was renamed, are reported at each start', () => {
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  const { position } = harness.ladder('sgrid', 'grid').held
  const alive = harness.resting().length
  const other = { name: 'agrid', text: text.replace('name: sgrid', 'name: agrid') }
  const begin = (strategies: { name: string; text: string }[]) =>
    harness.tell({ kind: 'began', venue, strategies }).notes.filter(({ type }) => type === 'alert')
  expect(begin([other])).toMatchObject([
    {
      strategy: 'sgrid',
      ladder: 'grid',
      message: expect.stringMatching(
        `^sgrid.grid holds ${position} and has ${alive} orders that may be open, and sgrid does not run`,
      ),
    },
  ])
  expect(begin([other, { name: 'sgrid', text }])).toEqual([])
})
