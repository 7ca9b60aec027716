import type { Assumption } from './assumption.ts'

/** What was chosen about markets, their rules and their prices, beyond spec.md. */
export const marketAssumptions = {
  publicRefusals: {
    section: 'beyond',
    silence: 'how a public endpoint refuses parameters',
    choice:
      'Order book, depth, trades and funding history answer 422 with the parameters alone, each with its texts; ' +
      'candles and the older ticker answer 200 with success false, the same under message, and result null. ' +
      'Whatever is not about a parameter has the shape of spec.md, and so has every other endpoint.',
  },
  publicLimits: {
    section: 'beyond',
    silence: 'what the public limits count',
    choice:
      'Calls of one address to one endpoint, all markets together: 600 in 10 seconds for the order book, 1000 for ' +
      'candles and the older ticker, 2000 for the others. Nothing is cached: each answer is as new as the call.',
  },
  startPrices: {
    section: 'beyond.prices',
    silence: 'what the prices of a market are before it has traded',
    choice:
      'The last price, the mark and the extremes are what the world says the currency is worth, volumes 0, and the ' +
      'best price of an empty side of the book is 0. The index of a perpetual stays there, unless its market moves by ' +
      'itself.',
  },
  dayWindow: {
    section: 'beyond.prices',
    silence: 'which trades the 24 hours of the tickers hold, and what change is',
    choice:
      'Those of the 1440 minutes up to now, the running one included. Change goes from the first price among them to ' +
      'the last price, in percent, cut to two decimals.',
  },
  candles: {
    section: 'beyond.candles',
    silence: 'where candles begin, how far back they go, and which are shown',
    choice:
      'They begin at whole multiples of their length, days at midnight UTC, weeks on Mondays, months on their first. ' +
      'Where nothing traded a candle repeats the last close; before the first trade there is none, but for markets ' +
      'that move by themselves, which begin with a past of candles. Candles of ' +
      'seconds go back an hour, of 1m and 3m three days, of 5m to 30m 30 days, all others 400 days, each as far as ' +
      'it is whole. With start the first limit of them are shown, else the last.',
  },
  recentTrades: {
    section: 'beyond.books',
    silence: 'among how many trades those of one type are looked for',
    choice: 'Among the last 1000 of the market; at most 100 are shown.',
  },
  bookLevels: {
    section: 'beyond.books',
    silence: 'what the level of an order book joins, and what the book holds',
    choice:
      'Level n joins 10^n price steps: bids stand at the lower end, asks at the upper. Rpi orders are in no public ' +
      'book, but their trades are among the trades, marked. The depth holds the prices within 2 percent of the last ' +
      'one, ends included, at most 1000 a side.',
  },
  referenceData: {
    section: 'beyond.reference-data',
    silence: 'what the venue says of its currencies and markets',
    choice:
      'A currency is called by its ticker and cannot be withdrawn; nothing costs a fee. Every market takes collateral ' +
      'orders. Fees are exact, hence 18 as their precision. Those of a currency are those of its spot market, or of ' +
      'the first one.',
  },
  fundingTimes: {
    section: 'beyond.futures',
    silence: 'when a funding rate was calculated, and how large a position may be',
    choice:
      'At the moment in which it is paid; the rate shown before is what it would be now. Positions have no brackets: ' +
      'any size at any leverage.',
  },
} as const satisfies Record<string, Assumption>
