import { expect, test } from 'vitest'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { held, laneOn, nextRound } from './call-queue-fixture.ts'

test('a lane says how many calls wait, under which limit, and how long the next one has to', async () => {
  const clock = new ManualClock(0)
  const { lane, turn } = laneOn(clock, 2)
  const window = new RollingWindow({ calls: 2, perMs: 1000 })
  for (let call = 0; call < 5; call += 1) void lane.run(turn({ window }))
  await nextRound()
  expect(lane.waiting(window)).toEqual({ waiting: 3, waitMs: 1000 })
  expect(window.used(clock.monotonic())).toEqual({ used: 2, most: 2, perMs: 1000 })
  // Another limit, or none, has its own.
  expect(lane.waiting(new RollingWindow({ calls: 1, perMs: 1 }))).toEqual({ waiting: 0, waitMs: 0 })
  expect(lane.waiting()).toEqual({ waiting: 3, waitMs: 0 })
  expect(window.used(clock.monotonic() + 1000)).toMatchObject({ used: 0 })
  await lane.close()
  expect(lane.waiting()).toEqual({ waiting: 0, waitMs: 0 })
})

test('what is in flight waits no more; a pause that the venue asked for holds everybody', async () => {
  const { lane, turn } = laneOn(new ManualClock(0))
  const { start, release } = held()
  void lane.run(turn({ start }))
  void lane.run(turn())
  await nextRound()
  expect(lane.waiting()).toEqual({ waiting: 1, waitMs: 0 })
  lane.throttled(5000)
  expect(lane.waiting().waitMs).toBeGreaterThanOrEqual(5000)
  release()
  await lane.close()
})

test('a fault of whoever looks on is that of one call, and the lane goes on', async () => {
  let turns = 0
  const lookingOn = () => {
    turns += 1
    if (turns === 1) throw new Error('a fault of ours')
  }
  const { lane, turn } = laneOn(new ManualClock(0), 1, undefined, lookingOn)
  await expect(lane.run(turn())).rejects.toThrow('a fault of ours')
  expect(await lane.run(turn())).toMatchObject({ kind: 'sent' })
  await lane.close()
})
