import { formatAtoms, parseAtoms, parseSignedAtoms, timesDown, type Atoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { BacktestFill, BacktestRung } from '#src/research/backtest/result/result.ts'

type Order = Pick<BacktestFill, 'strategy' | 'ladder' | 'level' | 'side' | 'price'>
type Row = Omit<BacktestRung, 'amount' | 'profit' | 'fees'> & {
  amount: Atoms
  profit: Atoms
  fees: Atoms
  /** Price times amount of its fills, and the most decimals that one of their prices has. */
  money: Atoms
  digits: number
}

/** What each rung did: as many rows as there are rungs, however long it goes on. */
export class RungResults {
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
    const amount = parseAtoms(fill.amount)
    row.amount += amount
    // Exact: ticks and lots have no more decimals together than atoms.
    row.money += timesDown(parseAtoms(fill.price), amount)
    row.digits = Math.max(row.digits, decimalsIn(fill.price))
    row.profit += parseSignedAtoms(fill.profit)
    row.fees += parseSignedAtoms(fill.fee)
  }

  /** Those with the most fills first, then by name. */
  rungs(): BacktestRung[] {
    return [...this.#rows.values()]
      .sort((a, b) => b.fills - a.fills || b.orders - a.orders || byName(a.id, b.id))
      .map(told)
  }

  #rowOf({ strategy, ladder, level, side, price }: Order): Row {
    const id = `${strategy}.${ladder}.${level}`
    const found = this.#rows.get(id)
    if (found) return found
    const sums = { orders: 0, fills: 0, amount: 0n, profit: 0n, fees: 0n, money: 0n, digits: 0 }
    const row = { id, ladder, side, price, ...sums }
    this.#rows.set(id, row)
    return row
  }
}

/** What it filled at on average, with two decimals more than prices have. */
function told({ amount, profit, fees, money, digits, ...row }: Row): BacktestRung {
  const mean = () =>
    new Decimal(formatAtoms(money))
      .div(formatAtoms(amount))
      .toDecimalPlaces(digits + 2, Decimal.ROUND_HALF_EVEN)
      .toFixed()
  const price = amount === 0n ? row.price : mean()
  return { ...row, price, amount: formatAtoms(amount), profit: formatAtoms(profit), fees: formatAtoms(fees) }
}

/** b2 before b10. The platform's own order of that kind costs every start of a backtest seven milliseconds. */
function byName(one: string, other: string): number {
  const [name, others] = [one.replace(endNumber, ''), other.replace(endNumber, '')]
  if (name !== others) return name < others ? -1 : 1
  return Number(one.slice(name.length)) - Number(other.slice(name.length))
}

const endNumber = /\d+$/

function decimalsIn(price: string): number {
  const point = price.indexOf('.')
  return point < 0 ? 0 : price.length - point - 1
}
