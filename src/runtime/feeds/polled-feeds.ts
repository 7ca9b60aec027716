import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { DepthReach, SideDepth } from '#src/engine/depth-event.ts'
import { depthEveryMs, futuresEveryMs } from '#src/strategy/schema/poll-times.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { BookLevels, MarketReads } from '#src/venue/port.ts'
import { Poll, type PolledSource } from './poll.ts'
import { tradesSource, type TradesWanted } from './trades-source.ts'

/** A market of which strategies read the depth, and how far. */
type DepthWanted = { market: string; reaches: readonly DepthReach[] }

/** The local pauses between polls: the list of all futures is large, and an order book is small. */
const futuresPauseMs = 1000
const depthPauseMs = 100

/** `futures`: the markets of which strategies read what the venue lists. */
export type PolledWanted = {
  futures: readonly string[]
  depth: readonly DepthWanted[]
  trades: readonly TradesWanted[]
}

type Parts = {
  market: Pick<MarketReads, 'futures' | 'orderBook' | 'trades'>
  venueClock: Pick<VenueClock, 'now'>
  tell: (event: NewEvent) => void
}

/** Everything that is polled: one call lists all futures; each order book and each list of trades is a call of its own. */
export function polledFeeds(wanted: PolledWanted, parts: Parts): Pick<Poll<unknown>, 'poll' | 'forget'>[] {
  const { futures, depth, trades } = wanted
  return [
    ...(futures.length > 0 ? [new Poll(futuresSource(futures, parts), parts.venueClock)] : []),
    ...depth.map((each) => new Poll(depthSource(each, parts), parts.venueClock)),
    ...trades.map((each) => new Poll(tradesSource(each, parts), parts.venueClock)),
  ]
}

type Futures = Extract<Awaited<ReturnType<MarketReads['futures']>>, { kind: 'read' }>['value']

function futuresSource(markets: readonly string[], { market: reads, tell }: Parts): PolledSource<Futures> {
  return {
    what: 'the list of futures',
    everyMs: futuresEveryMs,
    pauseMs: futuresPauseMs,
    read: () => reads.futures(),
    take(listed) {
      const missing: string[] = []
      for (const market of markets) {
        const values = listed.get(market)
        if (values) tell({ kind: 'futures', market, ...values })
        else missing.push(market)
      }
      return missing.length > 0 ? `the venue lists no futures of ${missing.join(', ')}` : undefined
    },
  }
}

function depthSource(
  { market, reaches }: DepthWanted,
  { market: reads, tell }: Parts,
): PolledSource<BookLevels> {
  return {
    what: `the order book of ${market}`,
    everyMs: depthEveryMs,
    pauseMs: depthPauseMs,
    read: () => reads.orderBook(market),
    take({ bids, asks }) {
      for (const reach of reaches)
        tell({ kind: 'depth', market, ...reach, bids: sideOf(bids, reach), asks: sideOf(asks, reach) })
      return undefined
    },
  }
}

/** Journals and tapes of decisions stay small: of each side, only the best price and one sum are kept. */
function sideOf(levels: BookLevels['bids'], reach: DepthReach): SideDepth | null {
  const [first] = levels
  if (!first) return null
  const [price, amount] = first
  const near = 'levels' in reach ? levels.slice(0, reach.levels) : levelsWithin(levels, price, reach.within)
  const volume = near.reduce((sum, [, each]) => sum.plus(each), new Decimal(0))
  return { price, amount, volume: decimalText(volume) }
}

function levelsWithin(levels: BookLevels['bids'], best: string, share: string): BookLevels['bids'] {
  const farthest = new Decimal(best).times(share)
  return levels.filter(([price]) => new Decimal(price).minus(best).abs().lte(farthest))
}
