import { expect, test } from 'vitest'
import { arrivalSpreadMs } from '#src/venues/whitebit/client/calls/recent-calls.ts'
import { tokenLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { clientOf, example, settled } from '#test/venues/whitebit/client/scripted-venue.ts'
import { nextRound } from './call-queue-fixture.ts'

test('whoever wants to know is told how long each call has waited, by the way it took', async () => {
  const waited: [string, number][] = []
  const { client, clock } = clientOf(({ path }) => example(path.includes('ping') ? 'ping' : 'streamToken'), {
    onTurn: (lane, ms) => void waited.push([lane, ms]),
  })
  const { calls, perMs } = tokenLimit
  const asked = Array.from({ length: calls + 1 }, () => client.streamToken({}, { deadlineMs: 100_000 }))
  while (waited.length < calls) await nextRound()
  const untilFreeMs = perMs + arrivalSpreadMs
  clock.advance(untilFreeMs - 1)
  expect((await client.ping()).kind).toBe('answer')
  await settled(Promise.all(asked), clock, 1)
  expect(waited).toEqual([
    ...Array.from({ length: calls }, () => ['key', 0]),
    ['public', 0],
    ['key', untilFreeMs],
  ])
})
