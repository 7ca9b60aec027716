import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { EngineHarness, fileOf } from '#test/engine/support/engine-harness.ts'

const market = 'BTC_USDT'
const pause = { kind: 'operator', act: 'pause', strategy: 'sgrid', reason: 'lunch' } as const
const resume = { kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'back' } as const

function resting(): EngineHarness {
  const harness = new EngineHarness([fileOf('static-grid')])
  harness.quote(market, 60_000)
  harness.settle(harness.candle(market, '1m', 60_000))
  return harness
}

test('a pause leaves open entries, places no new ones, and lets exits work', () => {
  const harness = resting()
  const before = harness.resting()
  expect(before.length).toBeGreaterThan(5)
  harness.settle(harness.tell(pause))
  harness.settle(harness.wait(60_000))
  expect(harness.resting()).toEqual(before)

  // The mirror of a fill is an exit. Its rung, and the rungs that come into the window, wait.
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  harness.settle(harness.wait(60_000))
  const now = harness.resting()
  expect(now.filter((id) => !before.includes(id))).toEqual(['sgrid.grid.mb1.1'])
  harness.settle(harness.fill('sgrid.grid.mb1.1'))
  harness.settle(harness.wait(60_000))
  expect(harness.resting().filter((id) => !before.includes(id))).toEqual([])
})

test('a pause survives a restart and a reload, and ends with resume only', () => {
  const harness = resting()
  harness.settle(harness.tell(pause))
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  harness.settle(harness.tell({ kind: 'reloaded', name: 'sgrid', text: fileOf('static-grid') }))
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  harness.settle(harness.fill('sgrid.grid.mb1.1'))
  harness.settle(harness.wait(86_400_000))
  expect(harness.engine.state.strategies['sgrid']?.pauses).toEqual({ 'the operator': 'lunch' })
  expect(harness.resting()).not.toContain('sgrid.grid.b1.2')

  harness.quote(market, 60_000)
  harness.settle(harness.candle(market, '1m', 60_000))
  harness.settle(harness.tell(resume))
  harness.settle(harness.wait(1000))
  expect(harness.engine.state.strategies['sgrid']?.pauses).toEqual({})
  expect(harness.resting()).toContain('sgrid.grid.b1.2')
})
