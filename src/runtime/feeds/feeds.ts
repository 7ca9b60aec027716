import type { Clock } from '#src/core/time/clock.ts'
import { CandleFeed, type CandlesWanted } from './candle-feed.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { Quotes } from './quotes.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { MarketReads, StreamedEvent } from '#src/venue/port.ts'

export type FeedsWanted = { candles: readonly CandlesWanted[]; quotes: readonly string[] }

export type FeedsParts = {
  market: MarketReads
  clock: Clock
  venueClock: VenueClock
  tell: (event: NewEvent) => void
  /** Whether the venue streams prices. */
  hasStreams: boolean
  /** Our orders or positions changed: a read will tell how. */
  onHint: () => void
  say: LogEvent
}

export type Feeds = {
  /** The past first, and then the streams. */
  start(): Promise<void>
  /** To be called often: whatever is due is looked for. */
  look(): void
  /** Prices that were known are of another time. */
  forget(): void
  /** Also in the midst of a start, which ends with it. */
  close(): Promise<void>
}

/** All that a venue tells of its markets by itself. */
export function venueFeeds(wanted: FeedsWanted, parts: FeedsParts): Feeds {
  const { market: reads, clock, hasStreams, onHint, say } = parts
  const quotes = new Quotes(wanted.quotes, parts)
  const candles = wanted.candles.map((each) => new CandleFeed(each, parts))
  const closing = Promise.withResolvers<void>()
  let closed = false
  let stream: ReturnType<MarketReads['stream']> | undefined

  async function lookAtCandles(): Promise<void> {
    const now = clock.monotonic()
    await Promise.all(
      candles.map(async (feed) => {
        const failure = await feed.look(now)
        if (failure === undefined || closed) return
        const { market, interval } = feed.wanted
        say({ type: 'alert', market, message: `candles of ${interval} were not received: ${failure}` })
      }),
    )
  }

  function take(event: StreamedEvent): void {
    quotes.take(event)
    if (event.kind === 'connected') say({ type: 'stream-connected', url: event.url })
    if (event.kind === 'disconnected') say({ type: 'stream-lost', reason: event.reason, url: event.url })
    if (event.kind === 'gap') say({ type: 'stream-lost', reason: event.reason, feed: event.feed })
    // A hint, never the only evidence. What happened during a gap is for reads to tell, too.
    if (event.kind === 'connected' || event.kind === 'gap' || event.kind === 'orders') onHint()
  }

  return {
    async start() {
      // A venue that is silent holds nobody up who wants to end.
      await Promise.race([lookAtCandles(), closing.promise])
      if (closed) return
      quotes.again(clock.monotonic())
      if (hasStreams) stream = reads.stream(wanted.quotes, take)
    },
    look() {
      void lookAtCandles()
      quotes.again(clock.monotonic())
    },
    forget: () => quotes.forget(),
    async close() {
      closed = true
      closing.resolve()
      await stream?.close()
    },
  }
}
