import { addLater, mapPrices, pricesAt, type Prices } from '#src/market/candles/candle.ts'
import { candleStart } from '#src/market/candles/candle-times.ts'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { State } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { ChartCandle } from './candles.ts'

/** A day and a half. */
const minutesMax = 2160

type QuoteCandle = Prices & { at: number }

/** Candles of the prices that the bot has sampled since its start, for venues without candles. */
export class QuoteCandles {
  readonly #minutes = new Map<string, QuoteCandle[]>()

  add({ quotes }: State): void {
    for (const [market, { at, last, bid, ask }] of Object.entries(quotes)) {
      const price = last ?? bid ?? ask
      if (price === null) continue
      let minutes = this.#minutes.get(market)
      if (!minutes) this.#minutes.set(market, (minutes = []))
      addCandle(minutes, { at, ...pricesAt(price) }, '1m')
      if (minutes.length > minutesMax) minutes.shift()
    }
  }

  /** Empty for intervals below a minute. */
  of(market: string, interval: CandleInterval): ChartCandle[] {
    const candles: QuoteCandle[] = []
    if (candleIntervals[interval] >= candleIntervals['1m'])
      for (const minute of this.#minutes.get(market) ?? []) addCandle(candles, minute, interval)
    return candles.map(inTexts)
  }
}

function inTexts(candle: QuoteCandle): ChartCandle {
  return { at: candle.at, ...mapPrices(candle, (price) => new Decimal(price).toFixed()) }
}

function addCandle(candles: QuoteCandle[], candle: QuoteCandle, interval: CandleInterval): void {
  const at = candleStart(interval, candle.at)
  const last = candles.at(-1)
  if (last?.at === at) addLater(last, candle)
  else candles.push({ ...candle, at })
}
