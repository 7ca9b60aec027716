import { expect, test } from 'vitest'
import { StartRetries } from '#src/runtime/compose/start-retries.ts'
import { ManualClock } from '#src/core/time/clock.ts'

const begin = 1_790_000_000_000
const minute = 60_000

function waiting(signal?: AbortSignal) {
  const clock = new ManualClock(begin)
  const alerts: { at: number; message: string }[] = []
  const lost: unknown[] = []
  const persistence = new StartRetries({
    clock,
    signal,
    what: 'the start',
    alert: (message) => alerts.push({ at: clock.now() - begin, message }),
    onLost: (value) => lost.push(value),
  })
  /** A try fails; gives how long the next one is waited for. */
  async function failed(): Promise<number> {
    const at = clock.now()
    const isOver = persistence.failed('no bot listens')
    clock.advance(clock.nextDue - clock.monotonic())
    await isOver
    return clock.now() - at
  }
  return { clock, alerts, lost, persistence, failed }
}

test('the first retries come soon, later ones every 15 s', async () => {
  const { failed } = waiting()
  const pauses = []
  for (let attempt = 0; attempt < 7; attempt++) pauses.push(await failed())
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
})

test('alerts come at once, then every ten minutes, and once when the venue answers again', async () => {
  const { clock, alerts, lost, persistence, failed } = waiting()
  persistence.succeeded()
  while (clock.now() < begin + 25 * minute) await failed()
  expect(alerts.map(({ at }) => Math.floor(at / minute))).toEqual([0, 10, 20])
  expect(alerts[0]?.message).toMatch(/^the start waits for the venue, .*: no bot listens$/)
  expect(new Set(lost.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ since: begin, reason: 'no bot listens' })]),
  )
  const seconds = Math.round((clock.now() - begin) / 1000)
  persistence.succeeded()
  persistence.succeeded()
  expect(alerts.slice(3).map(({ message }) => message)).toEqual([
    `the venue answers again after ${seconds} s: the start continues`,
  ])
  expect(lost.at(-1)).toBe(null)
  // The next time it is news again.
  await failed()
  expect(alerts).toHaveLength(5)
})

test('an abort ends the wait', async () => {
  const ending = new AbortController()
  const { persistence } = waiting(ending.signal)
  const isOver = persistence.failed('no bot listens')
  ending.abort()
  await expect(isOver).rejects.toThrow()
  await expect(persistence.failed('no bot listens')).rejects.toThrow()
})
