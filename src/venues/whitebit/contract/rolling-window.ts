/** So many calls in every span of this length, wherever the span begins. */
export type RateLimit = { calls: number; perMs: number }

/**
 * The rule behind every rate limit here, for the side that keeps it and the side that enforces it: of any
 * `calls + 1` calls in a row, the last comes at least `perMs` after the first. A window that restarts at
 * fixed moments would let twice as many through around each of them.
 */
export class RollingWindow {
  readonly #limit: RateLimit
  readonly #times: number[] = []
  #oldest = 0

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  /** Milliseconds until one more call fits; 0 when it fits now. `at` must never go backwards. */
  wait(at: number): number {
    const { calls, perMs } = this.#limit
    if (this.#times.length < calls) return 0
    return Math.max(0, (this.#times[this.#oldest] ?? 0) + perMs - at)
  }

  /** Calls that count at this moment, and how many may at most. */
  used(at: number): { used: number; most: number; perMs: number } {
    const { calls: most, perMs } = this.#limit
    let used = 0
    for (const time of this.#times) if (time > at - perMs) used += 1
    return { used, most, perMs }
  }

  /** Counts a call. Only callers that asked `wait` first, and were told 0, may count. */
  count(at: number): void {
    const { calls } = this.#limit
    if (this.#times.length < calls) {
      this.#times.push(at)
      return
    }
    this.#times[this.#oldest] = at
    this.#oldest = this.#oldest + 1 === calls ? 0 : this.#oldest + 1
  }
}
