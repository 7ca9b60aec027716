import type { Clock } from '#src/core/time/clock.ts'

/** Between two beats so much may pass before what we know of the world is not of now any more. */
const awayMs = 10_000

/**
 * Beats as long as it is not ended. Time that the machine slept through, or that the process was held for, is noticed
 * by two clocks: one goes on while the machine sleeps, and the other is stepped by nobody.
 */
export async function startHeartbeat(about: {
  clock: Clock
  everyMs: number
  signal: AbortSignal
  beat: () => void
  /** So many milliseconds were missed. The next beat waits until it is done with that. */
  wasAway: (ms: number) => Promise<void>
}): Promise<void> {
  const { clock, everyMs, signal, beat, wasAway } = about
  let [wall, monotonic] = [clock.now(), clock.monotonic()]
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal).catch(() => {})
    if (signal.aborted) return
    const passed = clock.monotonic() - monotonic
    const away = Math.max(passed, clock.now() - wall)
    if (away > awayMs) await wasAway(away)
    if (signal.aborted) return
    wall = clock.now()
    monotonic = clock.monotonic()
    beat()
  }
}
