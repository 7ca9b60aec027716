import { remainingText } from '#src/cli/words/remaining-text.ts'
import type { Clock } from '#src/core/time/clock.ts'

const everyMs = 1000

/** Progress, speed and remaining time, on one line that is rewritten. */
export class SweepProgress {
  readonly #out: NodeJS.WriteStream
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #all: number
  readonly #before: number
  readonly #beganAt: number
  #shownAt: number

  constructor(out: NodeJS.WriteStream, clock: Pick<Clock, 'monotonic'>, all: number, known: number) {
    this.#out = out
    this.#clock = clock
    this.#all = all
    this.#before = known
    this.#beganAt = clock.monotonic()
    this.#shownAt = this.#beganAt
  }

  took(done: number): void {
    const now = this.#clock.monotonic()
    const isLast = done === this.#all
    if (!isLast && now - this.#shownAt < (this.#out.isTTY ? everyMs : 10 * everyMs)) return
    this.#shownAt = now
    const rate = (done - this.#before) / Math.max(1, now - this.#beganAt)
    const left = remainingText((this.#all - done) / rate)
    const text = `${done} of ${this.#all} backtests, ${(rate * 1000).toFixed(1)} per second, ${left} left`
    if (this.#out.isTTY) this.#out.write(`\r\u001b[K${text}${isLast ? '\n' : ''}`)
    else this.#out.write(`${text}\n`)
  }
}
