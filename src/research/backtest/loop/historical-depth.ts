import { Decimal } from '#src/core/money/decimal.ts'
import type { DepthReach, SideDepth } from '#src/engine/depth-event.ts'
import { booksOf, type SideLevels, type HistoricalBook } from '#src/market/data/books.ts'
import type { HistoricalBooks } from '#src/market/data/historical-market.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { depthEveryMs } from '#src/strategy/schema/poll-times.ts'
import { exactText } from './exact-text.ts'
import type { BacktestMarket, PolledInput } from './loop-parts.ts'
import { RowPolls } from './row-polls.ts'

/** A market with a file of order books of which strategies read the depth, and how far. */
export type DepthMarket = {
  place: Pick<BacktestMarket, 'symbol'> & { course: Pick<BacktestMarket['course'], 'isSilent'> }
  file: Pick<HistoricalBooks, 'blocks' | 'levels'>
  reaches: readonly DepthReach[]
}

type Watched = DepthMarket & { polls: RowPolls<HistoricalBook>; read: ReachRead[] }
/** How many books were read, and how many of them do not reach as far as the feed reads. */
export type ReachRead = { reach: DepthReach; books: number; short: number }

/**
 * The order books of a backtest, as polls at each second find them. A book with fewer levels than a feed reads gives this feed no
 * values. In a gap of the market file no poll succeeds.
 */
export class HistoricalDepth implements PolledInput {
  readonly #markets: Watched[]

  constructor(markets: readonly DepthMarket[]) {
    this.#markets = markets.map((market) => ({
      ...market,
      polls: new RowPolls(booksOf(market.file), depthEveryMs),
      read: market.reaches.map((reach) => ({ reach, books: 0, short: 0 })),
    }))
  }

  get ages(): boolean {
    return this.#markets.length > 0
  }

  nextAt(): number {
    let at = Infinity
    // The end of a gap is a moment of its own.
    for (const { place, polls } of this.#markets) if (!place.course.isSilent) at = Math.min(at, polls.nextAt)
    return at
  }

  take(at: number, silent: readonly { symbol: string }[]): NewEvent[] {
    const events: NewEvent[] = []
    for (const { place, file, polls, read } of this.#markets) {
      const book = polls.take(at)
      if (!book || silent.some(({ symbol }) => symbol === place.symbol)) continue
      for (const each of read) {
        const [bids, asks] = [book.bids, book.asks].map((side) => sideOf(side, each.reach, file.levels ?? 0))
        each.books += 1
        if (bids === undefined || asks === undefined) each.short += 1
        else events.push({ kind: 'depth', market: place.symbol, ...each.reach, bids, asks })
      }
    }
    return events
  }

  /** Closes the files. */
  close(): void {
    for (const { polls } of this.#markets) polls.close()
  }

  /** What was read of a market. */
  readsOf(symbol: string): { rows: RowPolls<HistoricalBook>; reads: readonly ReachRead[] } | undefined {
    const market = this.#markets.find(({ place }) => place.symbol === symbol)
    return market && { rows: market.polls, reads: market.read }
  }
}

/** Undefined if the levels end before the distance does. A side with fewer levels than the file can have is complete. */
function sideOf(
  { units, amounts }: SideLevels,
  reach: DepthReach,
  levelsOfFile: number,
): SideDepth | null | undefined {
  const [best] = units
  if (best === undefined) return null
  const count =
    'levels' in reach ? Math.min(reach.levels, units.length) : levelsWithin(units, best, reach.within)
  const isShort = 'levels' in reach ? count < reach.levels : count === units.length
  if (isShort && units.length === levelsOfFile) return undefined
  let volume = 0n
  for (let level = 0; level < count; level++) volume += BigInt(amounts[level] ?? 0)
  return {
    price: exactText(BigInt(best)),
    amount: exactText(BigInt(amounts[0] ?? 0)),
    volume: exactText(volume),
  }
}

function levelsWithin(units: Float64Array, best: number, share: string): number {
  const farthest = Number(new Decimal(best).times(share).floor().toFixed())
  const count = units.findIndex((price) => Math.abs(price - best) > farthest)
  return count === -1 ? units.length : count
}
