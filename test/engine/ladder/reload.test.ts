import { expect, test } from 'vitest'
import { askingGrid, EngineHarness, fileOf } from '#test/engine/support/engine-harness.ts'

const text = fileOf('static-grid')

test('a changed file changes only its own parts: the ladder is recomputed, fills and generations stay', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  const smaller = text.replace('total: 2100 quote', 'total: 1050 quote')
  harness.settle(harness.tell({ kind: 'reloaded', name: 'sgrid', text: smaller }))
  harness.settle(harness.wait(1000))
  const { rungs, filled } = harness.ladder('sgrid', 'grid')
  expect(filled).toEqual(['b1'])
  expect(rungs.find(({ level }) => level === 'b2')).toMatchObject({
    amount: '0.000889',
    order: 'sgrid.grid.b2.2',
  })
  expect(harness.order('sgrid.grid.b2.2').status).toBe('resting')
  expect(harness.order('sgrid.grid.b2.1')).toMatchObject({ status: 'ended', why: 'cancelled' })
  expect(harness.engine.state.strategies['sgrid']?.holdings['btc']?.position).toBe('0.001764')
})

test.each([
  ['an anchor', text, 'anchor: 60000', 'anchor: 58000'],
  [
    'a value of let that the anchor reads',
    text
      .replace('anchor: 60000', 'anchor: middle')
      .replace('price: last(px)', 'price: last(px)\n  middle: 60000.0'),
    'middle: 60000.0',
    'middle: 58000.0',
  ],
])('a changed file recomputes the ladder if only %s is another one', (_, file, before, after) => {
  const harness = new EngineHarness([file])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  const lowest = () => harness.ladder('sgrid', 'grid').rungs.find(({ level }) => level === 's1')?.price
  expect(lowest()).toBe('60500')
  expect(file).toContain(before)
  harness.settle(harness.tell({ kind: 'reloaded', name: 'sgrid', text: file.replace(before, after) }))
  harness.settle(harness.wait(1000))
  expect(lowest()).toBe('58500')
})
