import { remainingText } from '#src/cli/words/remaining-text.ts'
import type { Clock } from '#src/core/time/clock.ts'

const everyMs = 1000

/** Progress, speed and remaining time, on one line that is rewritten. */
export class SweepProgress {
  readonly #out: NodeJS.WriteStream
  readonly #clock: Pick<Clock, 'monotonic'>
  #beganAt = 0
  #shownAt = 0
  #known = 0
  #workers: number | undefined
  /** Number of backtests, and of those that are finished. */
  all = 0
  done = 0

  constructor(out: NodeJS.WriteStream, clock: Pick<Clock, 'monotonic'>) {
    this.#out = out
    this.#clock = clock
  }

  begin(all: number, known: number): void {
    this.all = all
    this.done = this.#known = known
    this.#beganAt = this.#shownAt = this.#clock.monotonic()
    if (known > 0) this.#out.write(`${known} of ${all} backtests are known from earlier sweeps\n`)
  }

  /** Backtests of a later round are known. */
  found(known: number): void {
    this.done += known
    this.#known += known
  }

  /** Of a sweep with a queue: how many workers are connected. */
  workers(count: number): void {
    if (count === 0 && this.#workers !== 0)
      this.#out.write('No worker is connected: start one with rungs worker --queue ADDRESS\n')
    this.#workers = count
  }

  /** A backtest is finished. */
  count(): void {
    this.done += 1
    const now = this.#clock.monotonic()
    const isLast = this.done === this.all
    if (!isLast && now - this.#shownAt < (this.#out.isTTY ? everyMs : 10 * everyMs)) return
    this.#shownAt = now
    const rate = (this.done - this.#known) / Math.max(1, now - this.#beganAt)
    const left = remainingText((this.all - this.done) / rate)
    const workers = this.#workers === undefined ? '' : `, workers: ${this.#workers}`
    const speed = `${(rate * 1000).toFixed(1)} per second`
    const text = `${this.done} of ${this.all} backtests, ${speed}, ${left} left${workers}`
    if (this.#out.isTTY) this.#out.write(`\r\u001b[K${text}${isLast ? '\n' : ''}`)
    else this.#out.write(`${text}\n`)
  }
}
