import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, createZstdCompress } from 'node:zlib'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { renameDurably } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { formatUnits } from '#src/core/money/units.ts'
import { booksOf } from '#src/market/data/books.ts'
import { candlesOf } from '#src/market/data/candles.ts'
import { bookHeader } from '#src/market/data/csv/column-layout.ts'
import { unwritable } from '#src/market/data/market-file-error.ts'
import {
  tradeSides,
  type HistoricalBooks,
  type HistoricalMarket,
  type MarketKind,
} from '#src/market/data/historical-market.ts'
import { keysOf } from '#src/core/objects/objects.ts'

const unitDigits = 9
/** Lines in one piece of output. */
const linesPerPiece = 4096

/** Writes a market as CSV. Returns the size of the file. */
export function writeCsv(
  market: HistoricalMarket<MarketKind>,
  path: string,
  bars?: CandleInterval,
): Promise<number> {
  return writeLines(linesOf(market, bars), path)
}

/** Writes lines, compressed if the name ends in .gz or .zst; the file is renamed to its name when it is complete. */
export async function writeLines(lines: Iterable<string>, path: string): Promise<number> {
  const part = `${path}.part`
  const packing = path.endsWith('.gz') ? [createGzip()] : path.endsWith('.zst') ? [createZstdCompress()] : []
  try {
    await rm(part, { force: true })
    const file = createWriteStream(part, { flags: 'wx', flush: true })
    await pipeline([Readable.from(piecesOf(lines)), ...packing, file])
    renameDurably(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error instanceof BotError ? error : unwritable(path, error)
  }
  return (await stat(path)).size
}

/** The lines of a market as CSV: bars of the given length, or the bars or trades of the market. */
export function* linesOf(market: HistoricalMarket<MarketKind>, bars = barsOf(market)): Generator<string> {
  if (market.name !== undefined) yield `# market: ${market.name}\n`
  if (market.kind === 'depth') yield* bookLinesOf(market)
  else if (bars === undefined) yield* tradesOf(market)
  else {
    let isFirst = true
    for (const { opened, open, high, low, close, volume } of candlesOf(market.blocks(), bars)) {
      if (isFirst) yield `timestamp,open,high,low,close${volume === Infinity ? '' : ',volume'}\n`
      isFirst = false
      const numbers = [open, high, low, close, ...(volume === Infinity ? [] : [volume])]
      yield `${opened / 1000},${numbers.map(text).join(',')}\n`
    }
  }
}

function* bookLinesOf(market: Pick<HistoricalBooks, 'blocks' | 'levels'>): Generator<string> {
  const { levels = 0 } = market
  yield `${bookHeader(levels).join(',')}\n`
  for (const { at, bids, asks } of booksOf(market)) {
    const cells = Array.from({ length: levels }, (_, level) =>
      [asks, bids].flatMap(({ units, amounts }) => [units[level], amounts[level]]),
    )
    yield `${at},${cells.flat().map(cellOf).join(',')}\n`
  }
}

/** Empty for a level that the book does not have. */
function cellOf(units: number | undefined): string {
  return units === undefined ? '' : text(units)
}

/** In the order of `tradeSides`. */
const sideTexts = ['', 'buy', 'sell']

function* tradesOf(market: Pick<HistoricalMarket, 'blocks'>): Generator<string> {
  let isFirst = true
  for (const { count, at, units, amounts, sides } of market.blocks()) {
    for (let place = 0; place < count; place++) {
      const amount = amounts[place] ?? 0
      if (isFirst) yield `timestamp,price${amount === Infinity ? '' : ',amount'}${sides ? ',side' : ''}\n`
      isFirst = false
      const side = sides ? `,${sideTexts[sides[place] ?? tradeSides.unknown]}` : ''
      yield `${at[place]},${text(units[place] ?? 0)}${amount === Infinity ? '' : `,${text(amount)}`}${side}\n`
    }
  }
}

/** The interval of the bars of a file; bars without a named interval keep the binary form. */
function barsOf({ kind, barMs }: HistoricalMarket<MarketKind>): CandleInterval | undefined {
  if (kind !== 'bars') return undefined
  const name = keysOf(candleIntervals).find((each) => candleIntervals[each] === barMs)
  if (name !== undefined) return name
  throw new BotError('USAGE', {
    seen: `bars of ${(barMs ?? 0) / 1000} s have no interval name`,
    fix: 'Write another format than CSV, or longer bars with --bars',
  })
}

function text(units: number): string {
  return formatUnits(units, unitDigits)
}

function* piecesOf(lines: Iterable<string>): Generator<string> {
  let piece: string[] = []
  for (const line of lines) {
    if (piece.push(line) < linesPerPiece) continue
    yield piece.join('')
    piece = []
  }
  yield piece.join('')
}
