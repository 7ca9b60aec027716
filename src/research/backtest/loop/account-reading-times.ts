import { nextTick, tickFrom } from '#src/engine/state/ticks.ts'

/**
 * When a backtest reads the account. A live bot reads it each second. A backtest reads it with the first tick after an event
 * and with the last tick before the next event: readings between those find no change.
 */
export class AccountReadingTimes {
  #dueAt = Infinity
  #isMissed = false

  /** The next moment at which something else happens. */
  stopBefore(moment: number, now: number): number {
    const next = Math.min(moment, this.#dueAt)
    if (next === Infinity) return next
    const tick = tickFrom(next) === next && !this.#isMissed ? next : tickFrom(next) - tickMs
    return tick > now ? tick : next
  }

  /** Whether the account is read at this moment. */
  isRead(at: number): boolean {
    return tickFrom(at) === at
  }

  /**
   * Ends a moment. At `priceAt` the equity changes with a price; Infinity if no strategy needs that. `isMissed`: such changes are
   * read late, but before the next event, as live.
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
