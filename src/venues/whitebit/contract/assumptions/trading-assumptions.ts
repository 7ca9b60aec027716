import type { Assumption } from './assumption.ts'

/** What was chosen about orders, fills, positions and margin beyond spec.md. */
export const tradingAssumptions = {
  markPrice: {
    section: 'beyond.orders',
    silence: 'the source of the mark price',
    choice:
      'In simulated markets the mark is an index, of the asset or of the price file. In a still market it is the median ' +
      'of best bid, best ask and last trade; the last trade if a side of the book is empty, or in worlds without the ' +
      'key shortfalls.',
  },
  historySpan: {
    section: 'beyond.fills',
    silence: 'how far the history of orders and fills reaches',
    choice:
      'As far as the exchange remembers. A world may limit the days between startDate and endDate of a list of ' +
      'finished orders: more days are refused (30), and without startDate the list has the last days only. With such ' +
      'a limit, orders and fills older than six months (00:00 UTC) cannot be read.',
    switch: 'historySpan',
  },
  priceBands: {
    section: 'beyond.orders',
    silence: 'the maximum distance of a limit price from the mark price',
    choice:
      'Half of the mark price in both directions, on every market with a price; beyond that the order is refused with ' +
      'code 250. A world may set another percentage, or none. Profile spec has no band.',
    switch: 'priceBand',
  },
  takerBands: {
    section: 'beyond.orders',
    silence: 'the maximum distance of a market order',
    choice:
      'Five percent from the current best price; the rest ends as CANCELED_TAKER_BAND. If the other side of the book ' +
      'is empty, it is refused with code 12. A world may set another percentage.',
    switch: 'takerBand',
  },
  marketOrders: {
    section: 'beyond.orders',
    silence: 'amount, left and price of a market order that spends money',
    choice:
      'amount is the base amount for the money at the prices of the book, and never more than ' +
      'the money buys; left is its unfilled part. A market order has no price. The fee is added.',
  },
  spotOrders: {
    section: 'beyond.orders',
    silence: 'how orders of the spot account and of the collateral account match',
    choice:
      'In one book per market, by price and time. An open spot order reserves its base amount, or its money plus the ' +
      'higher of the fees, which are always paid in money. Futures markets take no spot orders (31).',
  },
  selfTradeModes: {
    section: 'beyond.orders',
    silence: 'what stp does, and which of the two orders decides',
    choice:
      'The new order decides: cb cancels both, cn the new one, co the old one and continues; no lets them fill. ' +
      'The older words are accepted, answers use the short ones. Bulks of collateral orders have no stp.',
  },
  sidesOfPositions: {
    section: 'beyond.orders',
    silence: 'what positionSide means in profile full',
    choice:
      'It has no effect in one-way mode: there is one net position, and the answer has BOTH. In hedge mode it must be ' +
      'LONG or SHORT (114); an order against the named position can only reduce it, and is refused with 115 ' +
      'without one.',
  },
  reduceOnly: {
    section: 'beyond.orders',
    silence: 'what a reduce-only order reserves, and how it ends',
    choice:
      'Nothing. Its amount is limited to the position when it arrives and when it fills; when the position is closed it ' +
      'ends as AUTO_CANCELED_REDUCE_ONLY. Without a position on the other side it is refused with 116.',
  },
  changedOrders: {
    section: 'beyond.order-changes',
    silence: 'what a modified order is, and what its amount means',
    choice:
      'A new order under the old client id, behind all others of its price; the old one ends as CANCELED. amount is ' +
      'the amount of the new one, by default the rest of the old one. It must pass all checks, or the old ' +
      'one stays unchanged. No order here has a total (162).',
  },
  namedOrders: {
    section: 'beyond.order-changes',
    silence: 'the types of orders in lists, and the result of an invalid element',
    choice:
      'Lists, and answers with an order that was open, use the type margin limit for collateral orders. ' +
      'Each element of a list of cancellations has its own result: 404 for an order that is not open in that market.',
  },
  killSwitches: {
    section: 'beyond.kill-switch',
    silence: 'when a kill switch expires, and what it cancels',
    choice:
      'At its millisecond, by the venue clock: all orders of its kinds in its market, ' +
      'whenever they were placed. Then the timer is removed.',
  },
  fills: {
    section: 'beyond.fills',
    silence: 'how far back fills and finished orders are available',
    choice:
      'The last 65536 of each, for any period; without dates all of them. The order history includes ' +
      'both accounts: CANCELED selects all orders that did not fill completely, PARTIALLY_FILLED those with fills. ' +
      'An unknown client id is refused with code 30, an unknown order id gives an empty answer. An order implies its ' +
      'market, so the market parameter of foreign clients has no effect.',
  },
  shortfalls: {
    section: 'beyond.orders',
    silence: 'who pays a loss or a fee beyond the money of a collateral account',
    choice:
      'It is advanced while open profits cover it: the debt reduces the equity, and the next profit or funding pays it ' +
      'back. An order also needs its loss against the mark price; a fill that leaves less than nothing is not made ' +
      '(AUTO_CANCELED_USER_MARGIN). A liquidation ends at the bankruptcy price; then the insurance pays until it is ' +
      'empty, and opposite positions give way (adl_<orderId>_!). In worlds without the key shortfalls the insurance ' +
      'pays all of it. No wallet is ever negative.',
  },
  linkedOrders: {
    section: 'beyond.orders',
    silence: 'what happens to the other order of a pair',
    choice:
      'As soon as one of the two fills, activates or ends, the other is canceled and in the history. A limit order ' +
      'that is modified stays linked.',
  },
  collateralTotals: {
    section: 'beyond.collateral',
    silence: 'available amounts with and without borrowing, and the summary',
    choice:
      'Borrowed is what the insurance has advanced, usually 0. Without borrowing: the amount that no order and no position ' +
      'needs; with borrowing: that times the leverage. The summary is in the money of the first market; its margin is ' +
      'that of positions and orders together.',
  },
  leverage: {
    section: 'beyond.collateral',
    silence: 'the effect of a leverage change on open positions and orders',
    choice:
      'It applies at once to the margin of all positions and orders. It is refused with code 17 if the account could ' +
      'not back them; the position mode changes only without positions and orders (113).',
  },
  openPositions: {
    section: 'beyond.positions',
    silence: 'the figures of a position',
    choice:
      'pnl and unrealizedPnl are the profit at the mark price, pnlPercent its share of the margin, basePrice the ' +
      'average without fees. freeMargin is that of the account; margin_call is set when it would be negative. ' +
      'Foreign clients send symbol to select one market, which live venues do not support: it has no effect.',
  },
  closedPositions: {
    section: 'beyond.positions',
    silence: 'closing a position when the book is too thin',
    choice:
      'It is a reduce-only market order for the whole position: the part beyond the band stays open; if the other ' +
      'side of the book is empty, it is refused with code 12.',
  },
  positionEvents: {
    section: 'beyond.positions',
    silence: 'events of the position history',
    choice:
      'Every fill, with the position after it; a fill that reverses a position is two events. realizedPnl is net of the ' +
      'fee. liquidationPrice is not stored. Order id 0 is a liquidation. The last 16384 events are stored.',
  },
  triggers: {
    section: 'beyond.triggers',
    silence: 'when a conditional order activates, and what it reserves before',
    choice:
      'When the last price reaches its activation price, a buy from below and a sell from above, at once if it already ' +
      'has; then it is checked like a new order under its id, and canceled if it cannot be backed. Before that it ' +
      'reserves nothing. An account can have 100 of them (103).',
  },
  spotStops: {
    section: 'beyond.triggers',
    silence: 'the amount of a conditional market buy of the spot account',
    choice:
      'It names money, and is for the base amount that this money buys at the activation price; ' +
      'amount holds that base amount, also when it is modified.',
  },
  pairs: {
    section: 'beyond.triggers',
    silence: 'the two orders of a pair, and their end',
    choice:
      'An open limit order, with the id and client id of the pair, and a conditional stop-limit order. The ' +
      'first fill or the end of one ends the other, and so does the activation of the stop. The last price is between ' +
      'them when they are placed (105, 106).',
  },
  attachedExits: {
    section: 'beyond.triggers',
    silence: 'when takeProfit and stopLoss of an order begin, for which amount, and how they end',
    choice:
      'With the first fill, as conditional market orders that only reduce; their amount is what has filled. If one ' +
      'activates or ends, the other is canceled; later fills of the order get new ones, unless they were canceled. ' +
      'They end with their position. oto-cancel and conditional-cancel also cancel the rest of the order. The price of ' +
      'the order, for a market order the last price, is between them (105, 106), and they are inside the price band ' +
      '(250). They cannot be modified (160). tpsl shows the oldest ones of a position, the list of conditional orders ' +
      'shows orders that are open. Worlds without the key attachedExits refuse ' +
      'them (30).',
  },
} as const satisfies Record<string, Assumption>
