import { expect, test } from 'vitest'
import { ShownEvents } from '#src/cli/run/shown-events.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'

const rung = {
  at: 1,
  strategy: 'sgrid',
  ladder: 'grid',
  rung: 'b1',
  market: 'BTC_USDT',
  side: 'buy',
} as const
const order = { ...rung, order: 'sgrid.grid.b1.1' }
const fill: BotEvent = { type: 'fill', ...order, amount: '1', price: '5', money: '5', fee: '0' }
const accepted: BotEvent = { type: 'order-accepted', ...order, amount: '1', price: '5' }
const debug: BotEvent = { type: 'journal-snapshot', at: 1, records: 1 }
const stale = (ageMs: number, market = 'BTC_USDT'): BotEvent => ({
  type: 'feed-stale',
  at: 1,
  market,
  feed: 'px',
  ageMs,
})

const refused = (label: string, message: string): BotEvent => ({
  type: 'order-refused',
  ...order,
  rung: label,
  order: `sgrid.grid.${label}.1`,
  code: 10,
  message,
})

test('what a trader acts on is shown, routine events are not', () => {
  const shown = new ShownEvents()
  expect(shown.take(fill, 0)).toBe(0)
  expect(shown.take(fill, 1)).toBe(0)
  expect(shown.take(accepted, 2)).toBeUndefined()
  expect(shown.take(debug, 3)).toBeUndefined()
})

test('a warning that differs only in its numbers is a repeat for ten minutes; the next one says how many there were', () => {
  const shown = new ShownEvents()
  expect(shown.take(stale(5000), 0)).toBe(0)
  expect(shown.take(stale(7250.5), 1000)).toBeUndefined()
  expect(shown.take(stale(1, 'ETH_USDT'), 1000)).toBe(0)
  expect(shown.take(stale(1), 599_999)).toBeUndefined()
  expect(shown.take(stale(1), 600_000)).toBe(2)
  expect(shown.take(stale(1), 1_200_000)).toBe(0)
})

test('a refusal of another rung for the same reason is a repeat, and one for another reason is not', () => {
  const shown = new ShownEvents()
  expect(shown.take(refused('b1', 'Not enough balance: 5.1'), 0)).toBe(0)
  expect(shown.take(refused('b2', 'Not enough balance: 6'), 0)).toBeUndefined()
  expect(shown.take(refused('b2', 'Price is out of range'), 0)).toBe(0)
})

const lost = (strategy: string, reason: string): BotEvent => ({
  type: 'order-unknown',
  ...order,
  strategy,
  reason,
})

test('names with digits are different subjects, and ids in a reason are not', () => {
  const shown = new ShownEvents()
  expect(shown.take(lost('grid1', 'no answer to 7f3a'), 0)).toBe(0)
  expect(shown.take(lost('grid2', 'no answer to 7f3a'), 0)).toBe(0)
  expect(shown.take(lost('grid2', 'no answer to a9c1'), 0)).toBeUndefined()
})

test('the last pause or stop is always shown', () => {
  const shown = new ShownEvents()
  const stopped: BotEvent = { type: 'stopped', at: 1, reason: 'lunch' }
  for (const event of [stopped, stopped]) expect(shown.take(event, 0)).toBe(0)
})

test('alerts, halts and errors are never repeats', () => {
  const shown = new ShownEvents()
  const alert: BotEvent = { type: 'alert', at: 1, message: 'look' }
  const halted: BotEvent = { type: 'halted', at: 1, strategy: 'sgrid', reason: 'loss' }
  for (const event of [alert, alert, halted, halted]) expect(shown.take(event, 0)).toBe(0)
})

test('verbose shows routine events and repeats, but no debug events', () => {
  const shown = new ShownEvents(true)
  for (const event of [accepted, accepted, stale(1), stale(1)]) expect(shown.take(event, 0)).toBe(0)
  expect(shown.take(debug, 3)).toBeUndefined()
})
