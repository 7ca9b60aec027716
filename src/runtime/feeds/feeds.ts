import type { Clock } from '#src/core/time/clock.ts'
import { CandleFeed, type CandlesWanted } from './candle-feed.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { polledFeeds, type PolledWanted } from './polled-feeds.ts'
import { Quotes } from './quotes.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { MarketReads, StreamedEvent } from '#src/venue/port.ts'

export type FeedsWanted = PolledWanted & {
  candles: readonly CandlesWanted[]
  quotes: readonly string[]
  /** The shortest age, in venue time, at which a quote is stale for a strategy. */
  quoteMsMax: number
}

export type FeedsParts = {
  market: MarketReads
  clock: Clock
  venueClock: VenueClock
  tell: (event: NewEvent) => void
  /** Whether the venue streams prices. */
  hasStreams: boolean
  /** Our orders or positions may have changed: the account must be polled. */
  onHint: () => void
  say: LogEvent
}

export type Feeds = {
  /** Reads past candles, then opens the streams. */
  start(): Promise<void>
  /** Called with each tick. */
  tick(): void
  /** Drops stale prices after a pause of the process. */
  forget(): void
  /** Also ends a pending start. */
  close(): Promise<void>
}

/** Timeout of a ping. */
const answerMsMax = 10_000

/** Candles and quotes of a venue with market data. */
export function venueFeeds(wanted: FeedsWanted, parts: FeedsParts): Feeds {
  const { market: reads, clock, hasStreams, onHint, say } = parts
  const quotes = new Quotes(wanted.quotes, parts)
  const polls = polledFeeds(wanted, parts)
  const candles = wanted.candles.map((each) => new CandleFeed(each, parts))
  const quoteMsMax = wanted.quoteMsMax / parts.venueClock.speed
  // The rest of the time is for the answer of the venue and for the next tick.
  const silenceMsMax = Math.max(quoteMsMax / 3, quoteMsMax - answerMsMax)
  const closing = Promise.withResolvers<void>()
  let closed = false
  let stream: ReturnType<MarketReads['stream']> | undefined

  async function lookAtCandles(): Promise<void> {
    const now = clock.monotonic()
    await Promise.all(
      candles.map(async (feed) => {
        const failure = await feed.poll(now)
        if (failure === undefined || closed) return
        const { market, interval } = feed.wanted
        say({ type: 'alert', market, message: `candles of ${interval} were not received: ${failure}` })
      }),
    )
  }

  async function lookAtPolled(): Promise<void> {
    const now = clock.monotonic()
    await Promise.all(
      polls.map(async (each) => {
        const message = await each.poll(now)
        if (message !== undefined && !closed) say({ type: 'alert', message })
      }),
    )
  }

  function take(event: StreamedEvent): void {
    quotes.take(event)
    if (event.kind === 'connected') say({ type: 'stream-connected', url: event.url })
    if (event.kind === 'disconnected') say({ type: 'stream-lost', reason: event.reason, url: event.url })
    if (event.kind === 'gap') say({ type: 'stream-lost', reason: event.reason, feed: event.feed })
    // Hints are never evidence. Changes during a gap are found by polling too.
    if (event.kind === 'connected' || event.kind === 'gap' || event.kind === 'orders') onHint()
  }

  return {
    async start() {
      // A silent venue must not delay a shutdown.
      await Promise.race([lookAtCandles(), closing.promise])
      if (closed) return
      void lookAtPolled()
      quotes.tick(clock.monotonic())
      if (hasStreams) stream = reads.stream(wanted.quotes, take, silenceMsMax)
    },
    tick() {
      void lookAtCandles()
      void lookAtPolled()
      quotes.tick(clock.monotonic())
    },
    forget() {
      quotes.forget()
      for (const each of polls) each.forget()
    },
    async close() {
      closed = true
      closing.resolve()
      await stream?.close()
    },
  }
}
