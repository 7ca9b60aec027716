import type { Clock } from '#src/core/time/clock.ts'
import { attemptMsMax, isSuccess, ping } from './http-post.ts'

/** Pings an external watchdog, which raises the alarm when pings stop: a dead process cannot send alerts. */
export async function sendHeartbeats(about: {
  url: string
  everyMs: number
  clock: Clock
  signal: AbortSignal
  onOutcome: (isHeard: boolean) => void
}): Promise<void> {
  const { url, everyMs, clock, signal, onOutcome } = about
  while (!signal.aborted) {
    const answer = await ping(url, AbortSignal.any([signal, AbortSignal.timeout(attemptMsMax)]))
    if (signal.aborted) return
    onOutcome(isSuccess(answer))
    await clock.sleep(everyMs, signal).catch(() => {})
  }
}
