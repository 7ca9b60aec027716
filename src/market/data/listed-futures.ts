import { fingerprintOf, fingerprintOfAll, isBinary } from '#src/market/data/bytes/bytes.ts'
import { slot } from '#src/market/data/csv/column-layout.ts'
import { openBytes } from '#src/market/data/bytes/open-bytes.ts'
import { filesOf } from './files-of.ts'
import { badMarket } from './market-file-error.ts'
import { otherKind } from './other-kind.ts'
import type { HistoricalListing, ListedFutures } from './historical-market.ts'
import { percentNotes, refusePercent } from './percent-rates.ts'
import { lateMsMost, leftOutNote } from './points.ts'
import { rowsOf } from './read-market.ts'
import type { Rows } from './rows.ts'

/** Bots read the list of futures every ten seconds: of the rows of such a span only the last one is kept. */
const spanMs = 10_000
/** Values of rows are in 10^-9, rates of funding in 10^-8. */
const unit = 1e9
const rateUnit = 1e8
/** A venue lists a payment for some seconds after it, until it names the next one. */
const pastMsMost = 60_000

const columns = [
  ['mark', slot.mark],
  ['index', slot.index],
  ['openInterest', slot.openInterest],
  ['funding', slot.listedRate],
  ['fundingAt', slot.fundingAt],
] as const
type Column = (typeof columns)[number]

/** What a venue listed about a futures market: a file, or the files of a folder or of a pattern in the order of their names. */
export function readListing(path: string): HistoricalListing {
  const files = filesOf(path)
  const listing = new Listing()
  for (const file of files ?? [path]) listing.read(file)
  const { name, rows, has } = listing
  if (rows.length === 0) throw badMarket(path, 'holds no values of futures', 'Write rows below its header')
  return {
    name,
    file: path,
    print: files ? fingerprintOfAll(files) : fingerprintOf(path),
    rows,
    has: [...has],
    notes: listing.allNotes(),
  }
}

class Listing {
  name: string | undefined
  readonly rows: ListedFutures[] = []
  readonly has = new Set<Column[0]>()
  readonly #notes: string[] = []
  #lastAt = -Infinity
  #late = 0
  /** Rows whose payment was long ago, and the first of them. */
  #past = { rows: 0, first: '' }

  read(path: string): void {
    if (isBinary(path)) throw otherKind(path, 'bars', 'futures')
    const bytes = openBytes(path)
    try {
      const rows = rowsOf(path, bytes)
      if (rows.layout.kind === 'funding') throw noListedColumn(path)
      if (rows.layout.kind !== 'futures') throw otherKind(path, rows.layout.kind, 'futures')
      this.name ??= rows.name
      const own = columns.filter(([, place]) => rows.layout.slots.includes(place))
      while (rows.next()) this.#add(path, rows, own)
      this.#notes.push(...rows.notes(), ...leftOutNote(this.#late))
      this.#late = 0
    } finally {
      bytes.close()
    }
  }

  allNotes(): string[] {
    const { rows, first } = this.#past
    const past = `Payments more than ${pastMsMost / 1000} s before their row are unknown: ${rows}, the first one in ${first}.`
    const rates = this.rows.flatMap(({ funding }) =>
      funding === undefined ? [] : [Math.round(funding * rateUnit)],
    )
    return [...this.#notes, ...(rows > 0 ? [past] : []), ...percentNotes(rates)]
  }

  #add(path: string, { values, layout, line, sorting }: Rows, own: readonly Column[]): void {
    const at = values[slot.time] ?? 0
    const lateMs = this.#lastAt - at
    if (lateMs > 0) {
      if (!layout.isByArrival || lateMs > lateMsMost)
        throw badMarket(path, `is ${lateMs / 1000} s older than the row before it`, sorting, line)
      this.#late += 1
      return
    }
    if (Math.ceil(at / spanMs) === Math.ceil(this.#lastAt / spanMs)) this.rows.pop()
    this.#lastAt = at
    const listed: ListedFutures = { at }
    for (const [name, place] of own) {
      const value = values[place] ?? NaN
      // Cells can be empty.
      if (Number.isNaN(value)) continue
      if (name === 'funding') refusePercent(path, Math.round(value / (unit / rateUnit)), line)
      if (name === 'fundingAt' && value < at - pastMsMost) {
        if (this.#past.rows === 0) this.#past.first = `${path}:${line}`
        this.#past.rows += 1
        continue
      }
      listed[name] = name === 'fundingAt' ? value : value / unit
      this.has.add(name)
    }
    this.rows.push(listed)
  }
}

/** Payments of funding have these columns, too. */
function noListedColumn(path: string) {
  const what =
    'has rates of funding, and none of the columns index_price, open_interest and funding_timestamp'
  return badMarket(path, what, 'Add one of them for --futures, or pass the file as --funding')
}
