import { isDecimalText } from '#src/money/text.ts'
import { parseUnits } from '#src/money/units.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { FileLines } from './file-lines.ts'

/**
 * Prices of the past from a CSV file: bars (timestamp, open, high, low, close) or trades (timestamp, price), found by
 * the names in its header; other columns are not read. Inside a bar the price goes evenly from the open to the nearer
 * of high and low (to the low, when both are as near), from there to the other one, and to the close: each end is
 * reached once, and which of them first does not depend on who would gain by it. Of the trades of a tenth of a second
 * the last one counts.
 */
export type MarketFile = {
  /** Whose prices they are, if a comment above the header says so: # market: BTC_PERP */
  market: string | undefined
  print: string
  /** Milliseconds since the first row. */
  at: Float64Array
  /** In 10^-9. */
  units: Float64Array
  even: boolean
  /** How often rows are missing, or trades for more than an hour; and the first of these places. */
  gapCount: number
  gaps: { line: number; ms: number }[]
}

const pointsMax = 20_000_000
const unitDigits = 9
const gapsKept = 5
const silenceMs = 3_600_000
/** The length of a bar that stands alone. */
const minuteMs = 60_000
const slotMs = 100
const timeNames = new Set(['timestamp', 'time', 'open_time'])
const headers = 'timestamp,open,high,low,close,volume or timestamp,price,amount,side'

export function readMarketFile(path: string): MarketFile {
  const lines = new FileLines(path)
  const points = new Points(lines)
  let market: string | undefined
  let header: Header | undefined
  let rows: Rows | undefined
  for (const line of lines) {
    if (line.trim() === '') continue
    if (header === undefined) {
      const named = /^#\s*market:\s*(\S+)\s*$/i.exec(line)?.[1]
      market = named ?? market
      if (line.startsWith('#')) continue
      header = readHeader(lines, line)
      rows = header.prices.length === 4 ? bars(points) : trades(points)
      continue
    }
    const { time, prices } = readRow(lines, header, line)
    rows?.add(time, prices)
  }
  rows?.end?.()
  if (header === undefined || points.count === 0) {
    throw new BotError('FILE_INVALID', {
      seen: `${path} holds no prices`,
      fix: `Write a header, ${headers}, and rows under it`,
    })
  }
  return { market, print: lines.print, even: header.prices.length === 4, ...points.columns() }
}

/** Where in a row things stand. */
type Header = { cells: number; time: number; prices: number[] }

function readHeader(lines: FileLines, line: string): Header {
  const cells = line.split(',').map((cell) => cell.trim().toLowerCase())
  const time = cells.findIndex((cell) => timeNames.has(cell))
  const bar = ['open', 'high', 'low', 'close'].map((name) => cells.indexOf(name))
  const price = cells.indexOf('price')
  const prices = bar.includes(-1) ? [price] : bar
  if (time === -1 || prices.includes(-1)) {
    throw lines.complaint(
      `"${line.slice(0, 60)}" is no header of bars or trades`,
      `Write ${headers} above the rows`,
    )
  }
  return { cells: cells.length, time, prices }
}

function readRow(lines: FileLines, header: Header, line: string): { time: number; prices: number[] } {
  const cells = line.split(',')
  if (cells.length !== header.cells) {
    throw lines.complaint(
      `has ${cells.length} values, the header names ${header.cells}`,
      'Mend the line, or take it out',
    )
  }
  const prices = header.prices.map((place) => {
    const text = (cells[place] ?? '').trim()
    const units = isDecimalText(text) ? parseUnits(text, unitDigits) : undefined
    if (units !== undefined && units > 0) return units
    throw lines.complaint(
      `"${text.slice(0, 40)}" is no price`,
      `Write a plain decimal number above 0 with at most ${unitDigits} decimals`,
    )
  })
  return { time: readTime(lines, (cells[header.time] ?? '').trim()), prices }
}

/** Seconds, milliseconds or microseconds since 1970 as milliseconds: their sizes tell them apart. */
function readTime(lines: FileLines, text: string): number {
  const value = /^\d{1,17}$/.test(text) ? Number(text) : 0
  if (value >= 1e8 && value < 1e11) return value * 1000
  if (value >= 1e11 && value < 1e14) return value
  if (value >= 1e14 && value < 1e17) return Math.floor(value / 1000)
  throw lines.complaint(
    `"${text.slice(0, 40)}" is no time`,
    'Write whole seconds, milliseconds or microseconds since 1970',
  )
}

/** What the rows of a kind come to; `end` is told that there are no more. */
type Rows = { add(time: number, prices: number[]): void; end?(): void }

function trades(points: Points): Rows {
  let slot = -1
  return {
    add(time, [price = 0]) {
      const passed = points.follow(time, 0)
      if (passed > silenceMs) points.gap(passed)
      const next = Math.floor(time / slotMs)
      if (next === slot) points.replace(price)
      else points.add(time, price)
      slot = next
    },
  }
}

type Bar = { time: number; open: number; high: number; low: number; close: number }

function bars(points: Points): Rows {
  const { lines } = points
  let last: Bar | undefined
  let span: number | undefined
  return {
    add(time, [open = 0, high = 0, low = 0, close = 0]) {
      if (low > Math.min(open, close) || high < Math.max(open, close)) {
        throw lines.complaint('has an open or a close beyond its high or its low', 'Mend the line')
      }
      const passed = points.follow(time, 1)
      if (last) {
        span ??= passed
        if (passed < span) {
          throw lines.complaint(
            `comes ${passed / 1000} s after the row before it, the bars above are ${span / 1000} s long`,
            'Give every bar the same length',
          )
        }
        walk(points, last, span)
        if (passed > span) {
          points.gap(passed - span)
          // The last price stands until trade goes on.
          points.add(time - 1, last.close)
        }
      }
      last = { time, open, high, low, close }
    },
    end() {
      if (last) walk(points, last, span ?? minuteMs)
    },
  }
}

function walk(points: Points, { time, open, high, low, close }: Bar, span: number): void {
  const [first, second] = high - open < open - low ? [high, low] : [low, high]
  const quarter = Math.floor(span / 4)
  points.add(time, open)
  points.add(time + quarter, first)
  points.add(time + span - quarter, second)
  points.add(time + span - 1, close)
}

/** The columns while they grow. */
class Points {
  readonly lines: FileLines
  readonly #gaps: MarketFile['gaps'] = []
  #gapCount = 0
  count = 0
  /** When the row before this one was. */
  #lastAt: number | undefined
  #at = new Float64Array(1024)
  #units = new Float64Array(1024)

  constructor(lines: FileLines) {
    this.lines = lines
  }

  /** How long after the row before it one comes, which must be at least so many milliseconds. */
  follow(time: number, leastMs: number): number {
    const passed = this.#lastAt === undefined ? leastMs : time - this.#lastAt
    if (passed < leastMs) {
      const what = passed === 0 ? 'has the time of the row before it' : 'is older than the row before it'
      throw this.lines.complaint(what, 'Sort the rows by time, and leave each in once')
    }
    this.#lastAt = time
    return passed
  }

  add(time: number, price: number): void {
    if (this.count === pointsMax) {
      throw this.lines.complaint(`goes beyond ${pointsMax} points of price`, 'Cut the file into shorter ones')
    }
    if (this.count === this.#at.length) {
      this.#at = longer(this.#at)
      this.#units = longer(this.#units)
    }
    this.#at[this.count] = time
    this.#units[this.count] = price
    this.count += 1
  }

  replace(price: number): void {
    this.#units[this.count - 1] = price
  }

  gap(ms: number): void {
    this.#gapCount += 1
    if (this.#gaps.length < gapsKept) this.#gaps.push({ line: this.lines.number, ms })
  }

  columns(): Pick<MarketFile, 'at' | 'units' | 'gaps' | 'gapCount'> {
    const first = this.#at[0] ?? 0
    const at = this.#at.slice(0, this.count).map((time) => time - first)
    return { at, units: this.#units.slice(0, this.count), gaps: this.#gaps, gapCount: this.#gapCount }
  }
}

function longer(column: Float64Array): Float64Array<ArrayBuffer> {
  const twice = new Float64Array(2 * column.length)
  twice.set(column)
  return twice
}
