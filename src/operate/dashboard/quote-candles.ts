import { candleStart } from '#src/market/candles/candle-times.ts'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { State } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { ChartCandle } from './candles.ts'

/** A day and a half. */
const minutesMax = 2160

/** Candles of the prices that the bot has sampled since its start, for venues without candles. */
export class QuoteCandles {
  readonly #minutes = new Map<string, ChartCandle[]>()

  add({ quotes }: State): void {
    for (const [market, { at, last, bid, ask }] of Object.entries(quotes)) {
      const price = last ?? bid ?? ask
      if (price === null) continue
      let minutes = this.#minutes.get(market)
      if (!minutes) this.#minutes.set(market, (minutes = []))
      const text = new Decimal(price).toFixed()
      addCandle(minutes, { at, open: text, high: text, low: text, close: text }, '1m')
      if (minutes.length > minutesMax) minutes.shift()
    }
  }

  /** Empty for intervals below a minute. */
  of(market: string, interval: CandleInterval): ChartCandle[] {
    const candles: ChartCandle[] = []
    if (candleIntervals[interval] >= candleIntervals['1m'])
      for (const minute of this.#minutes.get(market) ?? []) addCandle(candles, minute, interval)
    return candles
  }
}

function addCandle(
  candles: ChartCandle[],
  { at, open, high, low, close }: ChartCandle,
  interval: CandleInterval,
): void {
  const opened = candleStart(interval, at)
  const last = candles.at(-1)
  if (last?.at !== opened) {
    candles.push({ at: opened, open, high, low, close })
    return
  }
  last.close = close
  if (new Decimal(high).gt(last.high)) last.high = high
  if (new Decimal(low).lt(last.low)) last.low = low
}
