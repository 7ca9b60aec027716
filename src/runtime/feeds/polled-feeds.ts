import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { SideDepth } from '#src/engine/depth-event.ts'
import { depthEveryMs, futuresEveryMs } from '#src/strategy/schema/poll-times.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { BookLevels, MarketReads } from '#src/venue/port.ts'
import { Poll, type PolledSource } from './poll.ts'

/** A market of which strategies read the depth, and within which shares of the best prices. */
export type DepthWanted = { market: string; within: readonly string[] }

/** The local pauses between polls: the list of all futures is large, and an order book is small. */
const futuresPauseMs = 1000
const depthPauseMs = 100

type Parts = {
  market: Pick<MarketReads, 'futures' | 'orderBook'>
  venueClock: Pick<VenueClock, 'now'>
  tell: (event: NewEvent) => void
}

/** Everything that is polled: one call lists all futures, and each order book is a call of its own. */
export function polledFeeds(
  wanted: { futures: readonly string[]; depth: readonly DepthWanted[] },
  parts: Parts,
): Pick<Poll<unknown>, 'poll' | 'forget'>[] {
  const { futures, depth } = wanted
  return [
    ...(futures.length > 0 ? [new Poll(futuresSource(futures, parts), parts.venueClock)] : []),
    ...depth.map((each) => new Poll(depthSource(each, parts), parts.venueClock)),
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
  { market, within }: DepthWanted,
  { market: reads, tell }: Parts,
): PolledSource<BookLevels> {
  return {
    what: `the order book of ${market}`,
    everyMs: depthEveryMs,
    pauseMs: depthPauseMs,
    read: () => reads.orderBook(market),
    take({ bids, asks }) {
      for (const share of within) {
        const [low, high] = [new Decimal(1).minus(share), new Decimal(1).plus(share)]
        const sides = {
          bids: sideOf(bids, (price, best) => price.gte(best.times(low))),
          asks: sideOf(asks, (price, best) => price.lte(best.times(high))),
        }
        tell({ kind: 'depth', market, within: share, ...sides })
      }
      return undefined
    },
  }
}

/** Journals and tapes of decisions stay small: of each side, only the best price and one sum are kept. */
function sideOf(
  levels: BookLevels['bids'],
  isNear: (price: Decimal, best: Decimal) => boolean,
): SideDepth | null {
  const [first] = levels
  if (!first) return null
  const [price, amount] = first
  const best = new Decimal(price)
  const near = levels.filter(([each]) => isNear(new Decimal(each), best))
  const volume = near.reduce((sum, [, each]) => sum.plus(each), new Decimal(0))
  return { price, amount, volume: decimalText(volume) }
}
