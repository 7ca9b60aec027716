import { z } from 'zod'
import { market as marketName } from '#src/venues/whitebit/contract/fields.ts'
import { depthInterval, depthLimit, streamErrors } from '#src/venues/whitebit/contract/streams/streams.ts'
import { parseUnits } from '#src/core/money/units.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  Audience,
  marketsMethod,
  method,
  success,
  type Channel,
  type SendFrame,
  type Reader,
} from './channel.ts'
import { DepthView } from './depth.ts'

/** After this many ticks without an update the subscribers receive the whole book again. */
const quietTicksMax = 100

type Shown = { view: DepthView; market: Market; quietTicks: number }

/** The order book: first a snapshot, then the changes ten times a second, and a new snapshot if nothing changes. */
export function depthChannel(venue: VenueContext, post: SendFrame): Channel {
  const audience = new Audience()
  const shown = new Map<string, Shown>()

  function viewOf(market: Market, limit: number, interval: string): DepthView {
    const step = Math.max(1, parseUnits(interval, market.rules.priceDigits) ?? 1)
    return new DepthView(bookOf(venue.trading, market), market, limit, step)
  }

  /** Removes the views without subscribers. */
  function setTopics(reader: Reader, topics: readonly string[]): void {
    const before = audience.topicsOf(reader)
    audience.set(reader, topics)
    for (const topic of before) if (audience.of(topic) === undefined) shown.delete(topic)
  }

  const request = z.tuple([marketName, z.int().min(1).max(100), depthInterval])
  const subscribe = z.union([
    z.tuple([marketName, depthLimit, depthInterval]),
    z.tuple([marketName, depthLimit, depthInterval, z.boolean()]),
  ])

  return {
    methods: {
      depth_request: method(request, ({ now }, [name, limit, interval]) => {
        const market = venue.markets.get(name)
        if (market === undefined) return { error: streamErrors.marketUnknown(name) }
        return { json: JSON.stringify(viewOf(market, limit, interval).levels(now)) }
      }),
      depth_subscribe: method(subscribe, ({ reader, now }, [name, limit, interval, adds = false]) => {
        const market = venue.markets.get(name)
        if (market === undefined) return { error: streamErrors.marketUnknown(name) }
        const topic = `${name} ${limit} ${interval}`
        const others = audience.topicsOf(reader).filter((other) => adds && !other.startsWith(`${name} `))
        setTopics(reader, [...others, topic])
        let found = shown.get(topic)
        if (found === undefined) {
          found = { view: viewOf(market, limit, interval), market, quietTicks: 0 }
          shown.set(topic, found)
        }
        return { json: success, first: [found.view.snapshot(now)] }
      }),
      depth_unsubscribe: marketsMethod(venue, ({ reader }, markets) => {
        const left = audience
          .topicsOf(reader)
          .filter((topic) => !markets.some(({ name }) => topic.startsWith(`${name} `)))
        setTopics(reader, left)
        return { json: success }
      }),
    },
    leave: (reader) => setTopics(reader, []),
    tick(_, now) {
      for (const [topic, about] of shown) {
        const text = about.view.delta(now)
        about.quietTicks = text === undefined ? about.quietTicks + 1 : 0
        const readers = audience.of(topic) ?? []
        if (text !== undefined) post(readers, text)
        else if (about.quietTicks >= quietTicksMax) {
          about.quietTicks = 0
          post(readers, about.view.keepAlive(now))
        }
      }
    },
  }
}
