import { z } from 'zod'
import { market as marketName, pageLimit, pageOffset } from '#src/venues/whitebit/contract/fields.ts'
import { streamErrors } from '#src/venues/whitebit/contract/streams/streams.ts'
import { newestFirst, type Deal, type Deals } from '#src/exchange/trading/orders/order-history.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  marketsOf,
  privateMethod,
  update,
  topicsChannel,
  type Channel,
  type SendFrame,
  type UpdateOf,
} from './channel.ts'
import { page } from './orders-channel.ts'

/** Each deal of an account when it happens. */
export function dealsChannel(venue: VenueContext, post: SendFrame): Channel {
  const { audience, methods, leave } = topicsChannel(
    'deals',
    privateMethod(z.tuple([z.array(marketName)]), ({ account }, [names]) => {
      const markets = marketsOf(venue, names)
      if ('error' in markets) return markets
      return { topics: markets.map(({ number }) => `${account.number} ${number}`) }
    }),
  )
  return {
    methods: {
      ...methods,
      deals_request: privateMethod(
        z.tuple([marketName, pageOffset(1_000_000), pageLimit(100)]),
        ({ account }, [name, offset, limit]) => {
          const market = venue.markets.get(name)
          if (market === undefined) return { error: streamErrors.marketUnknown(name) }
          const { deals } = account
          const records: string[] = []
          let passed = 0
          for (const place of newestFirst(deals)) {
            if (deals.market[place] !== market.number) continue
            passed += 1
            if (passed > offset) records.push(recordOf(market, deals, place))
            if (passed === offset + limit) break
          }
          return { json: page({ offset, limit }, records) }
        },
      ),
    },
    leave,
    deal(account, deal) {
      const readers = audience.of(`${account.number} ${deal.market}`)
      const market = venue.trading.markets[deal.market]
      if (readers && market) post(readers, update('deals', tupleOf(market, deal)))
    },
  }
}

function tupleOf(market: Market, deal: Deal): UpdateOf<'deals'> {
  return [
    deal.id,
    deal.at / 1000,
    market.name,
    deal.order,
    market.priceText(deal.ticks),
    market.amountText(deal.lots),
    feeText(market, deal.lots * deal.ticks, deal),
    deal.clientId,
    deal.sells ? 1 : 2,
    deal.taker ? 2 : 1,
    market.rules.money,
  ]
}

function recordOf(market: Market, deals: Deals, place: number): string {
  const quanta = (deals.lots[place] ?? 0) * (deals.ticks[place] ?? 0)
  const taker = deals.taker[place] === 1
  return JSON.stringify({
    id: deals.id[place],
    time: (deals.at[place] ?? 0) / 1000,
    market: market.name,
    order_id: deals.order[place],
    deal_order_id: deals.other[place],
    client_order_id: deals.clientId[place],
    side: deals.sells[place] === 1 ? 1 : 2,
    role: taker ? 2 : 1,
    price: market.priceText(deals.ticks[place] ?? 0),
    amount: market.amountText(deals.lots[place] ?? 0),
    deal: market.moneyText(quanta),
    fee: feeText(market, quanta, { taker, tier: deals.tier[place] ?? 0 }),
    fee_asset: market.rules.money,
  })
}

function feeText(market: Market, quanta: number, { taker, tier }: Pick<Deal, 'taker' | 'tier'>): string {
  return market.feeText({ quanta, taken: taker ? quanta : 0, tier })
}
