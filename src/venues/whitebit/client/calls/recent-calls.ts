import { methodOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'

/** So many calls of one path, the last of them so long ago at least; without a path they may have been any calls. */
export type CallsAgo = { agoMs: number; calls: number; path?: string | undefined }

/** Added to every rate window: the venue counts when calls arrive, and some are faster on their way than others. */
export const arrivalSpreadMs = 250
/** No rate limit of the contract looks back farther. */
export const lookBackMs = 60_000 + arrivalSpreadMs
/** Calls of one such span of the clock are remembered together, as if all were as late as the last of them. */
const blockMs = 1000

/** How many calls were made lately, by the monotonic clock. */
export class RecentCalls {
  /** `own` are those that this process has made. */
  #blocks: { at: number; calls: number; own: number; path: string | undefined }[]

  constructor(before: readonly CallsAgo[], now: number) {
    this.#blocks = before.map(({ agoMs, calls, path }) => ({ at: now - agoMs, calls, own: 0, path }))
  }

  add(at: number, calls: number, path: string): void {
    const span = Math.floor(at / blockMs)
    // Spans of the clock, not since the first call: in a chain of short runs a block would grow on, and never age.
    const block = this.#blocks.find((one) => one.path === path && Math.floor(one.at / blockMs) === span)
    if (block) {
      block.at = at
      block.calls += calls
      block.own += calls
    } else this.#blocks.push({ at, calls, own: calls, path })
  }

  /** The calls that this process has made after that time. */
  own(after: number): { calls: number; path: string | undefined }[] {
    const blocks = this.#blocks.filter(({ at, own }) => own > 0 && at > after)
    return blocks.map(({ own, path }) => ({ calls: own, path }))
  }

  list(now: number): CallsAgo[] {
    this.#blocks = this.#blocks.filter(({ at }) => now - at < lookBackMs)
    return this.#blocks.map(({ at, calls, path }) => ({ agoMs: Math.floor(now - at), calls, path }))
  }
}

/** The window of a row's limit, with those calls in it that an earlier run may have made under the same one. */
export function windowAfter(before: readonly CallsAgo[], row: Endpoint, at: number): RollingWindow {
  const { path, limit } = row
  const window = new RollingWindow({ calls: limit.calls, perMs: limit.perMs + arrivalSpreadMs })
  // What is remembered are calls that drew a nonce.
  if (methodOf(row) === 'GET') return window
  const counted = before.filter((one) => one.path === undefined || one.path === path)
  for (const { agoMs, calls } of counted.toSorted((a, b) => b.agoMs - a.agoMs))
    for (let call = 0; call < Math.min(calls, limit.calls); call++) window.count(at - agoMs)
  return window
}
