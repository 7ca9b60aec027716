import { nextTick, tickFrom } from '#src/engine/horizon.ts'

/**
 * When a backtest reads the account. A live bot reads it each second. Here it is read with the first tick after anything has
 * happened, and with the last tick before the next thing happens: the readings between those would tell nothing new.
 */
export class AccountTimes {
  #dueAt = Infinity

  /** When time stops next, for a moment at which something else happens. */
  stopBefore(moment: number, now: number): number {
    const next = Math.min(moment, this.#dueAt)
    if (next === Infinity) return next
    const tick = tickFrom(next) === next ? next : nextTick(next) - tickMs
    return tick > now ? tick : next
  }

  /** Whether it is read at this moment. */
  isRead(at: number): boolean {
    return tickFrom(at) === at
  }

  /** The moment is over. An equity that moves with prices changes at `priceAt`, which is Infinity where nobody needs it. */
  passed(at: number, { isQuiet, priceAt }: { isQuiet: boolean; priceAt: number }): void {
    this.#dueAt = isQuiet && this.isRead(at) ? tickFrom(priceAt) : nextTick(at)
  }
}

const tickMs = 1000
