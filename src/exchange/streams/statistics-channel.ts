import { z } from 'zod'
import { market as marketName } from '#src/venues/whitebit/contract/fields.ts'
import { streamErrors } from '#src/venues/whitebit/contract/streams/streams.ts'
import { moneyText, volumeText } from '#src/exchange/handlers/market-data/quoted-markets.ts'
import {
  statsOfDay,
  statsOfToday,
  type PublicTrades,
  type Stats,
} from '#src/exchange/trades/public-trades.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  marketsMethod,
  method,
  writtenUpdate,
  topicsChannel,
  type Channel,
  type SendFrame,
  type UpdateOf,
} from './channel.ts'

/** The statistics of a day cover the last 1440 minutes. */
const daySeconds = 86_400
const everyTicks = 10

type Kind = {
  name: 'lastprice' | 'market' | 'marketToday'
  /** The method that requests it once. */
  ask: string
  asked: z.ZodType<readonly [string, ...unknown[]]>
  json: (market: Market, publicTrades: PublicTrades, now: number) => string
}

const kinds: readonly Kind[] = [
  {
    name: 'lastprice',
    ask: 'lastprice_request',
    asked: z.tuple([marketName]),
    json: (market, { last }) => `"${market.priceText(last)}"`,
  },
  {
    name: 'market',
    ask: 'market_request',
    asked: z.tuple([marketName, z.literal(daySeconds)]),
    json(market, publicTrades, now) {
      const { last, open, ...others } = textsOf(market, statsOfDay(publicTrades, now))
      const texts: UpdateOf<'market'>[1] = { period: daySeconds, last, open, close: last, ...others }
      return JSON.stringify(texts)
    },
  },
  {
    name: 'marketToday',
    ask: 'marketToday_query',
    asked: z.tuple([marketName]),
    json: (market, publicTrades, now) => JSON.stringify(textsOf(market, statsOfToday(publicTrades, now))),
  },
]

function textsOf(market: Market, { open, last, high, low, lots, money }: Stats): UpdateOf<'marketToday'>[1] {
  return {
    last: market.priceText(last),
    open: market.priceText(open),
    high: market.priceText(high),
    low: market.priceText(low),
    volume: volumeText(market, lots),
    deal: moneyText(market, money),
  }
}

/** Prices and volumes of markets, every second if changed. */
export function statisticsChannels(venue: VenueContext, post: SendFrame): Channel[] {
  return kinds.map((kind) => statistics(venue, post, kind))
}

function statistics(venue: VenueContext, post: SendFrame, { name, ask, asked, json }: Kind): Channel {
  const { audience, methods, leave } = topicsChannel(
    name,
    marketsMethod(venue, ({ now }, markets) => ({
      topics: markets.map(({ name }) => name),
      first: markets.map((market) => lastSent(market, now)),
    })),
  )
  /** The last text sent for each market. */
  const sent = new Map<string, string>()

  const frameOf = (market: Market, now: number) => {
    const publicTrades = venue.publicTradesOf(market)
    return publicTrades ? writtenUpdate(name, `["${market.name}",${json(market, publicTrades, now)}]`) : ''
  }

  function lastSent(market: Market, now: number): string {
    const known = audience.of(market.name) && sent.get(market.name)
    const frame = known ?? frameOf(market, now)
    sent.set(market.name, frame)
    return frame
  }

  return {
    methods: {
      ...methods,
      [ask]: method(asked, ({ now }, [about]) => {
        const market = venue.markets.get(about)
        const publicTrades = market && venue.publicTradesOf(market)
        return market && publicTrades
          ? { json: json(market, publicTrades, now) }
          : { error: streamErrors.marketUnknown(about) }
      }),
    },
    leave,
    tick(count, now) {
      if (count % everyTicks !== 0) return
      for (const market of venue.trading.markets) {
        const readers = audience.of(market.name)
        if (readers === undefined) continue
        const frame = frameOf(market, now)
        if (frame === sent.get(market.name)) continue
        sent.set(market.name, frame)
        post(readers, frame)
      }
    },
  }
}
