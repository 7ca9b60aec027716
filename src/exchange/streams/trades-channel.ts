import { z } from 'zod'
import { market as marketName, pageLimit } from '#src/venues/whitebit/contract/fields.ts'
import { streamTrade } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import { objectWriters } from '#src/venues/whitebit/contract/codec/text-writer.ts'
import { streamErrors } from '#src/venues/whitebit/contract/streams/streams.ts'
import { lastTrades, type Trade } from '#src/exchange/trades/public-trades.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, has, sideOf } from '#src/exchange/trading/book/order-columns.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  marketsMethod,
  method,
  writtenUpdate,
  topicsChannel,
  type Channel,
  type SendFrame,
} from './channel.ts'

/** Most trades in the first frame and in an update: a clock moved ahead makes many. */
const tradesPerFrame = 100
const request = z.tuple([marketName, pageLimit(tradesPerFrame), z.int().min(0)])

/** The last trades, then each new one; the trades of one flush share a frame, newest first. */
export function tradesChannel(venue: VenueContext, post: SendFrame): Channel {
  const { audience, methods, leave } = topicsChannel(
    'trades',
    marketsMethod(venue, (_, markets) => ({
      topics: markets.map(({ name }) => name),
      first: markets.flatMap((market) => {
        const texts = newest(market, tradesPerFrame, 0)
        return texts.length === 0 ? [] : [frameOf(market, texts)]
      }),
    })),
  )
  const fresh = new Map<Market, string[]>()

  /** The trades with a higher id, newest first. */
  function newest(market: Market, most: number, largestId: number): string[] {
    const publicTrades = venue.publicTradesOf(market)
    const found = publicTrades ? lastTrades(publicTrades, most).filter(({ id }) => id > largestId) : []
    return found.map((trade) => textOf(market, trade))
  }

  function tell(market: Market, trade: Trade): void {
    if (audience.of(market.name) === undefined) return
    const text = textOf(market, trade)
    const texts = fresh.get(market)
    if (texts) texts.push(text)
    else fresh.set(market, [text])
  }

  return {
    methods: {
      ...methods,
      trades_request: method(request, (_, [name, limit, largestId]) => {
        const market = venue.markets.get(name)
        if (market === undefined) return { error: streamErrors.marketUnknown(name) }
        return { json: `[${newest(market, limit, largestId).join(',')}]` }
      }),
    },
    leave,
    trade(market, { id, maker, taker, lots, ticks, at }) {
      const { orders } = venue.state
      const takerSide = sideOf(orders, taker)
      tell(market, { id, at, ticks, lots, takerSide, rpi: has(orders, maker, flag.rpi) })
    },
    passed: tell,
    flush() {
      for (const [market, texts] of fresh) {
        for (let first = 0; first < texts.length; first += tradesPerFrame) {
          const newestFirst = texts.slice(first, first + tradesPerFrame).reverse()
          post(audience.of(market.name) ?? [], frameOf(market, newestFirst))
        }
      }
      fresh.clear()
    },
  }
}

function frameOf(market: Market, newestFirst: readonly string[]): string {
  return writtenUpdate('trades', `["${market.name}",[${newestFirst.join(',')}]]`)
}

const { spec: textOf } = objectWriters<typeof streamTrade, Market, Trade>(
  streamTrade,
  {},
  {
    id: (_, { id }) => id,
    time: (_, { at }) => at / 1000,
    price: (market, { ticks }) => market.priceText(ticks),
    amount: (market, { lots }) => market.amountText(lots),
    type: (_, { takerSide }) => takerSide,
    rpi: (_, { rpi }) => rpi,
  },
)
