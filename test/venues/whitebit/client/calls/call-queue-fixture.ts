import { CallQueue, type QueuedCall } from '#src/venues/whitebit/client/calls/call-queue.ts'
import type { Clock } from '#src/core/time/clock.ts'

const halfway = () => 0.5
export type SentCall = { kind: 'sent'; at: number }

export function laneOn(
  clock: Clock,
  concurrency = 1,
  random = halfway,
  onTurn?: ConstructorParameters<typeof CallQueue>[0]['onTurn'],
) {
  const lane = new CallQueue({ clock, random, concurrency, onTurn })
  const turn = (about: Partial<QueuedCall<SentCall>> = {}): QueuedCall<SentCall> => ({
    window: undefined,
    dueAt: Infinity,
    priority: 0,
    signal: undefined,
    start: async () => ({ kind: 'sent', at: clock.monotonic() }),
    ...about,
  })
  return { lane, turn }
}

/** A call that is under way until it is let go. */
export function held() {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const start = async (): Promise<SentCall> => {
    await promise
    return { kind: 'sent', at: 0 }
  }
  return { release, start }
}

export function nextRound(): Promise<void> {
  return new Promise((rest) => {
    setImmediate(rest)
  })
}
