import { expect, test } from 'vitest'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'

test('sleepers wake in the order of their times, and only after the clock has reached them', async () => {
  const clock = new ManualClock(1000)
  const woken: number[] = []
  const sleepers = [30, 10, 20].map(async (ms) => {
    await clock.sleep(ms)
    woken.push(ms)
  })
  clock.advance(20)
  await Promise.all(sleepers.slice(1))
  expect(woken).toEqual([10, 20])
  clock.advance(10)
  await Promise.all(sleepers)
  expect(woken).toEqual([10, 20, 30])
})

test('turning moves both clocks; stepping moves only the wall clock and wakes no sleeper', async () => {
  const clock = new ManualClock(1000)
  let awake = false
  const sleeper = (async () => {
    await clock.sleep(5)
    awake = true
  })()
  clock.step(-600)
  await Promise.resolve()
  expect({ now: clock.now(), monotonic: clock.monotonic(), awake }).toEqual({
    now: 400,
    monotonic: 0,
    awake: false,
  })
  clock.advance(5)
  await sleeper
  expect({ now: clock.now(), monotonic: clock.monotonic() }).toEqual({ now: 405, monotonic: 5 })
})

test('a manual clock knows the next sleeper, and drops an aborted sleep, also one aborted before it began', async () => {
  const clock = new ManualClock(1000, 7)
  const calling = new AbortController()
  const sleeping = clock.sleep(10, calling.signal)
  const later = clock.sleep(20)
  expect(clock.nextDue).toBe(17)
  calling.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  await expect(clock.sleep(1, calling.signal)).rejects.toThrow('enough')
  expect(clock.nextDue).toBe(27)
  clock.turnTo({ now: 5000, monotonic: 27 })
  await later
  expect([clock.nextDue, clock.now(), clock.monotonic()]).toEqual([Infinity, 5000, 27])
})

test('an aborted sleep of the real clock ends early, with the reason', async () => {
  const calling = new AbortController()
  const sleeping = systemClock.sleep(60_000, calling.signal)
  calling.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  await expect(systemClock.sleep(60_000, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
})

test('a sleep of the real clock never ends before its time', async () => {
  for (const ms of Array.from({ length: 30 }, (_, index) => 5 + index / 31)) {
    const began = systemClock.monotonic()
    await systemClock.sleep(ms)
    expect(systemClock.monotonic() - began).toBeGreaterThanOrEqual(ms)
  }
})

test("a month's sleep of the real clock does not end at once", async () => {
  const calling = new AbortController()
  const sleeping = systemClock.sleep(31 * 86_400_000, calling.signal)
  const first = await Promise.race([sleeping.then(() => 'awake'), systemClock.sleep(20).then(() => 'asleep')])
  expect(first).toBe('asleep')
  calling.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
})
