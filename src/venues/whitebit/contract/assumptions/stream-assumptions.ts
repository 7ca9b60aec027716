import type { Assumption } from './assumption.ts'

/** What was chosen about the streams, of which spec.md says only that they exist. */
export const streamAssumptions = {
  streamEnds: {
    section: 'beyond.streams',
    silence: 'when a stream is closed, and with which code',
    choice:
      '1000 after a minute without a frame of the client (a protocol ping does not count), 1001 when the service stops, ' +
      '1007 for a frame that is not JSON text, 1008 for an empty token, 1009 for a frame above 16 KiB, 1013 when more ' +
      'than 1 MiB waits to be read. At most 3000 streams at a time; the next one is refused with 503.',
  },
  streamRefusals: {
    section: 'beyond.streams',
    silence: 'which handshakes and requests are refused, and how',
    choice:
      'Handshakes in the format of every error: more than 1000 a minute from one address with 429. Requests with the ' +
      'public codes: 1 for invalid parameters (with id null without an id), 4, 6, 7 above 200 a minute, ' +
      '9 for an unknown market.',
  },
  depthWindow: {
    section: 'beyond.streams',
    silence: 'updates of levels that cross the limit of a depth subscription',
    choice:
      'A level that leaves the best levels is sent with amount 0, one that enters with its amount: a client that applies ' +
      'all updates has exactly these levels. update_id increases with every change of the public book, deep levels ' +
      'included, so it skips numbers. An interval groups prices away from the middle.',
  },
  firstFrames: {
    section: 'beyond.streams',
    silence: 'the first data after a subscription',
    choice:
      'The last data of the other subscribers: the whole book, the best prices, the statistics of the ' +
      'day, the current candle, and the last hundred trades. Balances are sent when they change. market_request supports ' +
      'the period of a day only.',
  },
  bookTickerSides: {
    section: 'beyond.streams',
    silence: 'the best price of an empty side, and how often best prices are sent',
    choice:
      'Price 0 and amount 0. They are sent after each change; orders that the exchange processes together are one change.',
  },
  ownOrders: {
    section: 'beyond.streams',
    silence: 'orders of the private channels, and the meaning of an empty list of markets',
    choice:
      'ordersPending sends every order that opens or ends, ordersExecuted every order that ends, with or without fills, ' +
      'like the order history; a conditional order is sent like an open one, and again under the same ' +
      'id when it is activated. An empty list means all markets. A market order has price 0. deal_order_id is the order ' +
      'on the other side, order_id the own order.',
  },
  ownBalances: {
    section: 'beyond.streams',
    silence: 'the balances and positions of the streams',
    choice:
      'balanceSpot equals the trading balance. Available with borrowing is ' +
      'the free amount times the leverage. amount_in_money is the cost of a position, base_price that cost per amount, ' +
      'truncated to 8 decimals; funding changes the balance and is 0 here; liq_price is null if no price liquidates.',
  },
} as const satisfies Record<string, Assumption>
