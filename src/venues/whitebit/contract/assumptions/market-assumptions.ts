import type { Assumption } from './assumption.ts'

/** What was chosen about markets, their rules and their prices, beyond spec.md. */
export const marketAssumptions = {
  publicRefusals: {
    section: 'beyond',
    silence: 'the refusal of parameters of a public endpoint',
    choice:
      'Order book, depth, trades and funding history answer 422 with the parameters only, each with its messages; ' +
      'candles and the older ticker answer 200 with success false, the same under message, and result null. ' +
      'Other errors have the format of spec.md, as on every other endpoint.',
  },
  publicLimits: {
    section: 'beyond',
    silence: 'how public rate limits count',
    choice:
      'Calls per address and endpoint, all markets together: 600 in 10 seconds for the order book, 1000 for ' +
      'candles and the older ticker, 2000 for the others. Nothing is cached: each answer is current.',
  },
  startPrices: {
    section: 'beyond.prices',
    silence: 'prices of a market before its first trade',
    choice:
      'Last price, mark, high and low are the price of the currency in the world file, volumes are 0, and the ' +
      'best price of an empty side of the book is 0. The index of a perpetual stays there, except in a simulated ' +
      'market.',
  },
  dayWindow: {
    section: 'beyond.prices',
    silence: 'which trades the 24 hours of the tickers hold, and what change is',
    choice:
      'The 1440 minutes up to now, the current one included. Change is from the first to the last price among them, ' +
      'in percent, truncated to two decimals.',
  },
  candles: {
    section: 'beyond.candles',
    silence: 'the start of candles, their history, and which are returned',
    choice:
      'They start at whole multiples of their interval, days at 00:00 UTC, weeks on Mondays, months on the first. ' +
      'Without trades a candle repeats the last close; before the first trade there is none, except in simulated ' +
      'markets, which start with a history of candles. Candles of ' +
      'seconds go back an hour, of 1m and 3m eight days, of 5m to 30m 30 days, all others 400 days, complete candles ' +
      'only. With start, the first limit candles are returned, else the last ones.',
  },
  recentTrades: {
    section: 'beyond.books',
    silence: 'how many trades are searched for one type',
    choice: 'The last 1000 of the market; at most 100 are returned.',
  },
  bookLevels: {
    section: 'beyond.books',
    silence: 'what the level of an order book groups, and what the book holds',
    choice:
      'Level n groups 10^n price steps: bids at the lower end, asks at the upper. Public books omit rpi orders; ' +
      'their trades are in the list of trades, marked. The depth holds prices within 2 percent of the last ' +
      'price, inclusive, at most 1000 per side.',
  },
  referenceData: {
    section: 'beyond.reference-data',
    silence: 'data of currencies and markets',
    choice:
      'The name of a currency is its ticker; withdrawals are disabled and have no fee. Every market takes collateral ' +
      'orders. Fees are exact, so their precision is 18. Fees of a currency are those of its spot market, or of ' +
      'the first one.',
  },
  fundingTimes: {
    section: 'beyond.futures',
    silence: 'when a funding rate is computed, the maximum position, and the values of brackets',
    choice:
      'At the moment of payment; the rate before is the rate as of now. A world may give a market risk brackets: each ' +
      'applies to its slice of the notional, and an order beyond the last one is refused (111). brackets then has the ' +
      'largest notional of each leverage. Without them it has 0: any size at any leverage.',
  },
} as const satisfies Record<string, Assumption>
