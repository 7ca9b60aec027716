import { cutTo, Decimal } from '#src/core/money/decimal.ts'

const moneyDigits = 8

/** The start equity buys each market for an equal part at its first price, without fees, and holds it to the end. */
export class BuyAndHold {
  readonly #equity: Decimal
  readonly #value: number
  readonly #first: readonly number[]

  constructor(equity: Decimal, prices: ArrayLike<number>) {
    this.#equity = equity
    this.#value = equity.toNumber()
    this.#first = Array.from(prices)
  }

  /** Its equity at these prices, for charts. */
  value(prices: ArrayLike<number>): number {
    let sum = 0
    for (let index = 0; index < this.#first.length; index++)
      sum += (prices[index] ?? 0) / (this.#first[index] ?? 0)
    return (this.#value * sum) / this.#first.length
  }

  /** Its profit at these prices. Shares are no decimals, so the last digit is rounded down. */
  profit(prices: ArrayLike<number>): string {
    const sum = this.#first.reduce(
      (total, first, index) => total.plus(new Decimal(prices[index] ?? 0).div(first)),
      new Decimal(0),
    )
    const end = this.#equity.times(sum).div(this.#first.length)
    return cutTo(moneyDigits, end.minus(this.#equity)).toFixed()
  }
}
