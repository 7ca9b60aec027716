import type { Pairs } from '#src/engine/holdings/pairs.ts'
import { formatAtoms, parseSignedAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { cutTo, Decimal } from '#src/core/money/decimal.ts'
import type { BacktestFill, BacktestMeasures } from '#src/research/backtest/result/result.ts'

type Closed = Pairs['closed'][string]
type TripMeasures = Pick<BacktestMeasures, 'roundTrips' | 'winRate' | 'profitFactor' | 'expectancy'>

const moneyDigits = 8

/**
 * Round trips: amounts that were opened and then closed completely. In a ladder that exits as a whole, such an amount is the
 * position of the ladder; in all others, that of a rung. The profit is that of its matched pairs, after the fees of both sides.
 */
export class RoundTrips {
  /** Profit of the round trips that have ended, by rung. */
  readonly #counted = new Map<Closed, Atoms>()
  #count = 0
  #wins = 0
  #gained: Atoms = 0n
  #lost: Atoms = 0n

  /** A fill of this side has closed the open amounts of these rungs. `whole`: their ladder, if it exits as a whole. */
  ended(
    rungs: ReadonlySet<Closed>,
    { closed, lots }: Pairs,
    side: BacktestFill['side'],
    whole?: string,
  ): void {
    if (whole === undefined) {
      for (const rung of rungs) this.#end([rung])
      return
    }
    const own = lots.filter(({ ladder }) => ladder === whole)
    // A buy closes what was sold. What it opens itself belongs to the next round trip.
    if (own.some(({ amount }) => amount.startsWith('-') === (side === 'buy'))) return
    this.#end(Object.values(closed).filter(({ ladder }) => ladder === whole))
  }

  /** A liquidation closes amounts without a fill of theirs, so averages of the rest would mislead. */
  results(liquidations: number): TripMeasures {
    const isKnown = this.#count > 0 && liquidations === 0
    const profit = new Decimal(formatAtoms(this.#gained - this.#lost))
    return {
      roundTrips: this.#count,
      winRate: isKnown ? this.#wins / this.#count : null,
      profitFactor:
        isKnown && this.#lost > 0n
          ? new Decimal(formatAtoms(this.#gained)).div(formatAtoms(this.#lost)).toNumber()
          : null,
      expectancy: isKnown ? cutTo(moneyDigits, profit.div(this.#count)).toFixed() : null,
    }
  }

  #end(rungs: readonly Closed[]): void {
    let profit = 0n
    for (const rung of rungs) {
      const sum = parseSignedAtoms(rung.profit)
      profit += sum - (this.#counted.get(rung) ?? 0n)
      this.#counted.set(rung, sum)
    }
    this.#count += 1
    if (profit > 0n) {
      this.#wins += 1
      this.#gained += profit
    } else this.#lost -= profit
  }
}
