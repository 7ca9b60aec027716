import { receivedAt, staleAfterMs } from '#src/engine/state/prices.ts'
import type { State } from '#src/engine/state/state.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'

type Stale = Omit<Extract<BotEvent, { type: 'feed-stale' }>, 'at'>

/** A feed that comes and goes would fill the log. */
const againMs = 10 * 60_000

/** Tells of feeds that are too old to be believed, since nothing acts on them and nobody would know why. */
export class Staleness {
  /** When a feed was told of last, by our own clock. */
  readonly #toldAt = new Map<string, number>()

  /** To be called often; `at` is the time of the venue, `monotonic` that of this process. */
  look(
    strategies: readonly Read[],
    state: State,
    { at, monotonic }: { at: number; monotonic: number },
  ): Stale[] {
    const stale: Stale[] = []
    for (const { strategy } of strategies) {
      for (const [feed, file] of Object.entries(strategy.feeds)) {
        const heard = receivedAt(state, strategy, feed)
        // What was never heard of is still on its way.
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
