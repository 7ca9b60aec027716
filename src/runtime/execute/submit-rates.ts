import type { State } from '#src/engine/state/state.ts'
import type { Clock } from '#src/core/time/clock.ts'

/** `submit.rate` of a strategy file, in venue time. */
type SubmitRate = { requests: number; per: number }
/** A request counts until its answer, since it may leave at any moment until then, and for the period after it. */
type Request = { answeredAt: number | undefined }

type SubmitRatesParts = {
  clock: Clock
  speed: number
  rateOf: (strategy: string) => SubmitRate | undefined
  state: Pick<State, 'at' | 'strategies' | 'chunks'>
}

/** The engine plans in whole milliseconds: do not wait for a fraction of one. */
const toleranceMs = 1

/**
 * Keeps `submit.rate` by the monotonic clock. The engine plans by the estimate of the venue's time. That estimate can leap ahead,
 * above all after a restart, and then requests look older than they are.
 */
export class SubmitRates {
  readonly #parts: SubmitRatesParts
  readonly #sent = new Map<string, Request[]>()

  /** Requests of an earlier process count from now on: how long ago they left is not known. */
  constructor(parts: SubmitRatesParts) {
    this.#parts = parts
    const { at: now, strategies, chunks } = parts.state
    for (const [name, { sends }] of Object.entries(strategies)) {
      const since = now - (parts.rateOf(name)?.per ?? 0)
      const lately = sends.filter(({ at, chunk }) => at > since || (chunk !== undefined && chunks[chunk]))
      this.#sent.set(
        name,
        lately.map(() => ({ answeredAt: this.#parts.clock.monotonic() })),
      )
    }
  }

  /**
   * Counts a request when the rate allows one more, or when it is aborted. It is counted in the same step: of requests that
   * wake together, the first one holds back the others.
   */
  async turn(strategy: string, role: 'entry' | 'exit', signal: AbortSignal): Promise<Request> {
    for (let waitMs = Infinity; waitMs > 0 && !signal.aborted;) {
      waitMs = this.waitMs(strategy, role)
      if (waitMs > 0) await this.#parts.clock.sleep(waitMs, signal).catch(() => {})
    }
    return this.count(strategy)
  }

  /** Counts a request that is handed to the client now. */
  count(strategy: string): Request {
    const request: Request = { answeredAt: undefined }
    this.#sent.set(strategy, [...(this.#sent.get(strategy) ?? []), request])
    return request
  }

  answered(request: Request): void {
    request.answeredAt = this.#parts.clock.monotonic()
  }

  /** Entries leave exits half of the requests, as in the engine. A request without an answer counts as if it left now. */
  waitMs(strategy: string, role: 'entry' | 'exit'): number {
    const rate = this.#parts.rateOf(strategy)
    if (!rate) return 0
    const perMs = rate.per / this.#parts.speed - toleranceMs
    const now = this.#parts.clock.monotonic()
    const lately = (this.#sent.get(strategy) ?? []).filter(({ answeredAt = now }) => answeredAt + perMs > now)
    this.#sent.set(strategy, lately)
    const most = role === 'exit' ? 2 * rate.requests : rate.requests
    if (lately.length < most) return 0
    const [oldest] = lately
      .map(({ answeredAt = now }) => answeredAt)
      .toSorted((one, other) => one - other)
      .slice(-most)
    return (oldest ?? 0) + perMs - now
  }
}
