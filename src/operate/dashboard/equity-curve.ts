import { Decimal } from '#src/core/money/decimal.ts'
import { drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import type { Account, State } from '#src/engine/state/state.ts'

/** When it was, what the account was worth, and the drawdown of a strategy: of several the largest one. */
export type Point = [at: number, worth: string, drawdown: string]

const pointsMax = 2000

/** Equity and drawdown since the process began: thinned out as they grow, so that their length has an end. */
export class EquityCurve {
  #points: Point[] = []
  /** Of so many samples one becomes a point. */
  #every = 1
  #samples = 0
  #tellsEquity = false

  /** Gives the point, if it became one. */
  sample(state: State): Point | undefined {
    // Before the account was read once, nobody knows.
    if (state.account === null) return undefined
    this.#tellsEquity ||= state.account.equity !== null
    // A reading that failed: what the strategies have made is another sum.
    if (this.#tellsEquity && state.account.equity === null) return undefined
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

/** The equity of the account; where the venue does not tell that, what the strategies have made. */
function worthOf({ equity }: Account, { strategies }: State): Decimal {
  if (equity !== null) return new Decimal(equity)
  return Object.values(strategies).reduce((sum, { worth }) => sum.plus(worth.result), new Decimal(0))
}
