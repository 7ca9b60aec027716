import { ManualClock, type Clock } from '#src/core/time/clock.ts'

/** About what a turn takes on a machine that has little else to do. */
const turnMs = 1

/**
 * A clock that goes by the turns of the event loop: how long an answer takes by it is a matter of how often the process
 * has to look for it, and not of how fast the machine is and what else it does. Where all that a story waits for happens
 * in this process, the story is the same on any machine, and nothing waits for time to pass.
 */
export function startTurningClock(): {
  clock: Clock
  /** So much time passes at once, as while a machine is off. */
  leap: (ms: number) => void
  stop: () => void
} {
  const { now, monotonic } = { now: Date.now(), monotonic: performance.now() }
  const clock = new ManualClock(now, monotonic)
  let next = setImmediate(turn)
  function turn(): void {
    clock.turn(turnMs)
    next = setImmediate(turn)
  }
  return { clock, leap: (ms) => clock.turn(ms), stop: () => clearImmediate(next) }
}
