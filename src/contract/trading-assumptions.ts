import type { Assumption } from './assumption.ts'

/** What was chosen about orders, fills, positions and margin beyond spec.md. */
export const tradingAssumptions = {
  markPrice: {
    section: 'beyond.orders',
    silence: 'where the mark price comes from',
    choice:
      'Where markets move by themselves each follows an index, the one of its asset or the one of its file, and the ' +
      'mark is that index. In a still market it is the last trade.',
  },
  priceBands: {
    section: 'beyond.orders',
    silence: 'how far from the mark price a limit may lie',
    choice:
      'Half of it either way, on every market that has a price; beyond that the order is refused with code 250. ' +
      'Another percentage, or none, is for the world to say. Profile spec has no band.',
    switch: 'priceBand',
  },
  takerBands: {
    section: 'beyond.orders',
    silence: 'how far a market order may reach',
    choice:
      'Five percent from the best price of the moment; what is left over then ends as CANCELED_TAKER_BAND. With nobody ' +
      'on the other side it is refused with code 12. A world may name another percentage.',
    switch: 'takerBand',
  },
  marketOrders: {
    section: 'beyond.orders',
    silence: 'what amount, left and price say of a market order that spends an amount of money',
    choice:
      'amount is what the money is good for at the prices of the book, in goods like every amount, and never more ' +
      'than the money buys; left is what of it was not there. A market order has no price. The fee comes on top.',
  },
  spotOrders: {
    section: 'beyond.orders',
    silence: 'how orders of the spot account and of the collateral account meet',
    choice:
      'In one book a market, by price and time. A resting spot order holds its goods, or its money and the higher of ' +
      'the fees, which are always paid in money. Markets of futures take no spot orders (31).',
  },
  selfTradeModes: {
    section: 'beyond.orders',
    silence: 'what stp does, and which of the two orders says it',
    choice:
      'The order that comes says it: cb cancels both, cn the new one, co the old one and goes on; no lets them trade. ' +
      'The older words are understood, the short ones are answered. Bulks of collateral orders take none.',
  },
  sidesOfPositions: {
    section: 'beyond.orders',
    silence: 'what positionSide means in profile full',
    choice:
      'Nothing in one-way mode: there is one net position, and the answer says BOTH. In hedge mode it must be LONG or ' +
      'SHORT (114); an order against the position that it names can only reduce it, and is refused with 115 when ' +
      'there is none.',
  },
  reduceOnly: {
    section: 'beyond.orders',
    silence: 'what a reduce-only order holds, and what becomes of it',
    choice:
      'Nothing. It is cut to the position when it comes, and again when it trades; when the position is closed it ends ' +
      'as AUTO_CANCELED_REDUCE_ONLY. Without a position on the other side it is refused with 116.',
  },
  changedOrders: {
    section: 'beyond.order-changes',
    silence: 'what a changed order is, and what its amount is for',
    choice:
      'A new order under the old client id, behind all others of its price; the old one ends as CANCELED. amount is ' +
      'what the new one is for, without it what was left of the old one. It must pass like any new order, or the old ' +
      'one stays where it is. No order here has a total (162).',
  },
  namedOrders: {
    section: 'beyond.order-changes',
    silence: 'how orders of a list are called, and what becomes of a wrong element',
    choice:
      'Lists, and whoever answers with an order that rested, call those of the collateral account margin limit. ' +
      'Elements of a list of cancellations fail by themselves: 404 for an order that does not rest in that market.',
  },
  killSwitches: {
    section: 'beyond.kill-switch',
    silence: 'when a kill switch goes off, and what it withdraws',
    choice:
      'At its millisecond, by the clock of the venue, whoever calls or not: all orders of its kinds in its market, ' +
      'whenever they were placed. Then it is gone.',
  },
  fills: {
    section: 'beyond.fills',
    silence: 'how far back deals and ended orders can be asked for',
    choice:
      'The last 65536 of each, over any span; without dates all of them. The history of orders, too, knows ' +
      'those of both accounts: CANCELED asks for all that did not fill, PARTIALLY_FILLED for those of them that traded. ' +
      'A client id that never was is refused with code 30, an order id answers nothing. An order names its market, so ' +
      'that the market which foreign clients send with it changes nothing.',
  },
  shortfalls: {
    section: 'beyond.orders',
    silence: 'who pays a loss or a fee for which a collateral account has no money left',
    choice:
      'The insurance advances it, as long as the account stands in open profits: what it owes counts against its equity, ' +
      'and the next profit or funding pays it back. What is still owed when the last position is closed is the loss of ' +
      'the insurance. No wallet ever falls below zero.',
  },
  linkedOrders: {
    section: 'beyond.orders',
    silence: 'what becomes of an order that waits beside another one',
    choice:
      'As soon as one of the two trades, comes or ends, the other is canceled and stands in the history. A limit order ' +
      'that is modified stays linked.',
  },
  collateralTotals: {
    section: 'beyond.collateral',
    silence: 'what is available with and without borrowing, and what the summary sums up',
    choice:
      'Borrowed is what the insurance has advanced, 0 for most. Without it means what no order and no position needs, ' +
      'with it that times the leverage. The summary is of the money of the first market; its margin is that of positions ' +
      'and orders together.',
  },
  leverage: {
    section: 'beyond.collateral',
    silence: 'what a change of the leverage does to what is open already',
    choice:
      'It holds at once for the margin of all positions and orders. It is refused with code 17 when the account could ' +
      'not back them then; the mode of positions changes only without any (113).',
  },
  openPositions: {
    section: 'beyond.positions',
    silence: 'what the figures of a position mean',
    choice:
      'pnl and unrealizedPnl are the profit at the mark price, pnlPercent its share of the margin, basePrice the ' +
      'average without fees. freeMargin is that of the account; margin_call is said when it would be below zero. ' +
      'Foreign clients send symbol to ask for one market, which live venues do not know: it changes nothing.',
  },
  closedPositions: {
    section: 'beyond.positions',
    silence: 'what closing a position does when the book has too little',
    choice:
      'It is a reduce-only market order for all of it: what the band does not give stays open, and with nobody on the ' +
      'other side it is refused with code 12.',
  },
  positionEvents: {
    section: 'beyond.positions',
    silence: 'what an event of the history of positions is',
    choice:
      'Every fill, with the position as it left it; a fill that turns a position around is two. realizedPnl has the fee ' +
      'taken off. liquidationPrice is not kept. An order id of 0 is the house taking over. The last 16384 are kept.',
  },
  triggers: {
    section: 'beyond.triggers',
    silence: 'when a waiting order comes, and what it holds until then',
    choice:
      'When the last price reaches its own, a buy from below and a sell from above, at once if it has done so already; ' +
      'then it is judged like a new order under the id it had, and canceled if it cannot be backed. Until then it holds ' +
      'nothing. An account can have 100 of them (103).',
  },
  spotStops: {
    section: 'beyond.triggers',
    silence: 'for how much a market buy of the spot account is that waits for a price',
    choice:
      'It names money, as such orders do, and is for the goods that this money is worth at the activation price; ' +
      'amount tells of them from then on, also when it is modified.',
  },
  pairs: {
    section: 'beyond.triggers',
    silence: 'what the two orders of a pair are, and what ends them',
    choice:
      'A limit order that rests, whose id and client id are those of the pair, and a stop-limit order that waits. The ' +
      'first fill or the end of the one ends the other, and so does the coming of the stop. The last price lies between ' +
      'them when they are placed (105, 106). There are no other conditional orders.',
  },
} as const satisfies Record<string, Assumption>
