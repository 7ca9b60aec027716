import type { Clock } from '#src/core/time/clock.ts'
import { attemptMsMax, isGood, pinged } from './http-post.ts'

/**
 * Tells somebody else's watch that this process is alive, so that silence is an alarm there: whoever is dead alerts
 * nobody.
 */
export async function beat(about: {
  url: string
  everyMs: number
  clock: Clock
  signal: AbortSignal
  onOutcome: (isHeard: boolean) => void
}): Promise<void> {
  const { url, everyMs, clock, signal, onOutcome } = about
  while (!signal.aborted) {
    const answer = await pinged(url, AbortSignal.any([signal, AbortSignal.timeout(attemptMsMax)]))
    if (signal.aborted) return
    onOutcome(isGood(answer))
    await clock.sleep(everyMs, signal).catch(() => {})
  }
}
