import { z } from 'zod'
import {
  decimalOut,
  market,
  positionSide,
  signedOut,
  ticker,
  unixFraction,
  unixSeconds,
} from '#src/venues/whitebit/contract/fields.ts'

/** What the updates of the streams hold, by channel. */
const level = z.tuple([decimalOut, decimalOut])
const updateId = z.int().min(0)

const depth = z.tuple([
  z.boolean().describe('true for a full book, false for changes'),
  z.object({
    timestamp: unixFraction,
    update_id: updateId,
    past_update_id: updateId.optional(),
    asks: z.array(level).optional(),
    bids: z.array(level).optional(),
    event_time: unixFraction.optional(),
  }),
  market,
])

export const streamTrade = z.object({
  id: z.int(),
  time: unixFraction,
  price: decimalOut,
  amount: decimalOut,
  type: z.enum(['buy', 'sell']),
  rpi: z.boolean().optional(),
})

const trades = z.tuple([market, z.array(streamTrade)])

const bookTicker = z.tuple([
  z.tuple([
    unixFraction.describe('Time of the change'),
    unixFraction.describe('Time of sending'),
    market,
    updateId.describe('update_id of the book'),
    decimalOut.describe('Best bid, 0 without one'),
    decimalOut,
    decimalOut.describe('Best ask, 0 without one'),
    decimalOut,
  ]),
])

const dayNumbers = {
  last: decimalOut,
  open: decimalOut,
  high: decimalOut,
  low: decimalOut,
  volume: decimalOut,
  deal: decimalOut.describe('Volume in the money currency'),
}

/** The order is no mistake: time, open, close, high, low, volume, volume in the money currency. */
const candle = z.tuple([
  unixSeconds,
  decimalOut,
  decimalOut,
  decimalOut,
  decimalOut,
  decimalOut,
  decimalOut,
  market,
])

export const streamOrder = z.object({
  id: z.int(),
  market,
  type: z.int(),
  side: z.literal([1, 2]).describe('1 sell, 2 buy'),
  post_only: z.boolean(),
  ioc: z.boolean(),
  ctime: unixFraction,
  mtime: unixFraction,
  price: decimalOut,
  activation_price: decimalOut.optional(),
  amount: decimalOut,
  left: decimalOut,
  deal_stock: decimalOut,
  deal_money: decimalOut,
  deal_fee: signedOut,
  client_order_id: z.string(),
  stp: z.string(),
  status: z.string(),
  position_side: positionSide.optional(),
  rpi: z.boolean().optional(),
  retail: z.boolean().optional(),
  reduce_only: z.boolean().optional(),
})

const deals = z.tuple([
  z.int().describe('Id of the fill'),
  unixFraction,
  market,
  z.int().describe('Id of the order'),
  decimalOut.describe('Price'),
  decimalOut.describe('Amount'),
  signedOut.describe('Fee'),
  z.string().describe('Client order id'),
  z.literal([1, 2]).describe('1 sell, 2 buy'),
  z.literal([1, 2]).describe('1 maker, 2 taker'),
  ticker.describe('Currency of the fee'),
])

const position = z.object({
  id: z.int(),
  market,
  ctime: unixFraction,
  mtime: unixFraction,
  amount: signedOut,
  amount_in_money: decimalOut,
  base_price: decimalOut,
  pnl: signedOut,
  liq_price: decimalOut.nullable(),
  liq_stage: z.string().nullable(),
  unrealized_funding: signedOut,
  funding: signedOut,
  margin: decimalOut,
  free_margin: decimalOut,
  realized_pnl: signedOut,
  position_side: positionSide,
})

/** The parameters of `NAME_update`. */
export const streamUpdates = {
  depth,
  trades,
  bookTicker,
  lastprice: z.tuple([market, decimalOut]),
  market: z.tuple([market, z.object({ period: z.int(), close: decimalOut, ...dayNumbers })]),
  marketToday: z.tuple([market, z.object(dayNumbers)]),
  candles: z.array(candle),
  ordersPending: z.tuple([z.literal([1, 2, 3]), streamOrder]),
  ordersExecuted: z.tuple([streamOrder]),
  deals,
  balanceSpot: z.array(z.record(ticker, z.object({ available: decimalOut, freeze: decimalOut }))),
  balanceMargin: z.array(
    z.object({ a: ticker, B: signedOut, b: decimalOut, av: decimalOut, ab: decimalOut }),
  ),
  positionsMargin: z.object({ total: z.int(), records: z.array(position) }),
}
