import { Decimal } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import { parseUnits } from '#src/core/money/units.ts'
import { tradeSides } from '#src/market/data/historical-market.ts'
import { canBeEmpty, ignored, isAmount, slot, type CsvLayout } from './column-layout.ts'

/**
 * Reads a row cell by cell as text. The byte parser passes all unusual rows to this file, so every error message about
 * a row is made here. `isTorn`: the row may be the remainder of a truncated line.
 */
export type RowFault = { what: string; fix: string; isTorn: boolean }

const unitDigits = 9
const shownMax = 40

/** Writes the cells into `values`, or returns the fault. */
export function readCells(
  layout: CsvLayout,
  cells: readonly string[],
  values: Float64Array,
): RowFault | undefined {
  const { slots } = layout
  if (cells.length !== slots.length) {
    return {
      what: `has ${cells.length} values, the header names ${slots.length}`,
      fix: 'Correct or remove the line',
      isTorn: cells.length < slots.length,
    }
  }
  for (const [place, wanted] of slots.entries()) {
    if (wanted === ignored) continue
    const text = plainOf(cells[place] ?? '')
    const value = valueOf(wanted, text, values)
    if (value === undefined) return { ...faultOf(wanted, text), isTorn: place === cells.length - 1 }
    values[wanted] = value
  }
  return undefined
}

function valueOf(wanted: number, text: string, values: Float64Array): number | undefined {
  if (wanted === slot.time) return timeOf(text, values)
  if (canBeEmpty(wanted) && emptyCells.has(text)) return NaN
  if (wanted === slot.fundingAt) return timeOf(text, new Float64Array(values.length))
  if (wanted === slot.calculated) return absent.has(text) ? 0 : timeOf(text, new Float64Array(values.length))
  if (wanted === slot.side) return sides.get(text.toLowerCase()) ?? tradeSides.unknown
  return wanted === slot.id ? idOf(text) : unitsOf(wanted, text)
}

/** Archives state whether the buyer was the maker: then the taker sold. Any other word is no side. */
const sides = new Map<string, number>([
  ['buy', tradeSides.bought],
  ['sell', tradeSides.sold],
  ['false', tradeSides.bought],
  ['true', tradeSides.sold],
])

/** Reads a side from the bytes of a cell; false if it has quotes or spaces around it, which are for `readCells`. */
export function takeSide(values: Float64Array, bytes: Uint8Array, start: number, end: number): boolean {
  const last = bytes[end - 1] === carriageReturn ? end - 1 : end
  values[slot.side] = sideIn(bytes, start, last)
  return bytes[start] !== quote && bytes[start] !== space && bytes[last - 1] !== space
}

const [carriageReturn, space, quote] = [13, 32, 34]

/** Without a string for each row: letters in lower case, as one number. */
function sideIn(bytes: Uint8Array, from: number, end: number): number {
  let word = 0
  for (let place = from; place < end && place <= from + sideLettersMost; place++)
    word = word * 256 + ((bytes[place] ?? 0) | 32)
  return sidesByNumber.get(word) ?? tradeSides.unknown
}

const sideLettersMost = 5
const sidesByNumber = new Map(
  [...sides].map(([word, side]) => [[...Buffer.from(word)].reduce((sum, byte) => sum * 256 + byte, 0), side]),
)

const emptyCells: ReadonlySet<string> = new Set(['', 'null', 'nan', 'NaN'])

/** A rate whose time of calculation is not known. */
const absent: ReadonlySet<string> = new Set(['', '0', 'null'])

/** Without spaces and the quotes that some programs put around every cell. */
export function plainOf(cell: string): string {
  const text = cell.trim()
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

function faultOf(wanted: number, text: string): Omit<RowFault, 'isTorn'> {
  const shown = `"${text.slice(0, shownMax)}"`
  if (wanted === slot.time || wanted === slot.calculated || wanted === slot.fundingAt) {
    const fix =
      'Write seconds, milliseconds or microseconds since 1970, or a UTC time such as 2026-01-31T14:30:00Z'
    return { what: `${shown} is not a time`, fix }
  }
  if (wanted === slot.id) {
    const fix = 'Number trades with whole numbers, or rename that column'
    return { what: `${shown} is not a trade number`, fix }
  }
  if (isAmount(wanted)) {
    return { what: `${shown} is not an amount`, fix: 'Write a plain decimal number, 0 or more' }
  }
  if (wanted === slot.rate || wanted === slot.listedRate) {
    const fix = 'Write the share of a position that is paid, such as 0.0001 for 0.01 %'
    return { what: `${shown} is not a funding rate`, fix }
  }
  const fix = `Write a plain decimal number above 0 and below 9007199 with at most ${unitDigits} decimals`
  return { what: `${shown} is not a price`, fix }
}

/** Some programs write 0.00001 as 1e-05. */
const smallNumber = /^\d{1,9}(?:\.\d{1,20})?e-\d{1,2}$/i

function unitsOf(wanted: number, cell: string): number | undefined {
  if (wanted === slot.rate || wanted === slot.listedRate) return rateOf(cell)
  const plain = smallNumber.test(cell) ? new Decimal(cell).toFixed() : cell
  // Sums of doubles, such as 0.000030000000000000004, have more digits than a decimal may have.
  const text = isAmount(wanted) ? plain.replace(/(\.\d{18})\d+$/, '$1') : plain
  if (!isDecimalText(text)) return undefined
  if (isAmount(wanted)) return parseUnits(text, unitDigits) ?? amountOf(text)
  const units = parseUnits(text, unitDigits)
  return units !== undefined && units > 0 ? units : undefined
}

/** An amount with too many digits is cut down: the volume is never too large. */
function amountOf(text: string): number {
  const [whole = '', decimals = ''] = text.split('.')
  const exact = BigInt(`${whole}${decimals.slice(0, unitDigits).padEnd(unitDigits, '0')}`)
  const near = Number(exact)
  if (BigInt(near) <= exact) return near
  const bits = new BigUint64Array(new Float64Array([near]).buffer)
  bits[0] = (bits[0] ?? 0n) - 1n
  return new Float64Array(bits.buffer)[0] ?? 0
}

function rateOf(text: string): number | undefined {
  if (!/^-?\d{1,9}(?:\.\d{1,40})?(?:e-?\d{1,2})?$/i.test(text)) return undefined
  return new Decimal(text).times(10 ** unitDigits).toNumber()
}

function idOf(text: string): number | undefined {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(id) ? id : undefined
}

/** A UTC time as text. */
const isoTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]00:?00)?$/

/** A time in the format of market files, in milliseconds; undefined for anything else. */
export function timeIn(text: string): number | undefined {
  return timeOf(text, new Float64Array(slot.unit + 1))
}

/** In milliseconds; smaller parts are cut. */
function timeOf(text: string, values: Float64Array): number | undefined {
  if (isoTime.test(text)) {
    values[slot.unit] = timeUnits.ms
    const day = text.slice(0, 10)
    const at = Date.parse(`${day}T${text.slice(11).replace(/(?:Z|[+-]00:?00)$/, '')}Z`)
    // `Date` reads the 30th of February as the 2nd of March.
    return Number.isFinite(at) && new Date(Date.parse(day)).toISOString().startsWith(day) ? at : undefined
  }
  const [, whole = '', decimals = ''] = /^(\d{1,17})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  const value = Number(whole)
  const unit = unitOf(value)
  if (unit === undefined) return undefined
  values[slot.unit] = unit
  if (unit === timeUnits.us) return Math.floor(value / 1000)
  return unit === timeUnits.ms ? value : value * 1000 + Number(decimals.padEnd(3, '0').slice(0, 3))
}

/** Seconds, milliseconds and microseconds since 1970 are distinguished by size: the ranges cover the years 1973 to 5138. */
export const timeUnits = { s: 0, ms: 1, us: 2 } as const

export function unitOf(value: number): number | undefined {
  if (value >= 1e8 && value < 1e11) return timeUnits.s
  if (value >= 1e11 && value < 1e14) return timeUnits.ms
  return value >= 1e14 && value < 1e17 ? timeUnits.us : undefined
}
