import { expect, test } from 'vitest'
import type { OrderAnswer } from '#src/engine/events.ts'
import {
  accepted,
  askingGrid,
  type HarnessOrder,
  refusal,
  submitsOf,
} from '#test/engine/support/engine-harness.ts'

const wouldTake = refusal(13, "This order couldn't be executed as a maker order and was canceled.")
const nothing = { filled: '0', money: '0', fee: '0' }

/** Answers to the rung b1, whose order must not take; the other rungs are accepted. */
function answeredWith(answer: (order: HarnessOrder) => OrderAnswer) {
  const { harness, step } = askingGrid()
  const [submit] = submitsOf(step)
  const order = submit?.orders.find(({ level }) => level === 'b1')
  if (!submit || !order) throw new Error('nothing was sent')
  const { chunk, orders } = submit
  const answers = orders.map((each) => (each === order ? answer(order) : accepted(each)))
  const { notes } = harness.tell({ kind: 'answered', chunk, orders: answers })
  return { harness, order, notes: notes.filter((note) => 'order' in note && note.order === order.id) }
}

test('an order that must not take and would have taken is reported with its price and the message of the venue', () => {
  const refused = answeredWith(() => wouldTake)
  const { price } = refused.order
  const words = { type: 'order-would-take', strategy: 'sgrid', ladder: 'grid', price }
  const { code, message } = {
    code: 13,
    message: "This order couldn't be executed as a maker order and was canceled.",
  }
  expect(refused.notes).toContainEqual(expect.objectContaining({ ...words, code, message }))
  // Other venues accept it and end it at once.
  const ended = answeredWith((order) => ({ ...accepted(order), ...nothing, ended: true }))
  const atOnce = 'the venue accepted the order and ended it at once'
  expect(ended.notes).toContainEqual(expect.objectContaining({ ...words, code: null, message: atOnce }))
})

test('an order that has filled a part before it ended did not take', () => {
  const { notes } = answeredWith((order) => {
    const { price, amount } = order
    const money = (Number(price) * Number(amount)).toFixed(8)
    return { ...accepted(order), filled: amount, money, fee: '0', ended: true }
  })
  expect(notes.map(({ type }) => type)).toContain('fill')
  expect(notes.map(({ type }) => type)).not.toContain('order-would-take')
})

test('an open order that the bot does not know is reported with its id, and an ended one is not', () => {
  const { harness } = askingGrid()
  const seen = (ended: boolean) =>
    harness.tell({ kind: 'seen', orders: [{ id: 'by.hand', venueId: '7', ...nothing, ended }] }).notes
  expect(seen(false)).toContainEqual(
    expect.objectContaining({
      type: 'drift',
      message: 'by.hand is open at the venue but unknown to the bot',
    }),
  )
  expect(seen(true)).toEqual([])
})

test('a cancellation of an ended or unknown order changes nothing', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  harness.quote('BTC_USDT', 61_200)
  const [cancel] = harness.wait(1000).commands
  const id = cancel?.kind === 'cancel' ? (cancel.orders[0]?.id ?? '') : ''
  expect(harness.withdrawn([id], 'canceled').notes).toContainEqual(
    expect.objectContaining({ type: 'order-canceled', order: id }),
  )
  for (const other of [id, 'by.hand']) expect(harness.withdrawn([other], 'canceled').notes).toEqual([])
})

test('an order in flight when the process ends is unknown to the next one, with that reason', () => {
  const { harness, step } = askingGrid()
  const [submit] = submitsOf(step)
  const { notes } = harness.begin()
  for (const { id } of submit?.orders ?? [])
    expect(notes).toContainEqual(
      expect.objectContaining({
        type: 'order-unknown',
        order: id,
        reason: 'the process ended while it was in flight',
      }),
    )
})
