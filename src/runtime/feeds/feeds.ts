import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { OpenSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import { Stream, type StreamEvent } from '#src/venues/whitebit/client/streams/stream.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { CandleFeed, type CandlesWanted } from './candle-feed.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { Quotes } from './quotes.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'

export type FeedsWanted = { candles: readonly CandlesWanted[]; quotes: readonly string[] }

export type FeedsParts = {
  client: Client
  clock: Clock
  venueClock: VenueClock
  tell: (event: NewEvent) => void
  /** Where the streams of the venue are; undefined where it has none. */
  streamUrl: string | undefined
  openSocket?: OpenSocket
  /** From 0 to 1, for the jitter of pauses. */
  random?: () => number
  /** Something has happened to orders or positions of ours: a read will tell what. */
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

/** Channels that tell of our own orders: hints to look, never the only evidence. */
const ownChannels = new Set(['ordersPending', 'ordersExecuted'])

/** All that a venue tells of its markets by itself. */
export function venueFeeds(wanted: FeedsWanted, parts: FeedsParts): Feeds {
  const { client, clock, streamUrl, openSocket, random, onHint, say } = parts
  const quotes = new Quotes(wanted.quotes, parts)
  const candles = wanted.candles.map((each) => new CandleFeed(each, parts))
  const closing = Promise.withResolvers<void>()
  let closed = false
  let stream: Stream | undefined

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

  function take(event: StreamEvent): void {
    quotes.take(event)
    if (event.kind === 'connected') say({ type: 'stream-connected', url: streamUrl })
    if (event.kind === 'disconnected') say({ type: 'stream-lost', reason: event.reason, url: streamUrl })
    if (event.kind === 'gap') say({ type: 'stream-lost', reason: event.reason, feed: event.channel })
    // What happened while nobody listened is for reads to tell, too.
    if (event.kind === 'connected' || event.kind === 'gap' || ownChannels.has(event.kind)) onHint()
  }

  return {
    async start() {
      // A venue that is silent holds nobody up who wants to end.
      await Promise.race([lookAtCandles(), closing.promise])
      if (closed) return
      quotes.again(clock.monotonic())
      if (streamUrl === undefined) return
      const markets = [...wanted.quotes]
      stream = new Stream({
        url: streamUrl,
        client,
        clock,
        ...(openSocket && { openSocket }),
        ...(random && { random }),
        onEvent: take,
        wanted: [
          { channel: 'bookTicker', markets },
          { channel: 'lastprice', markets },
          { channel: 'ordersPending', markets },
          { channel: 'ordersExecuted', markets },
        ],
      })
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
