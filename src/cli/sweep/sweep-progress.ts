import { remainingText } from '#src/cli/words/remaining-text.ts'
import type { Clock } from '#src/core/time/clock.ts'

const everyMs = 1000

/** Progress, speed and remaining time, on one line that is rewritten; to be called with the number of finished backtests. */
export function sweepProgress(
  out: NodeJS.WriteStream,
  clock: Pick<Clock, 'monotonic'>,
  all: number,
  known: number,
): (done: number) => void {
  const beganAt = clock.monotonic()
  let shownAt = beganAt
  return (done) => {
    const now = clock.monotonic()
    const isLast = done === all
    if (!isLast && now - shownAt < (out.isTTY ? everyMs : 10 * everyMs)) return
    shownAt = now
    const rate = (done - known) / Math.max(1, now - beganAt)
    const left = remainingText((all - done) / rate)
    const text = `${done} of ${all} backtests, ${(rate * 1000).toFixed(1)} per second, ${left} left`
    if (out.isTTY) out.write(`\r\u001b[K${text}${isLast ? '\n' : ''}`)
    else out.write(`${text}\n`)
  }
}
