import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arrivalSpreadMs } from '#src/venues/whitebit/client/calls/recent-calls.ts'
import { laneCallsMax } from '#src/venues/whitebit/client/calls/call-queue.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { runs } from '#test/properties/runs.ts'
import { held, laneOn, type SentCall } from './call-queue-fixture.ts'
import { clientOf, example, json, settled, startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

async function pauseAfter(strikes: number, retryAfterMs?: number): Promise<unknown> {
  const clock = new ManualClock(startMs)
  const { lane, turn } = laneOn(clock, 1, () => 0)
  for (let strike = 0; strike < strikes; strike++) lane.throttled(retryAfterMs)
  const sent = await settled(lane.run(turn()), clock, 500)
  return sent.kind === 'sent' ? sent.at : sent
}

test('no rolling span holds more calls than its limit, under idle gaps and steps of the wall clock', async () => {
  const arrival = fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(400)),
    stepMs: fc.integer(),
  })
  const limit = fc.record({ calls: fc.integer({ min: 1, max: 4 }), perMs: fc.integer({ min: 1, max: 120 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { maxLength: 25 }),
      limit,
      fc.integer({ min: 1, max: 3 }),
      async (...drawn) => {
        const [arrivals, { calls, perMs }, concurrency] = drawn
        const clock = new ManualClock(startMs)
        const { lane, turn } = laneOn(clock, concurrency)
        const window = new RollingWindow({ calls, perMs })
        const runs: Promise<unknown>[] = []
        const times: number[] = []
        const start = async (): Promise<SentCall> => {
          times.push(clock.monotonic())
          return { kind: 'sent', at: 0 }
        }
        for (const { gapMs, stepMs } of arrivals) {
          clock.advance(gapMs)
          clock.step(stepMs % 3_600_000)
          runs.push(lane.run(turn({ window, start })))
        }
        await settled(Promise.all(runs), clock, 7)
        expect(times).toHaveLength(arrivals.length)
        for (const [index, time] of times.entries()) {
          const later = times[index + calls]
          if (later !== undefined) expect(later - time).toBeGreaterThanOrEqual(perMs)
        }
      },
    ),
    runs(60, 1800, 20),
  )
})

test('a step of the wall clock delays nothing', async () => {
  const clock = new ManualClock(startMs)
  const { lane, turn } = laneOn(clock)
  const window = new RollingWindow({ calls: 1, perMs: 100 })
  await lane.run(turn({ window }))
  clock.step(-3_600_000)
  const second = await settled(lane.run(turn({ window })), clock, 10)
  expect(second).toEqual({ kind: 'sent', at: 100 })
})

test.each([3_600_000, -3_600_000])('nor does one of %i ms end a call before its deadline', async (stepMs) => {
  const times: number[] = []
  const clock = new ManualClock(startMs)
  const { client } = clientOf(
    () => {
      times.push(clock.monotonic())
      return times.length === 1 ? json(429, 'Too Many Requests') : example('fixedClose')
    },
    { clock },
  )
  const id = '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64'
  await client.fixedClose({ id })
  const waiting = client.fixedClose({ id })
  clock.step(stepMs)
  expect((await settled(waiting, clock)).kind).toBe('accepted')
  expect(times).toEqual([0, 1000])
})

test('a queue that is full says so at once', async () => {
  const { lane, turn } = laneOn(new ManualClock(startMs))
  const first = held()
  const runs = Array.from({ length: laneCallsMax }, () => lane.run(turn({ start: first.start })))
  expect(await lane.run(turn())).toMatchObject({ kind: 'not-sent', cause: 'queue-full' })
  first.release()
  await Promise.all(runs)
  expect(await lane.run(turn())).toMatchObject({ kind: 'sent' })
})

describe('after "too many"', () => {
  test('the lane rests as long as asked, between a second and ten minutes', async () => {
    expect(await pauseAfter(1, 5000)).toBe(5000)
    expect(await pauseAfter(1, 0)).toBe(1000)
    expect(await pauseAfter(1, 86_400_000)).toBe(600_000)
  })

  test('or ever longer, up to half a minute', async () => {
    expect(await pauseAfter(1)).toBe(1000)
    expect(await pauseAfter(3)).toBe(4000)
    expect(await pauseAfter(20)).toBe(30_000)
  })
})

describe('the rate of an endpoint', () => {
  test('is kept with room for calls that travel faster than others', async () => {
    const times: number[] = []
    const clock = new ManualClock(startMs)
    const { client } = clientOf(
      () => {
        times.push(clock.monotonic())
        return example('mainBalance')
      },
      { clock },
    )
    const calls = Array.from({ length: 1000 }, () => client.mainBalance())
    await Promise.all(calls)
    expect(times.every((time) => time === 0)).toBe(true)
    await settled(client.mainBalance(), clock)
    expect(times.at(-1)).toBe(10_000 + arrivalSpreadMs)
  })

  test('counts what a run that crashed may have sent just before', async () => {
    const clock = new ManualClock(startMs)
    const memory = { load: () => ({ ceiling: startMs - 4000, recent: null }), save: () => {} }
    const times: number[] = []
    const { client } = clientOf(
      () => {
        times.push(clock.monotonic())
        return example('mainBalance')
      },
      { clock, nonces: new Nonces({ clock, mode: 'strict', memory }) },
    )
    await settled(client.mainBalance(), clock)
    expect(times).toEqual([10_000 + arrivalSpreadMs - 4000])
  })

  test('is not waited for where the venue keeps none', async () => {
    const clock = new ManualClock(startMs)
    const { client } = clientOf(() => example('mainBalance'), { clock, keepRates: false })
    for (let call = 0; call < 1500; call++) await client.mainBalance()
    expect(clock.monotonic()).toBe(0)
  })
})

test('a gateway that turns calls away slows the next one down', async () => {
  const clock = new ManualClock(startMs)
  const times: number[] = []
  const { client } = clientOf(
    () => {
      times.push(clock.monotonic())
      return times.length === 1 ? json(429, 'Too Many Requests') : example('fixedClose')
    },
    { clock },
  )
  const id = '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64'
  expect((await client.fixedClose({ id })).kind).toBe('unknown')
  expect((await settled(client.fixedClose({ id }), clock)).kind).toBe('accepted')
  expect(times).toEqual([0, 1000])
})
