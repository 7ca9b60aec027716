import { expect, test } from 'vitest'
import { ManualClock } from '#src/core/time/clock.ts'
import { SubmitRates } from '#src/runtime/execute/submit-rates.ts'
import type { State } from '#src/engine/state/state.ts'
import { stateWith } from '#test/engine/support/state-fixture.ts'

const running = new AbortController().signal
const rateOf = () => ({ requests: 2, per: 1000 })
const ratesOn = (clock: ManualClock, speed = 1) =>
  new SubmitRates({ clock, speed, rateOf, state: stateWith() })

test('entries wait at the rate of the file and exits at twice the rate, by the monotonic clock', async () => {
  const clock = new ManualClock(0)
  const rates = ratesOn(clock)
  rates.answered(rates.count('s'))
  expect(rates.waitMs('s', 'entry')).toBe(0)
  rates.answered(rates.count('s'))
  // A step of the wall clock does not count.
  clock.step(3_600_000)
  expect(rates.waitMs('s', 'entry')).toBe(999)
  expect(rates.waitMs('s', 'exit')).toBe(0)
  expect(rates.waitMs('other', 'entry')).toBe(0)
  let isDue = false
  const turn = rates.turn('s', 'entry', running).then(() => (isDue = true))
  clock.advance(998)
  await new Promise(setImmediate)
  expect(isDue).toBe(false)
  clock.advance(1)
  await turn
})

test('a request counts until its answer and for a period after it, however long it waits in the client', () => {
  const clock = new ManualClock(0)
  const rates = ratesOn(clock)
  const queued = [rates.count('s'), rates.count('s')]
  clock.advance(60_000)
  expect(rates.waitMs('s', 'entry')).toBe(999)
  expect(rates.waitMs('s', 'exit')).toBe(0)
  // The pause of the client ends: both leave.
  for (const request of queued) rates.answered(request)
  clock.advance(998)
  expect(rates.waitMs('s', 'entry')).toBe(1)
  clock.advance(1)
  expect(rates.waitMs('s', 'entry')).toBe(0)
})

test('requests that wake together leave at the rate', async () => {
  const clock = new ManualClock(0)
  const rates = ratesOn(clock)
  for (const request of [rates.count('s'), rates.count('s')]) rates.answered(request)
  const left: number[] = []
  const leave = async () => {
    const request = await rates.turn('s', 'entry', running)
    left.push(clock.monotonic())
    rates.answered(request)
  }
  const leaving = Promise.all([leave(), leave(), leave()])
  clock.advance(999)
  await new Promise(setImmediate)
  expect(left).toEqual([999, 999])
  clock.advance(999)
  await new Promise(setImmediate)
  await leaving
  expect(left).toEqual([999, 999, 1998])
})

test('a request counts from its answer, and the period is in venue time', () => {
  const clock = new ManualClock(0)
  const rates = ratesOn(clock, 10)
  const first = rates.count('s')
  rates.answered(rates.count('s'))
  expect(rates.waitMs('s', 'entry')).toBe(99)
  clock.advance(50)
  rates.answered(first)
  clock.advance(49)
  expect(rates.waitMs('s', 'entry')).toBe(0)
  rates.count('s')
  expect(rates.waitMs('s', 'entry')).toBe(50)
})

test('requests of an earlier process count from the start of this one', () => {
  const clock = new ManualClock(0)
  // Of the first one it is not known that it has left: it may have waited in the queue.
  const sends = [-1000, -999].map((ms, chunk) => ({ at: ms, orders: 1, chunk }))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of a strategy is read
  const state = { at: 0, strategies: { s: { sends } }, chunks: { 0: {} } } as unknown as State
  const rates = new SubmitRates({ clock, speed: 1, rateOf, state })
  expect(rates.waitMs('s', 'entry')).toBe(999)
  clock.advance(999)
  expect(rates.waitMs('s', 'entry')).toBe(0)
})
