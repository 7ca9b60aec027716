import type { PriceBand } from '#src/engine/state/price-bands.ts'
import { nextTick, tickFrom } from '#src/engine/state/ticks.ts'
import type { BacktestMarket, EquityExposure } from './loop-parts.ts'

/**
 * When a backtest reads the account. A live bot reads it each second. A backtest reads it with the first tick after an event
 * and with the last tick before the next event: readings between those find no change, or one that nothing reads.
 */
export class AccountReadingTimes {
  #dueAt = Infinity
  #isMissed = false
  /** The last tick before the next event. */
  #lastTick = -Infinity
  /** The last tick at which the equity was not read. */
  #unreadAt = -Infinity

  /** The moment of the next event, or the tick before it at which the equity has to be read: perhaps the present one. */
  stopBefore(moment: number, now: number): number {
    const next = Math.min(moment, this.#dueAt)
    if (next === Infinity) return next
    const isAlone = next < moment || !this.#isMissed
    const tick = tickFrom(next) === next && isAlone ? next : tickFrom(next) - tickMs
    this.#lastTick = tick
    const isUnread = tick === now && tick === this.#unreadAt
    return tick > now || isUnread ? tick : next
  }

  /** Whether a change of prices alone is a reason to read the account. */
  countsPrices(at: number, isEquityRead: boolean): boolean {
    const counts = isEquityRead || !this.#isMissed || at === this.#lastTick || at === this.#dueAt
    this.#unreadAt = counts ? -Infinity : at
    return counts
  }

  /** Whether the account is read at this moment. */
  isRead(at: number): boolean {
    return tickFrom(at) === at
  }

  /**
   * Ends a moment. At `priceAt` a price changes the equity as much as a strategy needs; Infinity if none does. `isMissed`: other
   * changes are read late, but before the next event, as live.
   */
  passed(
    at: number,
    { isQuiet, priceAt, isMissed }: { isQuiet: boolean; priceAt: number; isMissed: boolean },
  ): void {
    this.#isMissed = isMissed
    this.#dueAt = isQuiet && this.isRead(at) ? tickFrom(priceAt) : nextTick(at)
  }
}

const tickMs = 1000

/** When prices may take the equity out of this band, of which each market has its share; without a band, when they change it. */
export function equityLeavesAt(
  places: readonly BacktestMarket[],
  { equity, amounts }: EquityExposure,
  band: PriceBand | null,
): number {
  const { below, above } = band ?? { below: equity, above: equity }
  const count = amounts.filter((amount) => amount !== 0).length
  let at = Infinity
  for (const [index, { course }] of places.entries()) {
    const amount = amounts[index] ?? 0
    if (amount === 0) continue
    const edges = [below, above].map((edge) => course.units + (edge - equity) / count / amount)
    at = Math.min(at, course.leavesAt(Math.min(...edges), Math.max(...edges)))
  }
  return at
}
