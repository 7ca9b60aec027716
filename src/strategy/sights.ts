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

/** The candles of a feed, seen now or one candle ago. */
export class Candles {
  readonly #readings: Readings
  readonly #when: 'now' | 'before'

  constructor(readings: Readings, when: 'now' | 'before') {
    this.#readings = readings
    this.#when = when
  }

  last(field: keyof Candle): number {
    return known(this.#readings[this.#when]?.[field], `the ${field} of the last candle`)
  }

  read(name: IndicatorName, parameters: readonly number[]): number {
    const value = this.#readings.running[keyOf(name, parameters)]?.[this.#when]
    return known(value, `${name}(${parameters.join(', ')}), which has seen too few candles,`)
  }
}

export class Book {
  readonly bid: number | undefined
  readonly ask: number | undefined

  constructor(best: { bid?: number | undefined; ask?: number | undefined }) {
    this.bid = best.bid
    this.ask = best.ask
  }
}

/** What we hold and did in one market. */
export class Holding {
  readonly position: number | undefined
  readonly entry: number | undefined
  readonly netFills: number | undefined

  constructor(holding: { position?: number; entry?: number; netFills?: number }) {
    this.position = holding.position
    this.entry = holding.entry
    this.netFills = holding.netFills
  }
}

/** How far the present episode of a ladder has gone. */
export class Progress {
  readonly filledLevels: number | undefined
  readonly openHours: number | undefined

  constructor(progress: { filledLevels?: number; openHours?: number }) {
    this.filledLevels = progress.filledLevels
    this.openHours = progress.openHours
  }
}

export class Account {
  readonly equity: number | undefined
  readonly #balance: ReadonlyMap<string, number>
  readonly #mainBalance: ReadonlyMap<string, number>

  constructor(
    equity: number | undefined,
    balance: ReadonlyMap<string, number>,
    main: ReadonlyMap<string, number>,
  ) {
    this.equity = equity
    this.#balance = balance
    this.#mainBalance = main
  }

  balance(ticker: string): number {
    return known(this.#balance.get(ticker), `the balance of ${ticker}`)
  }

  mainBalance(ticker: string): number {
    return known(this.#mainBalance.get(ticker), `the main balance of ${ticker}`)
  }
}

/** The time of day, in UTC. */
export class Clock {
  readonly minute: number | undefined

  constructor(minute: number | undefined) {
    this.minute = minute
  }
}
