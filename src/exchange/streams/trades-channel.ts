import { z } from 'zod'
import { market as marketName } from '#src/contract/fields.ts'
import type { Market } from '../trading/market.ts'
import { flag, has } from '../trading/orders.ts'
import type { Venue } from '../venue.ts'
import {
  Audience,
  marketsOf,
  method,
  success,
  unsubscribe,
  update,
  type Channel,
  type Post,
} from './channel.ts'

/** A market whose clock has leapt makes many at once. */
const tradesPerFrame = 100

/** Every trade, as it happens; those of one turn share a frame, the newest first. */
export function tradesChannel(venue: Venue, post: Post): Channel {
  const audience = new Audience()
  const fresh = new Map<Market, string[]>()

  return {
    methods: {
      trades_subscribe: method(z.array(marketName), ({ reader }, names) => {
        const markets = marketsOf(venue, names)
        if ('error' in markets) return markets
        audience.set(
          reader,
          markets.map(({ name }) => name),
        )
        return { json: success }
      }),
      trades_unsubscribe: unsubscribe(audience),
    },
    leave: (reader) => audience.leave(reader),
    trade(market, { id, maker, taker, lots, ticks, at }) {
      if (audience.of(market.name) === undefined) return
      const { orders } = venue.state
      const text =
        `{"id":${id},"time":${at / 1000},"price":"${market.priceText(ticks)}",` +
        `"amount":"${market.amountText(lots)}","type":"${orders.sells[taker] === 1 ? 'sell' : 'buy'}",` +
        `"rpi":${has(orders, maker, flag.rpi)}}`
      const texts = fresh.get(market)
      if (texts) texts.push(text)
      else fresh.set(market, [text])
    },
    flush() {
      for (const [market, texts] of fresh) {
        for (let first = 0; first < texts.length; first += tradesPerFrame) {
          const newestFirst = texts.slice(first, first + tradesPerFrame).reverse()
          const params = `["${market.name}",[${newestFirst.join(',')}]]`
          post(audience.of(market.name) ?? [], update('trades', params))
        }
      }
      fresh.clear()
    },
  }
}
