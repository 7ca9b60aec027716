import { ManualClock, type Clock } from '#src/core/time/clock.ts'

/** About the duration of a turn on an idle machine. */
const turnMs = 1
/** The simulated market moves most at this hour. A fixed one, since a test must not depend on the hour at which it runs. */
const start = Date.UTC(2026, 0, 5, 14)

/**
 * A clock that advances with each turn of the event loop, so that waits depend neither on the speed of the machine nor on
 * its load. All parts must run in this process.
 */
export function startEventLoopClock(): {
  clock: Clock
  /** Advances the time at once, as while a machine is off. */
  leap: (ms: number) => void
  stop: () => void
} {
  const clock = new ManualClock(start, 0)
  let next = setImmediate(turn)
  function turn(): void {
    clock.advance(turnMs)
    next = setImmediate(turn)
  }
  return { clock, leap: (ms) => clock.advance(ms), stop: () => clearImmediate(next) }
}
