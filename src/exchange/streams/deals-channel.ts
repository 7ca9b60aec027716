import { z } from 'zod'
import { market as marketName, pageLimit, pageOffset } from '#src/venues/whitebit/contract/fields.ts'
import { streamErrors } from '#src/venues/whitebit/contract/streams/streams.ts'
import { dealFee, dealsOf } from '#src/exchange/handlers/trading/fills.ts'
import type { Deal } from '#src/exchange/trading/orders/order-history.ts'
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
          const inMarket = (deal: Deal) => deal.market === market.number
          const found = dealsOf(venue, account, inMarket, offset, limit)
          const records = found.map(({ deal }) => recordOf(market, deal))
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
    dealFee(market, deal),
    deal.clientId,
    deal.sells ? 1 : 2,
    deal.taker ? 2 : 1,
    market.rules.money,
  ]
}

function recordOf(market: Market, deal: Deal): string {
  return JSON.stringify({
    id: deal.id,
    time: deal.at / 1000,
    market: market.name,
    order_id: deal.order,
    deal_order_id: deal.other,
    client_order_id: deal.clientId,
    side: deal.sells ? 1 : 2,
    role: deal.taker ? 2 : 1,
    price: market.priceText(deal.ticks),
    amount: market.amountText(deal.lots),
    deal: market.moneyText(deal.lots * deal.ticks),
    fee: dealFee(market, deal),
    fee_asset: market.rules.money,
  })
}
