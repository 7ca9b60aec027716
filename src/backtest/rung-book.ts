import { formatAtoms, parseAtoms, parseSignedAtoms, type Atoms } from '#src/money/atoms.ts'
import type { BacktestFill, BacktestRung } from './result.ts'

type Order = Pick<BacktestFill, 'strategy' | 'ladder' | 'level' | 'side' | 'price'>
type Row = Omit<BacktestRung, 'amount' | 'profit' | 'fees'> & {
  amount: Atoms
  profit: Atoms
  fees: Atoms
}

/** b2 before b10. */
const byNumber = new Intl.Collator('en', { numeric: true })

/** What each rung did: as many rows as there are rungs, however long it goes on. */
export class RungBook {
  readonly #rows = new Map<string, Row>()

  /** An order of a rung has left. The price shown is that of the last one. */
  ordered(order: Order): void {
    const row = this.#rowOf(order)
    row.orders += 1
    row.price = order.price
  }

  filled(fill: BacktestFill): void {
    const row = this.#rowOf(fill)
    row.fills += 1
    row.amount += parseAtoms(fill.amount)
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
    const sums = { orders: 0, fills: 0, amount: 0n, profit: 0n, fees: 0n }
    const row = { id, ladder, side, price, ...sums }
    this.#rows.set(id, row)
    return row
  }
}

function told({ amount, profit, fees, ...row }: Row): BacktestRung {
  return { ...row, amount: formatAtoms(amount), profit: formatAtoms(profit), fees: formatAtoms(fees) }
}
