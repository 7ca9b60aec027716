import { Decimal } from '#src/core/money/decimal.ts'
import { drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import type { Account, State } from '#src/engine/state/state.ts'

/** Equity of the account, and the largest drawdown of a strategy. */
export type Point = [at: number, worth: string, drawdown: string]

const pointsMax = 2000

/** Equity and drawdown since the process started, thinned out as they grow to bound their number. */
export class EquityCurve {
  #points: Point[] = []
  /** One of this many samples becomes a point. */
  #every = 1
  #samples = 0
  #hasEquity = false

  /** Returns the point, if the sample became one. */
  sample(state: State): Point | undefined {
    if (state.account === null) return undefined
    this.#hasEquity ||= state.account.equity !== null
    // A read failed. The result of the strategies is another quantity and must not replace the equity.
    if (this.#hasEquity && state.account.equity === null) return undefined
    const worth = worthOf(state.account, state)
    this.#samples += 1
    if (this.#samples % this.#every !== 0 || state.at <= (this.#points.at(-1)?.[0] ?? -1)) return undefined
    const point: Point = [state.at, worth.toFixed(), largestDrawdown(state)]
    this.#points.push(point)
    if (this.#points.length < pointsMax) return point
    this.#points = this.#points.filter((_, index) => index % 2 === 0)
    this.#every *= 2
    return point
  }

  all(): readonly Point[] {
    return this.#points
  }
}

function largestDrawdown({ running, strategies }: State): string {
  const drawdowns = running.flatMap((name) => {
    const own = strategies[name]
    return own ? [drawdownOf(own.worth).drawdown] : []
  })
  return Decimal.max(0, ...drawdowns).toFixed()
}

/** The equity of the account; if the venue does not report it, the sum of the strategies' results. */
function worthOf({ equity }: Account, { strategies }: State): Decimal {
  if (equity !== null) return new Decimal(equity)
  return Object.values(strategies).reduce((sum, { worth }) => sum.plus(worth.result), new Decimal(0))
}
