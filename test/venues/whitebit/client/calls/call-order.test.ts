import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { runs } from '#test/properties/runs.ts'
import { held, laneOn, nextRound, type SentCall } from './call-queue-fixture.ts'
import { settled, startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

test('a call that waits for its own limit lets calls of other limits pass', async () => {
  const clock = new ManualClock(startMs)
  const { lane, turn } = laneOn(clock)
  const window = new RollingWindow({ calls: 1, perMs: 1000 })
  await lane.run(turn({ window }))
  const waiting = lane.run(turn({ window }))
  expect(await lane.run(turn())).toEqual({ kind: 'sent', at: 0 })
  expect(await settled(waiting, clock)).toEqual({ kind: 'sent', at: 1000 })
})

test('calls of one priority under one limit leave in the order in which they came, whoever had to wait', async () => {
  const arrival = fc.record({ gapMs: fc.nat(40), row: fc.nat(1), priority: fc.nat(1), pauses: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { maxLength: 30 }),
      fc.integer({ min: 1, max: 3 }),
      async (arrivals, concurrency) => {
        const clock = new ManualClock(startMs)
        const { lane, turn } = laneOn(clock, concurrency)
        const windows = [30, 70].map((perMs) => new RollingWindow({ calls: 2, perMs }))
        const came: Record<string, number[]> = {}
        const left: Record<string, number[]> = {}
        const runs: Promise<unknown>[] = []
        for (const [index, { gapMs, row, priority, pauses }] of arrivals.entries()) {
          clock.advance(gapMs)
          if (gapMs % 2 === 0) await nextRound()
          if (pauses) lane.throttled(undefined)
          const name = `${row} ${priority}`
          const start = async (): Promise<SentCall> => {
            ;(left[name] ??= []).push(index)
            return { kind: 'sent', at: 0 }
          }
          ;(came[name] ??= []).push(index)
          runs.push(lane.run(turn({ window: windows[row], priority, start })))
        }
        await settled(Promise.all(runs), clock, 5)
        expect(left).toEqual(came)
      },
    ),
    runs(60, 1800),
  )
})

test('a call issued just before the rate allows one more does not overtake one that waits for it', async () => {
  const clock = new ManualClock(startMs)
  const { lane, turn } = laneOn(clock)
  const window = new RollingWindow({ calls: 1, perMs: 1000 })
  await lane.run(turn({ window }))
  const order: string[] = []
  const named = (name: string) => async (): Promise<SentCall> => {
    order.push(name)
    return { kind: 'sent', at: 0 }
  }
  const first = lane.run(turn({ window, start: named('first') }))
  clock.advance(1000)
  // Its sleep has ended, but nobody has woken up yet.
  const second = lane.run(turn({ window, start: named('second') }))
  await settled(Promise.all([first, second]), clock)
  expect(order).toEqual(['first', 'second'])
})

test('after a pause the most urgent call leaves first', async () => {
  const clock = new ManualClock(startMs)
  const { lane, turn } = laneOn(clock)
  const order: number[] = []
  lane.throttled(1000)
  const runs = [0, 2, 1, 2].map((priority) => {
    const window = new RollingWindow({ calls: 9, perMs: 1 })
    const start = async (): Promise<SentCall> => {
      order.push(priority)
      return { kind: 'sent', at: 0 }
    }
    return lane.run(turn({ priority, window, start }))
  })
  await settled(Promise.all(runs), clock)
  expect(order).toEqual([2, 2, 1, 0])
})

test('one call at a time, the most urgent first', async () => {
  const clock = new ManualClock(startMs)
  const { lane, turn } = laneOn(clock)
  const order: number[] = []
  const first = held()
  const runs = [lane.run(turn({ start: first.start }))]
  for (const priority of [0, 3, 1, 2]) {
    const start = async (): Promise<SentCall> => {
      order.push(priority)
      return { kind: 'sent', at: 0 }
    }
    runs.push(lane.run(turn({ priority, start })))
  }
  expect(order).toEqual([])
  first.release()
  await Promise.all(runs)
  expect(order).toEqual([3, 2, 1, 0])
})
