import { badMarket } from '#src/market/data/market-file-error.ts'
import type { HistoricalMarket, MarketKind, PointBlock } from '#src/market/data/historical-market.ts'
import { readDepth, readMarket } from '#src/market/data/read-market.ts'
import type { Span } from '#src/market/data/time-range.ts'

/** A market in shared memory: a message can pass it to a worker, which makes a market of it again. */
export type MarketColumns<Kind extends MarketKind = 'bars' | 'trades'> = Omit<
  HistoricalMarket<Kind>,
  'blocks'
> & { shared: SharedBlock[] }
type SharedBlock = {
  count: number
  low: number
  high: number
  hasSides: boolean
  columns: SharedArrayBuffer
}

const columnsOfBlock = 3
const pointBytes = columnsOfBlock * Float64Array.BYTES_PER_ELEMENT
/** Largest share of the free memory for a market; the rest is for the backtest. */
const freeShare = 0.75

/**
 * Reads a whole market file into memory: 24 bytes for each point, and another one for a side. `free` is the available memory
 * in bytes.
 */
export function loadMarket(path: string, span: Span = {}, free = process.availableMemory()): MarketColumns {
  return intoMemory(path, readMarket(path, span), free)
}

/** The same for order books: a point is a level. */
export function loadDepth(path: string): MarketColumns<'depth'> {
  return intoMemory(path, readDepth(path), process.availableMemory())
}

function intoMemory<Kind extends MarketKind>(
  path: string,
  market: HistoricalMarket<Kind>,
  free: number,
): MarketColumns<Kind> {
  return shareMarket(market, (bytes) => {
    if (bytes > freeShare * free) throw tooLarge(path, bytes, free)
  })
}

/** Copies a market into shared memory. `check` gets the size so far, before each block is copied. */
export function shareMarket<Kind extends MarketKind>(
  market: HistoricalMarket<Kind>,
  check: (bytes: number) => void,
): MarketColumns<Kind> {
  const shared: SharedBlock[] = []
  let bytes = 0
  for (const block of market.blocks()) {
    bytes += pointBytes * block.count
    check(bytes)
    shared.push(share(block))
  }
  const { name, print, kind, levels, barMs, beginsAt, seen } = market
  return { name, print, kind, levels, barMs, beginsAt, seen, shared }
}

function tooLarge(path: string, bytes: number, free: number) {
  const [taken, there] = [bytes, free].map((each) => `${(each / 1e9).toPrecision(2)} GB`)
  const what = `does not fit into memory: ${bytes / pointBytes} of its points need ${taken}, and ${there} are free`
  return badMarket(path, what, 'Use a shorter file, or free memory')
}

export function sharedMarket<Kind extends MarketKind>({
  shared,
  ...market
}: MarketColumns<Kind>): HistoricalMarket<Kind> {
  const blocks = shared.map(columnsOf)
  return { ...market, blocks: () => blocks.values() }
}

export function sharedMarkets<Kind extends MarketKind>(
  columns: ReadonlyMap<string, MarketColumns<Kind>>,
): Map<string, HistoricalMarket<Kind>> {
  return new Map([...columns].map(([symbol, each]) => [symbol, sharedMarket(each)]))
}

function share({ count, low, high, at, units, amounts, sides }: PointBlock): SharedBlock {
  const block = {
    count,
    low,
    high,
    hasSides: sides !== undefined,
    columns: new SharedArrayBuffer(count * (pointBytes + (sides ? 1 : 0))),
  }
  const shared = columnsOf(block)
  shared.at.set(at)
  shared.units.set(units)
  shared.amounts.set(amounts)
  if (sides) shared.sides?.set(sides)
  return block
}

function columnsOf({ count, low, high, hasSides, columns }: SharedBlock): PointBlock {
  const [at, units, amounts] = [0, 1, 2].map(
    (column) => new Float64Array(columns, column * count * Float64Array.BYTES_PER_ELEMENT, count),
  )
  if (!at || !units || !amounts) throw new Error('a block has three columns')
  const sides = hasSides ? { sides: new Uint8Array(columns, count * pointBytes, count) } : {}
  return { count, low, high, at, units, amounts, ...sides }
}
