import { objectWriters } from '#src/venues/whitebit/contract/codec/text-writer.ts'
import { streamOrder } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import type { OrderFacts } from '#src/exchange/trading/orders/order-history.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import {
  activationPrice,
  orderValues,
  statusOf,
  traitsOf,
  type OrderTraits,
} from '#src/exchange/trading/orders/order-text.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/** The streams number the types of orders: spot ones first, those of the collateral account behind. */
export function typeOf(flags: number): number {
  if ((flags & (flag.stock | flag.stop)) === flag.stock) return 202
  const among = ((flags & flag.market) === 0 ? 0 : 1) + ((flags & flag.stop) === 0 ? 0 : 2)
  return (flags & flag.spot) === 0 ? 7 + among : 1 + among
}

const write = objectWriters<typeof streamOrder, OrderTraits, OrderFacts>(
  streamOrder,
  {},
  {
    ...orderValues,
    id: (_, order) => order.id,
    type: ({ flags }) => typeOf(flags),
    side: ({ sells }) => (sells ? 1 : 2),
    post_only: ({ flags }) => (flags & flag.postOnly) !== 0,
    ctime: (_, order) => order.at / 1000,
    mtime: (_, order) => order.endedAt / 1000,
    price: ({ market, flags }, order) => ((flags & flag.market) === 0 ? market.priceText(order.ticks) : '0'),
    activation_price: activationPrice,
    stp: ({ selfTrade }) => selfTrade,
    position_side: ({ positionSide }) => positionSide,
    retail: () => false,
    reduce_only: ({ flags }) => (flags & flag.reduceOnly) !== 0,
  },
)

export function orderJson(venue: VenueContext, order: OrderFacts): string {
  const market = venue.trading.markets[order.market]
  if (market === undefined) throw new RangeError(`order ${order.id} is in no market`)
  return write.spec(traitsOf(venue, market, order, statusOf(venue, order), false), order)
}
