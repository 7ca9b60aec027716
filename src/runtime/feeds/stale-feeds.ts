import { receivedAt, staleAfterMs } from '#src/engine/state/prices.ts'
import type { State } from '#src/engine/state/state.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'

type Stale = Omit<Extract<BotEvent, { type: 'feed-stale' }>, 'at'>

/** Interval of reports, because an unstable feed would fill the log. */
const againMs = 10 * 60_000

/** Reports stale feeds, whose rules do not act. */
export class Staleness {
  /** Time of the last report, by local time. */
  readonly #toldAt = new Map<string, number>()

  /** Called with each tick; `at` is venue time, `monotonic` local time. */
  look(
    strategies: readonly Read[],
    state: State,
    { at, monotonic }: { at: number; monotonic: number },
  ): Stale[] {
    const stale: Stale[] = []
    for (const { strategy } of strategies) {
      for (const [feed, file] of Object.entries(strategy.feeds)) {
        const heard = receivedAt(state, strategy, feed)
        // A feed without any data is still starting.
        if (heard === null || at - heard <= staleAfterMs(file)) continue
        const key = `${strategy.name} ${feed}`
        if (monotonic < (this.#toldAt.get(key) ?? -Infinity) + againMs) continue
        this.#toldAt.set(key, monotonic)
        const market = strategy.markets[file.market]?.symbol ?? file.market
        stale.push({ type: 'feed-stale', market, feed, ageMs: at - heard, strategy: strategy.name })
      }
    }
    return stale
  }
}
