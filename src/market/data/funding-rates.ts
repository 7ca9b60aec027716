import { isBinary, fingerprintOf } from '#src/market/data/bytes/bytes.ts'
import { badMarket } from './market-file-error.ts'
import { otherKind } from './other-kind.ts'
import { slot } from '#src/market/data/csv/column-layout.ts'
import { openBytes } from '#src/market/data/bytes/open-bytes.ts'
import type { Funding } from './historical-market.ts'
import { percentNotes, refusePercent } from './percent-rates.ts'
import { duplicatesNote } from './points.ts'
import { rowsOf } from './read-market.ts'
import type { Rows } from './rows.ts'

/** Units of 10^-9 (rows) in one unit of 10^-8 (rates). */
const unit = 10

export function readFunding(path: string): Funding {
  if (isBinary(path)) throw otherKind(path, 'bars', 'funding')
  const bytes = openBytes(path)
  try {
    const rows = rowsOf(path, bytes)
    if (rows.layout.kind !== 'funding') throw otherKind(path, rows.layout.kind, 'funding')
    const { rates, notes } = ratesOf(path, rows)
    if (rates.length === 0) throw badMarket(path, 'holds no funding rates', 'Write rows below its header')
    return { name: rows.name, file: path, print: fingerprintOf(path), rates, notes }
  } finally {
    bytes.close()
  }
}

function ratesOf(path: string, rows: Rows): Pick<Funding, 'rates' | 'notes'> {
  const rates: Funding['rates'] = []
  let [duplicates, rounded] = [0, 0]
  while (rows.next()) {
    const [at, exact] = [rows.values[slot.time] ?? 0, (rows.values[slot.rate] ?? 0) / unit]
    const rate = Math.round(exact)
    refusePercent(path, rate, rows.line)
    const complaint = (what: string, fix: string) => badMarket(path, what, fix, rows.line)
    const last = rates.at(-1)
    if (last && at < last.at)
      throw complaint(`is ${(last.at - at) / 1000} s older than the row before it`, rows.sorting)
    if (last?.at === at) {
      if (last.rate !== rate)
        throw complaint('has the time of the row before it and another rate', 'Remove one of them')
      duplicates += 1
      continue
    }
    if (rate !== exact) rounded += 1
    const calculatedAt = rows.values[slot.calculated] ?? 0
    rates.push({ at, rate, ...(calculatedAt > 0 && { calculatedAt }) })
  }
  const notes = rows.notes()
  if (duplicates > 0) notes.push(duplicatesNote(duplicates))
  if (rounded > 0) notes.push(`Rates with more than 8 decimals are rounded to 8: ${rounded}.`)
  notes.push(...percentNotes(rates.map(({ rate }) => rate)))
  return { rates, notes }
}
