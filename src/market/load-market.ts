import type { Block, PastMarket } from './past-market.ts'
import { readMarket } from './read-market.ts'
import type { Span } from './span.ts'

/** A market in memory that workers share: it can be handed over with a message, and becomes a market again there. */
export type MarketColumns = Omit<PastMarket, 'blocks'> & { shared: SharedBlock[] }
type SharedBlock = { count: number; low: number; high: number; columns: SharedArrayBuffer }

const columnsOfBlock = 3

/** Reads a market file as a whole: 24 bytes for each point. */
export function loadMarket(path: string, span: Span = {}): MarketColumns {
  const market = readMarket(path, span)
  const shared = Array.from(market.blocks(), share)
  const { name, print, kind, barMs, beginsAt, seen } = market
  return { name, print, kind, barMs, beginsAt, seen, shared }
}

export function sharedMarket({ shared, ...market }: MarketColumns): PastMarket {
  const blocks = shared.map(columnsOf)
  return { ...market, blocks: () => blocks.values() }
}

function share({ count, low, high, at, units, amounts }: Block): SharedBlock {
  const block = {
    count,
    low,
    high,
    columns: new SharedArrayBuffer(count * columnsOfBlock * Float64Array.BYTES_PER_ELEMENT),
  }
  const { at: sharedAt, units: sharedUnits, amounts: sharedAmounts } = columnsOf(block)
  sharedAt.set(at)
  sharedUnits.set(units)
  sharedAmounts.set(amounts)
  return block
}

function columnsOf({ count, low, high, columns }: SharedBlock): Block {
  const [at, units, amounts] = [0, 1, 2].map(
    (column) => new Float64Array(columns, column * count * Float64Array.BYTES_PER_ELEMENT, count),
  )
  if (!at || !units || !amounts) throw new Error('a block has three columns')
  return { count, low, high, at, units, amounts }
}
