import { formatAtoms, parseAtoms, parseSignedAtoms, type Atoms } from '#src/money/atoms.ts'
import { Decimal } from '#src/money/decimal.ts'
import type { BacktestFill, BacktestRung } from './result.ts'

type Order = Pick<BacktestFill, 'strategy' | 'ladder' | 'level' | 'side' | 'price'>
type Row = Omit<BacktestRung, 'amount' | 'profit' | 'fees'> & {
  amount: Atoms
  profit: Atoms
  fees: Atoms
  /** Price times amount of its fills, and the most decimals that one of their prices has. */
  money: Decimal
  digits: number
}

/** b2 before b10. */
const byNumber = new Intl.Collator('en', { numeric: true })

/** What each rung did: as many rows as there are rungs, however long it goes on. */
export class RungBook {
  readonly #rows = new Map<string, Row>()

  /** An order of a rung has left. As long as none has filled, its price is the one shown. */
  ordered(order: Order): void {
    const row = this.#rowOf(order)
    row.orders += 1
    row.price = order.price
  }

  filled(fill: BacktestFill): void {
    const row = this.#rowOf(fill)
    row.fills += 1
    row.amount += parseAtoms(fill.amount)
    const price = new Decimal(fill.price)
    row.money = row.money.plus(price.times(fill.amount))
    row.digits = Math.max(row.digits, price.decimalPlaces())
    row.profit += parseSignedAtoms(fill.profit)
    row.fees += parseSignedAtoms(fill.fee)
  }

  /** Those with the most fills first, then by name. */
  rungs(): BacktestRung[] {
    return [...this.#rows.values()]
      .sort((a, b) => b.fills - a.fills || b.orders - a.orders || byNumber.compare(a.id, b.id))
      .map(told)
  }

  #rowOf({ strategy, ladder, level, side, price }: Order): Row {
    const id = `${strategy}.${ladder}.${level}`
    const found = this.#rows.get(id)
    if (found) return found
    const sums = { orders: 0, fills: 0, amount: 0n, profit: 0n, fees: 0n, money: new Decimal(0), digits: 0 }
    const row = { id, ladder, side, price, ...sums }
    this.#rows.set(id, row)
    return row
  }
}

/** What it filled at on average, with two decimals more than prices have. */
function told({ amount, profit, fees, money, digits, ...row }: Row): BacktestRung {
  const mean = () =>
    money
      .div(formatAtoms(amount))
      .toDecimalPlaces(digits + 2, Decimal.ROUND_HALF_EVEN)
      .toFixed()
  const price = amount === 0n ? row.price : mean()
  return { ...row, price, amount: formatAtoms(amount), profit: formatAtoms(profit), fees: formatAtoms(fees) }
}
