/** So many calls in every span of this length, wherever the span begins. */
export type RateLimit = { calls: number; perMs: number }

/**
 * The rule behind every rate limit here, for the side that keeps it and the side that enforces it: of any
 * `calls + 1` calls in a row, the last comes at least `perMs` after the first. A window that restarts at
 * fixed moments would let twice as many through around each of them.
 */
export class RollingWindow {
  readonly #limit: RateLimit
  /** The calls that may still count, oldest first, from `#oldest` on. */
  readonly #times: number[] = []
  #oldest = 0

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  /** Milliseconds until one more call fits; 0 when it fits now. `at` must never go backwards. */
  wait(at: number): number {
    const { calls, perMs } = this.#limit
    const first = this.#times.length - calls
    return first < this.#oldest ? 0 : Math.max(0, (this.#times[first] ?? 0) + perMs - at)
  }

  /** Calls that count at this moment, and how many may at most. */
  used(at: number): { used: number; most: number; perMs: number } {
    const { calls: most, perMs } = this.#limit
    this.#forget(at)
    return { used: this.#times.length - this.#oldest, most, perMs }
  }

  /** Counts a call. Only callers that asked `wait` first, and were told 0, may count. */
  count(at: number): void {
    this.#forget(at)
    this.#times.push(at)
  }

  /** A server has a window for each key and kind of call: it must not keep what counts no more. */
  #forget(at: number): void {
    while ((this.#times[this.#oldest] ?? Infinity) + this.#limit.perMs <= at) this.#oldest += 1
    // Rarely, so that each call is moved once or twice at most.
    if (this.#oldest * 2 <= this.#times.length) return
    this.#times.splice(0, this.#oldest)
    this.#oldest = 0
  }
}
