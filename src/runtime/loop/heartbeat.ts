import type { Clock } from '#src/core/time/clock.ts'

/** A longer distance of two beats makes all data stale. */
const awayMs = 10_000

/**
 * Calls `beat` periodically. Sleep of the machine and pauses of the process are detected by two clocks: the wall clock runs
 * during sleep, and the monotonic clock is never stepped.
 */
export async function startHeartbeat(about: {
  clock: Clock
  everyMs: number
  signal: AbortSignal
  beat: () => void
  /** Called after missed beats. The next beat waits for it. */
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
