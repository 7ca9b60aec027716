import { badMarket } from './market-file-error.ts'
import { slot } from '#src/market/data/csv/column-layout.ts'
import { blockPoints, type PointBlock, type FileFindings } from './historical-market.ts'
import type { Rows } from './rows.ts'

/** Trades may be rare; a longer pause is reported as a gap. */
export const tradeGapMs = 3_600_000
export const placesKept = 5

/** How late a row may be in a file that is sorted by arrival: it is put in its place. */
export const lateMsMost = 10_000

/** The memory of the blocks of a market, for all of its files. */
export type BlockColumns = Pick<PointBlock, 'at' | 'units' | 'amounts'> & {
  sides: Uint8Array
  /** Points of the file before, which wait for late rows of this one. */
  held: number
  /** Points up to this time have left. */
  releasedUntil: number
  /** Whether another file follows. */
  continues: boolean
}

export function blockColumns(): BlockColumns {
  return {
    at: new Float64Array(blockPoints),
    units: new Float64Array(blockPoints),
    amounts: new Float64Array(blockPoints),
    sides: new Uint8Array(blockPoints),
    held: 0,
    releasedUntil: 0,
    continues: false,
  }
}

/** Converts rows to points, in blocks whose columns are reused. */
export class Points {
  readonly seen = emptySeen()
  readonly #path: string
  readonly #rows: Rows
  readonly #at: Float64Array
  readonly #units: Float64Array
  readonly #amounts: Float64Array
  readonly #sides: Uint8Array
  readonly #columns: BlockColumns
  #count: number
  #late = { rows: 0, msMost: 0 }
  /** Consecutive equal rows without a trade id: each may be a separate trade. */
  #alike = 0

  constructor(path: string, rows: Rows, columns: BlockColumns) {
    this.#path = path
    this.#rows = rows
    this.#at = columns.at
    this.#units = columns.units
    this.#amounts = columns.amounts
    this.#sides = columns.sides
    this.#columns = columns
    this.#count = columns.held
  }

  *trades(): Generator<PointBlock> {
    const rows = this.#rows
    const { values } = rows
    const { hasAmounts, hasIds, isByArrival } = rows.layout
    let [lastAt, lastUnits, lastAmount, lastId] = [0, 0, 0, 0]
    while (rows.next()) {
      const [time, units, id] = [values[slot.time] ?? 0, values[slot.price] ?? 0, values[slot.id] ?? 0]
      const amount = hasAmounts ? (values[slot.amount] ?? 0) : Infinity
      this.seen.rows += 1
      const side = values[slot.side] ?? 0
      if (isByArrival && this.#addLate(time, units, amount, side)) continue
      if (time <= lastAt) {
        if (time < lastAt) throw this.#disorder(lastAt - time)
        if (units === lastUnits && amount === lastAmount) {
          if (hasIds && id === lastId) {
            this.seen.duplicates += 1
            continue
          }
          if (!hasIds) this.#alike += 1
        }
      } else if (time - lastAt > tradeGapMs && lastAt > 0) this.#gap(lastAt, time - lastAt)
      if (hasIds && id === lastId && this.seen.rows > 1) {
        throw this.#complaint(
          `has the number of the trade before it, ${id}, and other values`,
          'Remove one of them',
        )
      }
      this.#sides[this.#count] = side
      this.#add(time, units, amount)
      if (this.#count === blockPoints) yield* isByArrival ? this.#release() : [this.#take()]
      lastAt = time
      lastUnits = units
      lastAmount = amount
      lastId = id
    }
    const columns = this.#columns
    columns.held = isByArrival && columns.continues ? this.#count : 0
    if (columns.held > 0) this.seen.endsAt = this.#at[columns.held - 1] ?? 0
    else if (this.#count > 0) yield this.#take()
    this.#end()
  }

  *bars(barMs: number): Generator<PointBlock> {
    const rows = this.#rows
    const { values } = rows
    const last = new Float64Array(values.length)
    while (rows.next()) {
      this.seen.rows += 1
      const time = values[slot.time] ?? 0
      const lastAt = last[slot.time] ?? 0
      if (lastAt > 0) {
        const passed = time - lastAt
        if (passed === 0) {
          if (!same(values, last)) {
            throw this.#complaint('has the time of the row before it and other values', 'Remove one of them')
          }
          this.seen.duplicates += 1
          continue
        }
        if (passed < 0) throw this.#disorder(-passed)
        if (passed < barMs) {
          throw this.#complaint(
            `comes ${passed / 1000} s after the row before it, and the bars of this file are ${barMs / 1000} s long`,
            'Give every bar the same length',
          )
        }
        if (passed > barMs) this.#gap(lastAt + barMs, passed - barMs)
      }
      this.#walk(time, barMs)
      last.set(values)
      if (this.#count === blockPoints) yield this.#take()
    }
    if (this.#count > 0) yield this.#take()
    this.#end()
  }

  /** Whether the row is older than the newest one; it is then put in its place. */
  #addLate(time: number, units: number, amount: number, side: number): boolean {
    const [at, count] = [this.#at, this.#count]
    const newest = count === 0 ? this.#columns.releasedUntil : (at[count - 1] ?? 0)
    if (time >= newest) return false
    const lateMs = newest - time
    if (lateMs > lateMsMost || time < this.#columns.releasedUntil) {
      const what = `is ${lateMs / 1000} s older than a row before it; rows may be ${lateMsMost / 1000} s late at most`
      throw this.#complaint(what, this.#rows.sorting)
    }
    let place = count
    while (place > 0 && (at[place - 1] ?? 0) > time) place -= 1
    for (const column of [at, this.#units, this.#amounts, this.#sides])
      column.copyWithin(place + 1, place, count)
    at[place] = time
    this.#units[place] = units
    this.#amounts[place] = amount
    this.#sides[place] = side
    this.#count = count + 1
    this.#late.rows += 1
    this.#late.msMost = Math.max(this.#late.msMost, lateMs)
    return true
  }

  /** The points for which no late row can come any more; at least half of the block. */
  *#release(): Generator<PointBlock> {
    const [at, total] = [this.#at, this.#count]
    const newest = at[total - 1] ?? 0
    let ready = total
    while (ready > total / 2 && (at[ready - 1] ?? 0) >= newest - lateMsMost) ready -= 1
    this.#columns.releasedUntil = at[ready - 1] ?? 0
    yield this.#take(ready)
    for (const column of [at, this.#units, this.#amounts, this.#sides]) column.copyWithin(0, ready, total)
    this.#count = total - ready
  }

  #walk(time: number, barMs: number): void {
    const { values, layout } = this.#rows
    // Without a loop: the first half a million rows run before the compiler optimizes this.
    const open = values[slot.open] ?? 0
    const high = values[slot.high] ?? 0
    const low = values[slot.low] ?? 0
    const close = values[slot.close] ?? 0
    if (high < low) throw this.#complaint('has a high below its low', 'Correct the line')
    if (low > Math.min(open, close) || high < Math.max(open, close)) {
      throw this.#complaint('has an open or a close outside its high and low', 'Correct the line')
    }
    const volume = layout.hasAmounts ? (values[slot.amount] ?? 0) : Infinity
    const part = Math.floor(volume / 4)
    const quarter = Math.floor(barMs / 4)
    const upFirst = high - open < open - low
    this.#add(time, open, part)
    this.#add(time + quarter, upFirst ? high : low, part)
    this.#add(time + barMs - quarter, upFirst ? low : high, part)
    this.#add(time + barMs - 1, close, volume === Infinity ? Infinity : volume - 3 * part)
  }

  #add(at: number, units: number, amount: number): void {
    const place = this.#count
    this.#at[place] = at
    this.#units[place] = units
    this.#amounts[place] = amount
    this.#count = place + 1
  }

  #take(count = this.#count): PointBlock {
    const at = this.#at.subarray(0, count)
    const units = this.#units.subarray(0, count)
    const sides = this.#rows.layout.hasSides ? { sides: this.#sides.subarray(0, count) } : {}
    const amounts = this.#amounts.subarray(0, count)
    const block = { count, at, units, amounts, ...sides, ...extremesOf(units) }
    addPoints(this.seen, block)
    this.#count = 0
    return block
  }

  #gap(at: number, ms: number): void {
    addGap(this.seen, at, ms, this.#rows.line)
  }

  #end(): void {
    const { notes, duplicates, rows } = this.seen
    const { kind, hasAmounts } = this.#rows.layout
    notes.push(...this.#rows.notes())
    if (kind === 'bars' && rows === 1)
      notes.push('The file has one bar, so the interval is unknown; one minute is assumed.')
    if (!hasAmounts) notes.push('The file holds no amounts: any amount may trade at each price.')
    if (this.#late.rows > 0) {
      const seconds = this.#late.msMost / 1000
      notes.push(
        `Rows that were late, ${seconds} s at most, and were put in their place: ${this.#late.rows}.`,
      )
    }
    if (duplicates > 0) notes.push(duplicatesNote(duplicates))
    if (this.#alike > 0) {
      const counted = this.#alike === 1 ? 'it counts as another trade' : 'they count as other trades'
      notes.push(`${rowsSay(this.#alike)} the same as the trade before; without trade numbers ${counted}.`)
    }
  }

  #disorder(ms: number) {
    return this.#complaint(`is ${ms / 1000} s older than the row before it`, this.#rows.sorting)
  }

  #complaint(what: string, fix: string) {
    return badMarket(this.#path, what, fix, this.#rows.line)
  }
}

export function emptySeen(): FileFindings {
  return {
    rows: 0,
    points: 0,
    endsAt: 0,
    low: Infinity,
    high: 0,
    gaps: 0,
    gapPlaces: [],
    duplicates: 0,
    notes: [],
  }
}

export function addPoints(seen: FileFindings, { count, at, low, high }: PointBlock): void {
  seen.points += count
  seen.endsAt = at[count - 1] ?? seen.endsAt
  seen.low = Math.min(seen.low, low)
  seen.high = Math.max(seen.high, high)
}

export function addGap(seen: FileFindings, at: number, ms: number, line?: number): void {
  seen.gaps += 1
  if (seen.gapPlaces.length < placesKept) seen.gapPlaces.push({ at, ms, line })
}

export function leftOutNote(count: number): string[] {
  return count > 0 ? [`Rows that were older than a row before them and were left out: ${count}.`] : []
}

export function duplicatesNote(count: number): string {
  return `${rowsSay(count)} the same as the row before, and ${count === 1 ? 'is' : 'are'} ignored.`
}

function rowsSay(count: number): string {
  return count === 1 ? '1 row says' : `${count} rows say`
}

function same(one: Float64Array, other: Float64Array): boolean {
  for (let place = slot.time; place <= slot.amount; place++) if (one[place] !== other[place]) return false
  return true
}

export function extremesOf(units: Float64Array): { low: number; high: number } {
  let low = Infinity
  let high = 0
  for (let place = 0; place < units.length; place++) {
    const price = units[place] ?? 0
    if (price < low) low = price
    if (price > high) high = price
  }
  return { low, high }
}
