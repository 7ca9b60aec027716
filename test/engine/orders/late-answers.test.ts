import { expect, test } from 'vitest'
import { accepted, askingGrid, submitsOf } from '#test/engine/support/engine-harness.ts'

test('a list may be faster than the answer: the order ends once, and the answer is logged all the same', () => {
  const { harness, step } = askingGrid()
  const [{ chunk, orders: [first] } = { chunk: 0, orders: [] }] = submitsOf(step)
  if (!first) throw new Error('nothing was sent')
  const { id } = first
  harness.fill(id)
  const position = () => harness.engine.state.strategies['sgrid']?.holdings['btc']?.position
  const before = position()
  const { notes } = harness.tell({ kind: 'answered', chunk, orders: [accepted(first)] })
  expect(notes).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 'order-accepted', order: id })]),
  )
  expect(harness.order(id).status).toBe('ended')
  expect(position()).toBe(before)
})

test('a list from before the end of an order is no drift', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  const id = 'sgrid.grid.b1.1'
  harness.settle(harness.fill(id, 1))
  expect(harness.order(id).status).toBe('ended')
  const venueId = harness.order(id).venueId ?? ''
  const { notes } = harness.tell({
    kind: 'seen',
    orders: [{ id, venueId, filled: '0', money: '0', fee: '0', ended: false }],
  })
  expect(notes.filter(({ type }) => type === 'drift')).toEqual([])
  expect(harness.order(id).status).toBe('ended')
})
