import type { Assumption } from './assumption.ts'

/** What was chosen about the streams, of which spec.md says only that they exist. */
export const streamAssumptions = {
  streamEnds: {
    section: 'beyond.streams',
    silence: 'when a stream is closed, and with which code',
    choice:
      '1000 after a minute without a frame of the client (a ping of the protocol is none), 1001 when the service ends, ' +
      '1007 for what is not JSON text, 1008 for an empty token, 1009 for a frame above 16 KiB, 1013 when more than a ' +
      'mebibyte waits to be read. At most 3000 streams at a time; the next one is refused with 503.',
  },
  streamRefusals: {
    section: 'beyond.streams',
    silence: 'which handshakes and requests are refused, and how',
    choice:
      'Handshakes in the shape of every error: more than 1000 a minute from one address with 429. Requests with the ' +
      'public codes: 1 for what does not fit its method (with id null if it has none), 4, 6, 7 above 200 a minute, ' +
      '9 for a market that does not exist.',
  },
  depthWindow: {
    section: 'beyond.streams',
    silence: 'what is told of levels that move across the limit of a depth subscription',
    choice:
      'One that leaves the best levels is told with amount 0, one that enters with its amount, so that whoever applies ' +
      'all of it holds exactly these levels. update_id rises with every change of the book that the public could see, ' +
      'deep levels included, so it skips. Prices are joined to an interval away from the middle.',
  },
  firstFrames: {
    section: 'beyond.streams',
    silence: 'what comes right after a subscription',
    choice:
      'What everybody else with the same subscription was told last: the whole book, the best prices, the numbers of the ' +
      'day, the candle that runs, and the last hundred trades. Balances come when they change. market_request knows the ' +
      'period of a day alone.',
  },
  bookTickerSides: {
    section: 'beyond.streams',
    silence: 'how a side without orders looks, and how often best prices come',
    choice:
      'Price 0 and amount 0. They come when a turn of the exchange, which may hold many orders, has changed them.',
  },
  ownOrders: {
    section: 'beyond.streams',
    silence: 'which orders the private channels tell of, and how an empty list of markets is meant',
    choice:
      'ordersPending tells of every order that rests or ends, ordersExecuted of every order that ends, traded or not, as ' +
      'the order history does; an order that waits for a price is told of like one that rests, and again under the same ' +
      'id when it comes. An empty list means all markets. A market order has price 0. deal_order_id is the order ' +
      'that was met, order_id the own one.',
  },
  ownBalances: {
    section: 'beyond.streams',
    silence: 'what the balances and positions of the streams count',
    choice:
      'balanceSpot is what the trading balance answers. What is available with borrowing is ' +
      'what is free times the leverage. amount_in_money is what a position was opened for, base_price that by its amount, ' +
      'cut to 8 decimals; funding goes to the balance and stays 0 here; liq_price is null where no price would do it.',
  },
} as const satisfies Record<string, Assumption>
