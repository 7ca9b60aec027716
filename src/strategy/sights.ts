import type { Candle } from '#src/indicators/indicator.ts'
import { keyOf, type Readings } from '#src/indicators/readings.ts'
import type { IndicatorName } from '#src/indicators/table.ts'

/**
 * What expressions can look at, one class each: the language tells by it what a name stands for. All of it may be
 * missing, and what is missing is `Unknown`, never a guess.
 */
export class Unknown extends Error {}

export function known<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Unknown(`${what} is unknown`)
  return value
}

/**
 * The candles of a feed, seen now or some candles ago. Whoever keeps the readings writes them into `feed`: null while
 * they are too old to be believed.
 */
export class Candles {
  readonly feed: { readings: Readings | null }
  readonly #when: 'now' | 'before'

  constructor(feed: { readings: Readings | null }, when: 'now' | 'before' = 'now') {
    this.feed = feed
    this.#when = when
  }

  last(field: keyof Candle): number {
    return known(this.feed.readings?.[this.#when]?.[field], `the ${field} of the last candle`)
  }

  read(name: IndicatorName, parameters: readonly number[]): number {
    const value = this.feed.readings?.running[keyOf(name, parameters)]?.[this.#when]
    return known(value, `${name}(${parameters.join(', ')}), which has seen too few candles,`)
  }
}

type Perhaps = number | null | undefined

export class Book {
  bid: Perhaps
  ask: Perhaps
}

/** What we hold and did in one market. */
export class Holding {
  position: Perhaps
  entry: Perhaps
  netFills: Perhaps
}

/** How far the present episode of a ladder has gone. */
export class Progress {
  filledLevels: Perhaps
  openHours: Perhaps
}

type Balances = Readonly<Record<string, number>>

export class Account {
  equity: Perhaps
  balances: Balances = {}
  mainBalances: Balances = {}

  balance(ticker: string): number {
    return known(balanceOf(this.balances, ticker), `the balance of ${ticker}`)
  }

  mainBalance(ticker: string): number {
    return known(balanceOf(this.mainBalances, ticker), `the main balance of ${ticker}`)
  }
}

/** The time of day, in UTC. */
export class Clock {
  minute: Perhaps
}

function balanceOf(balances: Balances, ticker: string): Perhaps {
  return Object.hasOwn(balances, ticker) ? balances[ticker] : undefined
}
