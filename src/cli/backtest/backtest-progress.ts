import { remainingText } from '#src/cli/words/remaining-text.ts'
import type { Clock } from '#src/core/time/clock.ts'

const everyMs = 1000

/** The share of the period that is done, on one line of a terminal that is rewritten, while a backtest takes long. */
export class BacktestProgress {
  readonly #out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #beganAt: number
  #shownAt: number

  constructor(out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>, clock: Pick<Clock, 'monotonic'>) {
    this.#out = out
    this.#clock = clock
    this.#beganAt = this.#shownAt = clock.monotonic()
  }

  passed(share: number): void {
    if (!this.#out.isTTY || share <= 0) return
    const now = this.#clock.monotonic()
    if (now - this.#shownAt < everyMs) return
    this.#shownAt = now
    const left = remainingText(((now - this.#beganAt) * (1 - share)) / share)
    this.#out.write(`\r\u001b[K${Math.floor(100 * share)} % of the period, ${left} left`)
  }

  /** Removes the line. */
  end(): void {
    if (this.#shownAt > this.#beganAt) this.#out.write('\r\u001b[K')
  }
}
