import { badMarket } from './market-file-error.ts'
import { levelSlot, slot } from '#src/market/data/csv/column-layout.ts'
import { blockPoints, tradeSides, type FileFindings, type PointBlock } from './historical-market.ts'
import {
  addGap,
  addPoints,
  blockColumns,
  emptySeen,
  extremesOf,
  lateMsMost,
  leftOutNote,
  tradeGapMs,
} from './points.ts'
import type { Rows } from './rows.ts'

/** Bots read order books once a second: of the books of a second only the last one is kept. */
const secondMs = 1000

const sides = [
  ['bid', tradeSides.bought],
  ['ask', tradeSides.sold],
] as const

/** Converts the order books of a file to points, in blocks of whole books. */
export class BookPoints {
  readonly seen: FileFindings = emptySeen()
  readonly #path: string
  readonly #rows: Rows
  #columns = blockColumns()
  #count = 0
  #late = 0

  constructor(path: string, rows: Rows) {
    this.#path = path
    this.#rows = rows
  }

  *blocks(): Generator<PointBlock> {
    const rows = this.#rows
    const { seen } = this
    const kept = new Float64Array(rows.values.length)
    const mostPoints = 2 * rows.layout.levels
    let [lastAt, second] = [0, 0]
    while (rows.next()) {
      seen.rows += 1
      const at = rows.values[slot.time] ?? 0
      if (at < lastAt) {
        this.#refuseEarlier(lastAt - at)
        continue
      }
      this.#refuseUnsorted()
      if (lastAt > 0 && at - lastAt > tradeGapMs) addGap(seen, lastAt, at - lastAt, rows.line)
      const own = Math.ceil(at / secondMs)
      if (lastAt > 0 && own !== second) this.#add(kept)
      if (this.#count + mostPoints > blockPoints) yield this.#take()
      kept.set(rows.values)
      lastAt = at
      second = own
    }
    if (lastAt > 0) this.#add(kept)
    if (this.#count > 0) yield this.#take()
    seen.notes.push(...rows.notes(), ...leftOutNote(this.#late))
  }

  /** A file in the order of arrival has rows that are late: a newer book is there already. */
  #refuseEarlier(ms: number): void {
    this.#late += 1
    if (this.#rows.layout.isByArrival && ms <= lateMsMost) return
    throw this.#complaint(`is ${ms / 1000} s older than the row before it`, this.#rows.sorting)
  }

  #refuseUnsorted(): void {
    const { values, layout } = this.#rows
    for (const [side] of sides) {
      const sign = side === 'ask' ? 1 : -1
      for (let level = 1; level < layout.levels; level++) {
        const [before, price] = [values[levelSlot(side, level - 1)], values[levelSlot(side, level)]]
        if (before === undefined || price === undefined || !((price - before) * sign <= 0)) continue
        throw this.#complaint(
          `has ${side}s[${level}] at no worse price than ${side}s[${level - 1}]`,
          'Write the levels of each side from the best price on',
        )
      }
    }
  }

  #add(values: Float64Array): void {
    const { at, units, amounts, sides: sideColumn } = this.#columns
    for (const [side, code] of sides) {
      for (let level = 0; level < this.#rows.layout.levels; level++) {
        const place = levelSlot(side, level)
        const [price = NaN, amount = NaN] = [values[place], values[place + 1]]
        // Sides with fewer levels have empty cells.
        if (!(price > 0 && amount > 0)) break
        at[this.#count] = values[slot.time] ?? 0
        units[this.#count] = price
        amounts[this.#count] = amount
        sideColumn[this.#count] = code
        this.#count += 1
      }
    }
  }

  #take(): PointBlock {
    const count = this.#count
    const { at, units, amounts, sides: sideColumn } = this.#columns
    const prices = units.subarray(0, count)
    const block = {
      count,
      at: at.subarray(0, count),
      units: prices,
      amounts: amounts.subarray(0, count),
      sides: sideColumn.subarray(0, count),
      ...extremesOf(prices),
    }
    addPoints(this.seen, block)
    this.#columns = blockColumns()
    this.#count = 0
    return block
  }

  #complaint(what: string, fix: string) {
    return badMarket(this.#path, what, fix, this.#rows.line)
  }
}
