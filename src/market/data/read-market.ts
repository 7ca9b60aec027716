import { binaryBlocks, factsOf } from '#src/market/data/binary/binary-file.ts'
import {
  firstByteOf,
  isBinary,
  fingerprintOf,
  fingerprintOfAll,
  type Bytes,
} from '#src/market/data/bytes/bytes.ts'
import { openBytes } from '#src/market/data/bytes/open-bytes.ts'
import { BookPoints } from './book-points.ts'
import { badMarket } from './market-file-error.ts'
import { CsvRows } from '#src/market/data/csv/csv-rows.ts'
import { JsonRows } from '#src/market/data/json/json-rows.ts'
import { slot } from '#src/market/data/csv/column-layout.ts'
import type {
  FileFindings,
  HistoricalBooks,
  HistoricalMarket,
  MarketKind,
  PointBlock,
} from './historical-market.ts'
import { filesOf } from './files-of.ts'
import { otherKind } from './other-kind.ts'
import { FindingsOfFiles } from './findings-of-files.ts'
import { blockColumns, emptySeen, lateMsMost, Points, tradeGapMs, type BlockColumns } from './points.ts'
import type { Rows } from './rows.ts'
import { within, type Span } from './time-range.ts'

/** Rows that determine the length of a bar: the shortest step between two of them. */
const rowsLooked = 100
const minuteMs = 60_000
const secondMs = 1000

type Head = Pick<HistoricalMarket<MarketKind>, 'name' | 'kind' | 'levels' | 'barMs' | 'beginsAt'>
type Whole = Head & {
  isByArrival?: boolean
  /** Points before `from` may be left out; `done` is called at the end with the findings. */
  walk(from: number, done: (seen: FileFindings) => void, columns?: BlockColumns): Iterable<PointBlock>
}

/** The prices of a market: bars or trades. */
export function readMarket(path: string, span: Span = {}): HistoricalMarket {
  const market = readMarketFile(path, span)
  if (isPrices(market)) return market
  throw otherKind(path, 'depth', 'bars')
}

/** The order books of a market. */
export function readDepth(path: string): HistoricalBooks {
  const market = readMarketFile(path)
  if (isBooks(market)) return market
  throw otherKind(path, market.kind, 'depth')
}

function isBooks(market: HistoricalMarket<MarketKind>): market is HistoricalBooks {
  return market.kind === 'depth'
}

function isPrices(market: HistoricalMarket<MarketKind>): market is HistoricalMarket {
  return market.kind !== 'depth'
}

/**
 * A market file, the files of a folder or of a pattern, or a part of them, read anew in each pass through its blocks, in
 * constant memory.
 */
export function readMarketFile(path: string, span: Span = {}): HistoricalMarket<MarketKind> {
  const files = filesOf(path)
  const whole = files ? ofFiles(files) : ofFile(path)
  const { name, kind, levels, barMs, beginsAt } = whole
  const done = (seen: FileFindings): void => void (market.seen = seen)
  const isPart = span.from !== undefined || span.to !== undefined
  const market: HistoricalMarket<MarketKind> = {
    name,
    print: files ? fingerprintOfAll(files) : fingerprintOf(path),
    kind,
    ...(levels !== undefined && { levels }),
    barMs,
    beginsAt,
    *blocks() {
      if (!isPart) yield* whole.walk(-Infinity, done)
      else
        yield* within(
          whole.walk(span.from ?? -Infinity, () => {}),
          span,
          whole,
          done,
        )
    },
  }
  if (isPart) market.beginsAt = firstOf(market, path)
  return market
}

function firstOf(market: Pick<HistoricalMarket, 'blocks'>, path: string): number {
  for (const { at } of market.blocks()) return at[0] ?? 0
  throw badMarket(path, 'holds no prices of this period', 'Choose another period')
}

function ofFile(path: string): Whole {
  return isBinary(path) ? ofBinary(path) : ofRows(path)
}

/** Files of one market, one after the other by time. */
function ofFiles(paths: readonly string[]): Whole {
  const parts = paths.map((path) => ({ path, whole: ofFile(path) }))
  parts.sort((a, b) => a.whole.beginsAt - b.whole.beginsAt)
  const [first] = parts
  if (first === undefined) throw new RangeError('a market has at least one file')
  const { name, kind, levels, barMs, beginsAt, isByArrival = false } = first.whole
  const lateMs = isByArrival ? lateMsMost : 0
  for (const { path, whole } of parts) {
    const isAlike = whole.kind === kind && whole.levels === levels && whole.barMs === barMs
    const isSame = whole.name === name && isAlike
    if (isSame && (whole.isByArrival ?? false) === isByArrival) continue
    throw badMarket(
      path,
      `is about another market or of another kind than ${first.path}`,
      'Keep them in separate folders',
    )
  }
  return {
    name,
    kind,
    levels,
    barMs,
    beginsAt,
    *walk(from, done) {
      const findings = new FindingsOfFiles()
      const columns = blockColumns()
      let before = { path: '', endsAt: -Infinity }
      for (const [place, { path, whole }] of parts.entries()) {
        columns.continues = place < parts.length - 1
        if (whole.beginsAt <= before.endsAt - lateMs)
          throw badMarket(path, `overlaps ${before.path}`, 'Remove the rows that both files have')
        const pauseMs = whole.beginsAt - before.endsAt
        if (before.path !== '' && pauseMs > (barMs ?? tradeGapMs)) findings.gap(before.endsAt, pauseMs)
        let own = emptySeen()
        yield* whole.walk(from, (found) => (own = found), columns)
        findings.add(own, path)
        before = { path, endsAt: own.endsAt }
      }
      done(findings.whole())
    },
  }
}

function ofBinary(path: string): Whole {
  const { facts, blocksEnd } = factsOf(path)
  const { seen, ...head } = facts
  return {
    ...head,
    *walk(from, done) {
      yield* binaryBlocks(path, blocksEnd, from)
      done(seen)
    },
  }
}

function ofRows(path: string): Whole {
  const head = headOfRows(path)
  return {
    ...head,
    *walk(_, done, columns = blockColumns()) {
      const bytes = openBytes(path)
      try {
        const rows = rowsOf(path, bytes)
        if (head.kind === 'depth') {
          const books = new BookPoints(path, rows)
          yield* books.blocks()
          return done(books.seen)
        }
        const points = new Points(path, rows, columns)
        yield* head.barMs === undefined ? points.trades() : points.bars(head.barMs)
        done(points.seen)
      } finally {
        bytes.close()
      }
    },
  }
}

/** JSON begins with a bracket, and CSV never does. */
export function rowsOf(path: string, bytes: Bytes): Rows {
  const { first, again } = firstByteOf(bytes)
  return first === 0x5b || first === 0x7b ? new JsonRows(path, again) : new CsvRows(path, again)
}

function headOfRows(path: string): Head & { isByArrival: boolean } {
  const bytes = openBytes(path)
  try {
    const rows = rowsOf(path, bytes)
    const { name, layout } = rows
    const { kind, isByArrival } = layout
    if (kind === 'funding' || kind === 'futures') throw otherKind(path, kind, 'bars')
    const times: number[] = []
    while (times.length < rowsLooked && rows.next()) times.push(rows.values[slot.time] ?? 0)
    // A row that is late may come first.
    const beginsAt = isByArrival ? firstArrived(times, rows) : times[0]
    if (beginsAt === undefined) throw badMarket(path, 'holds no prices', 'Write rows below its header')
    const barMs = kind === 'bars' ? barOf(path, times) : undefined
    return { name, kind, ...(kind === 'depth' && { levels: layout.levels }), barMs, beginsAt, isByArrival }
  } finally {
    bytes.close()
  }
}

/** The earliest time of the rows that may be late. */
function firstArrived([first = 0, ...times]: readonly number[], rows: Rows): number | undefined {
  let earliest = Math.min(first, ...times)
  for (let time = first; time <= first + lateMsMost && rows.next();) {
    time = rows.values[slot.time] ?? 0
    earliest = Math.min(earliest, time)
  }
  return earliest > 0 ? earliest : undefined
}

/** The shortest step; a single bar counts as one minute. */
function barOf(path: string, times: readonly number[]): number {
  const steps = times.slice(1).map((time, place) => time - (times[place] ?? 0))
  const barMs = Math.min(...steps.filter((step) => step > 0))
  if (barMs === Infinity) return minuteMs
  if (barMs < secondMs) throw badMarket(path, `has bars of ${barMs} ms`, 'Use bars of one second or more')
  return barMs
}
