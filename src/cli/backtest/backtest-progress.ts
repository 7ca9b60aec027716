import { remainingText } from '#src/cli/words/remaining-text.ts'
import type { Clock } from '#src/core/time/clock.ts'

const everyMs = 1000

/** The share of the period that is done, on one line of a terminal that is rewritten, while a backtest takes long. */
export function backtestProgress(
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  clock: Pick<Clock, 'monotonic'>,
) {
  const beganAt = clock.monotonic()
  let shownAt = beganAt
  return {
    passed(share: number): void {
      if (!out.isTTY || share <= 0) return
      const now = clock.monotonic()
      if (now - shownAt < everyMs) return
      shownAt = now
      const left = remainingText(((now - beganAt) * (1 - share)) / share)
      out.write(`\r\u001b[K${Math.floor(100 * share)} % of the period, ${left} left`)
    },
    /** Removes the line. */
    end(): void {
      if (shownAt > beganAt) out.write('\r\u001b[K')
    },
  }
}
