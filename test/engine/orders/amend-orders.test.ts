import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { cancelFault } from '#src/engine/orders/cancel-by-operator.ts'
import { wholeExplanations } from '#src/engine/explain/explanation.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import type { Step } from '#src/engine/step-context.ts'
import { moved, named, quotesWith } from '#test/engine/support/amended-quotes.ts'
import { replayExplanation } from '#test/engine/support/explanation-replay.ts'
import {
  cancelsOf,
  EngineHarness,
  progress,
  refusal,
  submitsOf,
  told,
} from '#test/engine/support/engine-harness.ts'

const [bid, ask] = ['mm.bids.1.1', 'mm.asks.1.1']
const [nextBid, nextAsk] = ['mm.bids.1.2', 'mm.asks.1.2']

function answer(harness: EngineHarness, step: Step, one: OrderAnswer): Step {
  const [{ chunk } = { chunk: -1 }] = submitsOf(step)
  return harness.tell({ kind: 'answered', chunk, orders: [one] })
}

/** The answer for the first amendment. */
function answered(one: OrderAnswer): { harness: EngineHarness; step: Step } {
  const { harness, step } = moved()
  return { harness, step: answer(harness, step, one) }
}

const gone = { kind: 'refused', code: 2, message: 'not found', alreadyUsed: false, refusal: 'gone' } as const
const unknown = { kind: 'unknown', reason: 'no answer' } as const
const open = (harness: EngineHarness, ladder: string) => harness.ladder('mm', ladder).open

test('two quotes that move are amended one after the other, and none is cancelled', () => {
  const { harness, step } = moved()
  const [first] = submitsOf(step)
  expect(told(first?.orders ?? [])).toEqual([`${nextBid} buy 0.006686 at 59819.4`])
  expect(first?.orders[0]?.amends).toEqual({ id: bid, venueId: `v ${bid}`, clientId: bid })
  expect(cancelsOf(step)).toEqual([])
  // The other quote stays while the first one has no answer.
  expect(harness.wait(1000).commands).toEqual([])
  const sent = harness.settle(step, named)
  expect(sent.map(({ id, amends }) => [id, amends?.id])).toEqual([
    [nextBid, bid],
    [nextAsk, ask],
  ])
  harness.takenBack(bid, ask)
  expect(harness.resting().toSorted()).toEqual([nextAsk, nextBid])
  expect(harness.wait(5000).commands).toEqual([])
  // The venue shows the id of the former order.
  expect(cancelFault(harness.engine.state, bid)).toBe(
    `there is no open order ${bid}; fix: at the venue, ${nextBid} has this client order id: rungs cancel ${nextBid}`,
  )
})

test('an amended order that moves again keeps the client order id of the first one', () => {
  const { harness, step } = moved()
  harness.settle(step, named)
  harness.takenBack(bid, ask)
  harness.at += 2000
  const [again] = submitsOf(harness.quote('BTC_USDT', 60_240))
  expect(again?.orders[0]?.amends).toEqual({ id: nextBid, venueId: `v ${nextBid}`, clientId: bid })
})

test('three quotes that move are cancelled and placed together', () => {
  const { harness, step } = moved(quotesWith(2))
  expect(submitsOf(step)).toEqual([])
  expect(cancelsOf(step)).toHaveLength(4)
  const sent = harness.settle(step, named)
  expect(sent).toHaveLength(4)
  expect(sent.some(({ amends }) => amends)).toBe(false)
})

test('both orders count until the end of the old one is known: a limit without room for both cancels first', () => {
  const { harness, step } = moved(quotesWith(1, 'max_open_orders: 2'))
  expect(submitsOf(step)).toEqual([])
  expect(cancelsOf(step).toSorted()).toEqual([ask, bid])
  expect(
    harness
      .settle(step, named)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([nextAsk, nextBid])
})

test('while a chunk has no answer, moved quotes are cancelled', () => {
  const harness = new EngineHarness([quotesWith(2)])
  const first = harness.quote('BTC_USDT', 60_000)
  harness.settle(first, named)
  harness.settle(harness.fill('mm.bids.1.1'))
  harness.at += 2000
  // The filled level is placed again, and the three other orders stay where they are.
  const refill = harness.wait(0)
  expect(told(submitsOf(refill)[0]?.orders ?? [])).toHaveLength(1)
  harness.takenBack('mm.bids.2.1', 'mm.asks.2.1')
  harness.at += 2000
  expect(cancelsOf(harness.quote('BTC_USDT', 60_120))).toEqual(['mm.asks.1.1'])
})

test('a fill of the old order before its end is booked once, beside those of the new order', () => {
  const { harness, step } = moved()
  harness.settle(step, named)
  const fill = { ...progress({ price: '59700' }, '0.002', true), id: bid, venueId: `v ${bid}` }
  harness.tell({ kind: 'seen', orders: [fill] })
  harness.tell({ kind: 'seen', orders: [fill] })
  harness.takenBack(bid)
  const half = { ...progress({ price: '59819.4' }, '0.003', false), id: nextBid, venueId: `v ${nextBid}` }
  harness.tell({ kind: 'seen', orders: [half] })
  expect(harness.ladder('mm', 'bids').held).toMatchObject({ position: '0.005', cost: '298.8582' })
})

test('a refused amendment leaves the order as it was, and for a minute moved orders are cancelled and placed', () => {
  const { harness, step } = answered(refusal(10, 'not enough balance'))
  expect(harness.order(nextBid).status).toBe('ended')
  expect(open(harness, 'bids')).toEqual({ 1: bid })
  expect(harness.order(bid)).toMatchObject({ status: 'resting', withdrawing: true })
  expect(cancelsOf(step).toSorted()).toEqual([ask, bid])
  // The refusal is one of the change, not of the rung.
  expect(
    harness
      .settle(step, named)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([nextAsk, 'mm.bids.1.3'])
  harness.at += 30_000
  const again = harness.quote('BTC_USDT', 60_240)
  expect(submitsOf(again)).toEqual([])
  expect(cancelsOf(again).toSorted()).toEqual([nextAsk, 'mm.bids.1.3'])
  harness.settle(again, named)
  harness.at += 30_000
  expect(submitsOf(harness.quote('BTC_USDT', 60_360))[0]?.orders[0]?.amends?.id).toBe('mm.bids.1.4')
})

test('an amendment that was not sent leaves the order, which can be amended later', () => {
  const { harness, step } = answered({ kind: 'not-sent', cause: 'unreachable', reason: 'refused' })
  expect(harness.order(nextBid).status).toBe('ended')
  expect(open(harness, 'bids')).toEqual({ 1: bid })
  expect(harness.ladder('mm', 'bids').amendAfter).toBeUndefined()
  // Meanwhile the strategy may send nothing, and the quotes are at old prices.
  expect(cancelsOf(step).toSorted()).toEqual([ask, bid])
  expect(submitsOf(step)).toEqual([])
})

test('if the venue no longer has the order, the outcome of both is unknown: an earlier delivery may have replaced it', () => {
  const { harness } = answered(gone)
  for (const id of [bid, nextBid]) expect(harness.order(id).status).toBe('doubtful')
})

test('an order that is gone is reported as unknown only after a search that finds no fill', () => {
  const { harness } = answered(gone)
  expect(harness.notes()).not.toContain('order-unknown')
  const ids = [bid, nextBid]
  const search = () =>
    harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, found: {}, listed: false, freeze: null })
      .notes
  expect(search()).toMatchObject([
    { type: 'order-unknown', order: bid, reason: expect.stringContaining('no longer has the order') },
    { type: 'order-unknown', order: nextBid, reason: expect.stringContaining('no longer has the order') },
  ])
  harness.wait(2000)
  expect(search()).toEqual([])
  const filled = { ...progress({ price: '59700' }, harness.order(bid).amount, true), venueId: `v ${bid}` }
  harness.wait(4000)
  const found = { ids, fencedAt: harness.at, found: { [bid]: filled }, listed: false, freeze: null }
  expect(harness.tell({ kind: 'evidence', ...found }).notes).toMatchObject([
    { type: 'fill', order: bid },
    { type: 'order-ended', order: bid },
    { type: 'order-resolved', order: bid, outcome: 'placed' },
    {
      type: 'order-resolved',
      order: nextBid,
      outcome: 'absent',
      reason: expect.stringContaining('has filled'),
    },
    { type: 'order-ended', order: nextBid },
  ])
})

test('an order that has filled whole was not replaced: the outcome of its amendment is known with the fill', () => {
  for (const one of [unknown, gone]) {
    const { harness } = answered(one)
    harness.fill(bid)
    expect(harness.order(nextBid)).toMatchObject({ status: 'ended', filled: '0' })
    expect(harness.order(bid)).toMatchObject({ status: 'ended', filled: harness.order(bid).amount })
  }
})

test('an amendment that comes too late for a fill is no refusal of the rung', () => {
  const { harness, step } = moved()
  harness.fill(bid)
  answer(harness, step, gone)
  expect(harness.order(nextBid)).toMatchObject({
    status: 'ended',
    why: `${bid}, which it would replace, has filled`,
  })
  expect(harness.notes()).not.toContain('order-refused')
  expect(harness.ladder('mm', 'bids').rungs[0]?.wait.count).toBe(0)
})

test('an amendment without an answer is searched for, and neither amended nor placed again', () => {
  const { harness, step } = answered(unknown)
  expect(harness.order(nextBid).status).toBe('doubtful')
  expect(harness.order(bid).status).toBe('resting')
  const waits = [2000, 2000, 2000, 60_000].map((ms) => harness.wait(ms))
  const commands = [step, ...waits].flatMap((each) => each.commands)
  expect(commands.some((command) => command.kind === 'look' && command.ids.includes(nextBid))).toBe(true)
  const sent = commands.flatMap((command) => (command.kind === 'submit' ? command.orders : []))
  expect(sent.filter(({ ladder }) => ladder === 'bids')).toEqual([])
})

test('an amendment that the search does not find gives the level back to the order that still rests', () => {
  const { harness } = answered(unknown)
  harness.wait(2000)
  const evidence = { ids: [nextBid], fencedAt: harness.at, found: {}, listed: true, freeze: {} }
  harness.tell({ kind: 'evidence', ...evidence })
  expect(harness.order(nextBid).status).toBe('ended')
  expect(open(harness, 'bids')).toEqual({ 1: bid })
})

test('a read that shows the new order before the answer resolves it', () => {
  const { harness, step } = moved()
  const seen = { ...progress({ price: '59819.4' }, '0', false), id: nextBid, venueId: 'v2' }
  harness.tell({ kind: 'seen', orders: [seen] })
  answer(harness, step, unknown)
  expect(harness.order(nextBid)).toMatchObject({ status: 'resting', venueId: 'v2' })
  expect(open(harness, 'bids')).toEqual({ 1: nextBid, [bid]: bid })
})

test('a process that ends during an amendment leaves both orders to the reads of the next one', () => {
  const { harness } = moved()
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  harness.begin()
  expect(harness.order(nextBid).status).toBe('doubtful')
  expect(harness.order(bid)).toMatchObject({ status: 'resting', withdrawing: false })
  expect(open(harness, 'bids')).toEqual({ 1: nextBid, [bid]: bid })
})

test('a halt cancels the order whose amendment has no answer', () => {
  const { harness } = answered(unknown)
  harness.tell({ kind: 'operator', act: 'halt', strategy: 'mm', reason: 'by hand' })
  harness.wait(6000)
  expect(harness.order(bid).withdrawing).toBe(true)
})

test('why says what becomes of a moved quote, and a replay of the explanation gives the same', () => {
  const text = quotesWith()
  const { harness } = moved(text)
  harness.wait(1000)
  const decision = harness.steps.flatMap(({ step }) => wholeExplanations(step.decisions)).at(-1)
  expect(decision?.rungs[0]).toMatchObject({
    level: '1',
    state: 'resting',
    why: `${ask} is still open for this level, at 60300 instead of 60420.6`,
    change: 'the bot amends it, or cancels it first',
  })
  const kept = JSON.parse(JSON.stringify(decision))
  expect(JSON.parse(JSON.stringify(replayExplanation(kept, text)))).toEqual(kept)
})
