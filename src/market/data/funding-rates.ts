import { isBinary, fingerprintOf } from '#src/market/data/bytes/bytes.ts'
import { badMarket } from './market-file-error.ts'
import { slot } from '#src/market/data/csv/column-layout.ts'
import { openBytes } from '#src/market/data/bytes/open-bytes.ts'
import type { Funding } from './historical-market.ts'
import { duplicatesNote } from './points.ts'
import { rowsOf } from './read-market.ts'
import type { Rows } from './rows.ts'

/** Units of 10^-9 (rows) in one unit of 10^-8 (rates). */
const unit = 10
/** No market has ever paid a tenth of a position at once: such a rate is a percentage. */
const rateMost = 10_000_000
/** A rate of 300 percent a year, three times a day, is normal in no market; 0.01 is normal for percentages. */
const usualMost = 300_000

export function readFunding(path: string): Funding {
  if (isBinary(path)) throw noFunding(path)
  const bytes = openBytes(path)
  try {
    const rows = rowsOf(path, bytes)
    if (rows.layout.kind !== 'funding') throw noFunding(path)
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
    const complaint = (what: string, fix: string) => badMarket(path, what, fix, rows.line)
    if (Math.abs(rate) >= rateMost) {
      const percent = `${rate / 1e6} % of a position at once`
      throw complaint(`is a rate of ${percent}`, 'Write shares: 0.0001 is 0.01 %; divide percent by 100')
    }
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
  const usual = rates.map(({ rate }) => Math.abs(rate)).sort((a, b) => a - b)[rates.length >> 1] ?? 0
  if (usual >= usualMost) {
    const percent = usual / 1e6
    notes.push(
      `Half of its rates are ${percent} % of a position or more. If they are percent, divide them by 100.`,
    )
  }
  return { rates, notes }
}

function noFunding(path: string) {
  return badMarket(
    path,
    'holds prices, not funding rates',
    'Pass it as --market, and a file of timestamp,rate as --funding',
  )
}
