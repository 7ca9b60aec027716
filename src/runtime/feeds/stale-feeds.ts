import { everyFeed, receivedAt, staleAfterMs } from '#src/engine/state/prices.ts'
import type { State } from '#src/engine/state/state.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'

type Stale = Omit<Extract<BotEvent, { type: 'feed-stale' }>, 'at'>

/** Interval of reports, because an unstable feed would fill the log. */
const againMs = 10 * 60_000
/**
 * Silence before a report, by local time: at a fast embedded exchange, a moment is minutes of venue time, and after a start the
 * last value is from before it.
 */
const silentMs = 10_000

/** The last value of a feed. */
type LastValue = {
  receivedAt: number | null
  /** From when its age counts, by venue time; without a value, from the start. */
  from: number
  /** When it was first seen, by local time. */
  seenAt: number
}

/** Reports stale feeds, whose rules do not act. */
export class Staleness {
  readonly #last = new Map<string, LastValue>()
  /** Time of the last report, by local time. */
  readonly #toldAt = new Map<string, number>()
  /** The time of the last value of a signal that was reported: a chart may send the next one in a week. */
  readonly #toldOf = new Map<string, number>()

  /** Called with each tick; `at` is venue time, `monotonic` local time. */
  look(
    strategies: readonly Read[],
    state: State,
    { at, monotonic }: { at: number; monotonic: number },
  ): Stale[] {
    const stale: Stale[] = []
    for (const { strategy } of strategies) {
      for (const [feed, file] of everyFeed(strategy)) {
        const key = `${strategy.name} ${feed}`
        const { from, seenAt } = this.#lastOf(key, receivedAt(state, strategy, feed), { at, monotonic })
        const ageMs = at - from
        if (ageMs <= staleAfterMs(file) || monotonic < seenAt + silentMs) continue
        if (monotonic < (this.#toldAt.get(key) ?? -Infinity) + againMs) continue
        this.#toldAt.set(key, monotonic)
        const market = strategy.markets[file.market]?.symbol ?? file.market
        stale.push({ type: 'feed-stale', market, feed, ageMs, strategy: strategy.name })
      }
      for (const [feed, { stale_after: staleMs }] of Object.entries(strategy.signals)) {
        const key = `${strategy.name} ${feed}`
        const received = receivedAt(state, strategy, feed)
        if (received === null || at - received <= staleMs || this.#toldOf.get(key) === received) continue
        this.#toldOf.set(key, received)
        stale.push({ type: 'feed-stale', feed, ageMs: at - received, strategy: strategy.name })
      }
    }
    return stale
  }

  #lastOf(key: string, received: number | null, now: { at: number; monotonic: number }): LastValue {
    const known = this.#last.get(key)
    if (known?.receivedAt === received) return known
    const from = received ?? known?.from ?? now.at
    const last = { receivedAt: received, from, seenAt: now.monotonic }
    this.#last.set(key, last)
    return last
  }
}
