import { RollingWindow, type RateLimit } from '#src/contract/rolling-window.ts'

/** So many calls, the last of them so long ago at least. */
export type CallsAgo = { agoMs: number; calls: number }

/** No rate limit of the contract looks back farther. */
export const lookBackMs = 60_000
/** Calls within so long are remembered together, as if all were as late as the last of them. */
const blockMs = 1000
/** Added to every rate window: the venue counts when calls arrive, and some are faster on their way than others. */
export const arrivalSpreadMs = 250

/** How many calls were made lately, by the monotonic clock. */
export class RecentCalls {
  #blocks: { since: number; at: number; calls: number }[]

  constructor(before: readonly CallsAgo[], now: number) {
    this.#blocks = before.map(({ agoMs, calls }) => ({ since: now - agoMs, at: now - agoMs, calls }))
  }

  add(at: number, calls: number): void {
    const last = this.#blocks.at(-1)
    if (last && at - last.since < blockMs) {
      last.at = at
      last.calls += calls
    } else this.#blocks.push({ since: at, at, calls })
  }

  /** The oldest first. */
  list(now: number): CallsAgo[] {
    this.#blocks = this.#blocks.filter(({ at, calls }) => now - at < lookBackMs && calls > 0)
    return this.#blocks.map(({ at, calls }) => ({ agoMs: Math.floor(now - at), calls }))
  }
}

/** The window of a limit of the venue, with those calls in it that an earlier run may have made. */
export function windowAfter(before: readonly CallsAgo[], limit: RateLimit, at: number): RollingWindow {
  const window = new RollingWindow({ calls: limit.calls, perMs: limit.perMs + arrivalSpreadMs })
  for (const { agoMs, calls } of before)
    for (let call = 0; call < Math.min(calls, limit.calls); call++) window.count(at - agoMs)
  return window
}
