import { openBytes, printOf } from './bytes.ts'
import { badMarket } from './complaint.ts'
import { CsvRows } from './csv-rows.ts'
import { slot } from './layout.ts'
import type { Block, PastMarket, Seen } from './past-market.ts'
import { extremesOf, Points } from './points.ts'

/** Unix milliseconds; `to` is the first that does not belong to it. */
export type Span = { from?: number | undefined; to?: number | undefined }

/** As many rows say how long a bar is: the shortest step between two of them. */
const rowsLooked = 100
const minuteMs = 60_000
const secondMs = 1000

/** A market file, or a part of it, that is read anew with each walk through its blocks, in constant memory. */
export function readMarket(path: string, span: Span = {}): PastMarket {
  const head = lookAt(path)
  const market: PastMarket = {
    ...head,
    print: printOf(path),
    seen: undefined,
    blocks: () =>
      within(
        walk(path, head, (seen) => (market.seen = seen)),
        span,
      ),
  }
  if (span.from !== undefined && span.from > head.beginsAt) market.beginsAt = firstWithin(market, path)
  return market
}

type Head = Pick<PastMarket, 'name' | 'kind' | 'barMs' | 'beginsAt'>

function lookAt(path: string): Head {
  const bytes = openBytes(path)
  try {
    const rows = new CsvRows(path, bytes)
    const times: number[] = []
    while (times.length < rowsLooked && rows.next()) times.push(rows.values[slot.time] ?? 0)
    const [beginsAt] = times
    if (beginsAt === undefined) throw badMarket(path, 'holds no prices', 'Write rows under its header')
    const { name, layout } = rows
    return {
      name,
      kind: layout.kind,
      barMs: layout.kind === 'bars' ? barOf(path, times) : undefined,
      beginsAt,
    }
  } finally {
    bytes.close()
  }
}

/** The shortest step; one bar alone is taken for a minute. */
function barOf(path: string, times: readonly number[]): number {
  const steps = times
    .slice(1)
    .map((time, place) => time - (times[place] ?? 0))
    .filter((step) => step > 0)
  if (steps.length === 0) return minuteMs
  const barMs = Math.min(...steps)
  if (barMs < secondMs) throw badMarket(path, `has bars of ${barMs} ms`, 'Give every bar a second or more')
  return barMs
}

function* walk(path: string, head: Head, done: (seen: Seen) => void): Generator<Block> {
  const bytes = openBytes(path)
  try {
    const points = new Points(path, new CsvRows(path, bytes))
    yield* head.barMs === undefined ? points.trades() : points.bars(head.barMs)
    done(points.seen)
  } finally {
    bytes.close()
  }
}

/** Points of the time in between alone. */
function* within(blocks: Iterable<Block>, { from = -Infinity, to = Infinity }: Span): Generator<Block> {
  for (const block of blocks) {
    const { at, count } = block
    const [first = 0, last = 0] = [at[0], at[count - 1]]
    if (last < from) continue
    if (first >= to) return
    if (first >= from && last < to) {
      yield block
      continue
    }
    const start = placeOf(at, from)
    const end = placeOf(at, to)
    if (end === start) continue
    const units = block.units.subarray(start, end)
    const amounts = block.amounts.subarray(start, end)
    yield { count: end - start, at: at.subarray(start, end), units, amounts, ...extremesOf(units) }
  }
}

/** Where the first point at or behind a moment stands. */
function placeOf(at: Float64Array, moment: number): number {
  let low = 0
  let high = at.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? 0) < moment) low = middle + 1
    else high = middle
  }
  return low
}

function firstWithin(market: PastMarket, path: string): number {
  for (const { at } of market.blocks()) return at[0] ?? 0
  throw badMarket(path, 'holds no prices of that time', 'Name another span')
}
