import { z } from 'zod'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { candlesMax } from '#src/venues/whitebit/contract/market-data/candles.ts'
import { market as marketName, unixSeconds } from '#src/venues/whitebit/contract/fields.ts'
import { streamErrors } from '#src/venues/whitebit/contract/streams/streams.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { candleTexts } from '#src/exchange/handlers/market-data/quoted-markets.ts'
import type { Bar } from '#src/exchange/trades/bars.ts'
import { candlesOf } from '#src/exchange/trades/candles.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  invalid,
  method,
  writtenUpdate,
  topicsChannel,
  type Channel,
  type SendFrame,
  type UpdateOf,
  type TopicsChannel,
} from './channel.ts'

const everyTicks = 5
const intervalNames = new Map(keysOf(candleIntervals).map((name) => [candleIntervals[name] / 1000, name]))

/** `running` is the last candle sent, `since` its start. */
type Watched = { market: Market; interval: CandleInterval; running: string; since: number }

/** The running candle, at most twice a second and only if changed, and the candles that have closed since. */
export function candlesChannel(venue: VenueContext, post: SendFrame): Channel {
  const watched = new Map<string, Watched>()
  const { audience, methods, leave }: TopicsChannel = topicsChannel(
    'candles',
    method(z.tuple([marketName, z.int()]), ({ now }, [name, length]) => {
      const market = venue.markets.get(name)
      const interval = intervalNames.get(length)
      if (market === undefined) return { error: streamErrors.marketUnknown(name) }
      if (interval === undefined) return invalid
      const topic = `${name} ${interval}`
      let about = audience.of(topic) && watched.get(topic)
      if (about === undefined) {
        const [bar] = candles({ market, interval }, { from: undefined, until: now, most: 1, now })
        about = { market, interval, running: bar ? textOf(market, bar) : '', since: bar?.start ?? now }
        watched.set(topic, about)
      }
      const { running } = about
      return { topics: [topic], first: running === '' ? [] : [writtenUpdate('candles', `[${running}]`)] }
    }),
  )

  function candles(
    { market, interval }: Pick<Watched, 'market' | 'interval'>,
    about: { from: number | undefined; until: number; most: number; now: number },
  ): Bar[] {
    const publicTrades = venue.publicTradesOf(market)
    return publicTrades ? candlesOf(publicTrades, interval, about, venue.simulatedHistory(market)) : []
  }

  return {
    methods: {
      ...methods,
      candles_request: method(
        z.tuple([marketName, unixSeconds, unixSeconds, z.int()]),
        ({ now }, [name, start, end, length]) => {
          const market = venue.markets.get(name)
          const interval = intervalNames.get(length)
          if (market === undefined) return { error: streamErrors.marketUnknown(name) }
          if (interval === undefined || start > end) return invalid
          const about = { from: start * 1000, until: end * 1000, most: candlesMax, now }
          const texts = candles({ market, interval }, about).map((bar) => textOf(market, bar))
          return { json: `[${texts.join(',')}]` }
        },
      ),
    },
    leave,
    tick(count, now) {
      if (count % everyTicks !== 0) return
      for (const topic of audience.topics()) {
        const about = watched.get(topic)
        if (about === undefined) continue
        const bars = candles(about, { from: about.since, until: now, most: candlesMax, now })
        const texts = bars.map((bar) => textOf(about.market, bar)).filter((text) => text !== about.running)
        about.running = texts.at(-1) ?? about.running
        about.since = bars.at(-1)?.start ?? about.since
        if (texts.length > 0) post(audience.of(topic) ?? [], writtenUpdate('candles', `[${texts.join(',')}]`))
      }
    },
  }
}

function textOf(market: Market, bar: Bar): string {
  const candle: UpdateOf<'candles'>[number] = [...candleTexts(market, bar), market.name]
  return JSON.stringify(candle)
}
