import { extremesAmong } from '#src/exchange/simulation/recorded/price-extremes.ts'
import { addLater, mapPrices, pricesAt, type Prices } from '#src/market/candles/candle.ts'
import type { PointBlock } from '#src/market/data/historical-market.ts'
import { firstAt } from '#src/research/backtest/loop/market-cursor.ts'
import { periodOf } from './measures.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'

const unitsPerOne = 1e9

/** The candles of a chart, computed from the blocks of a market while the backtest reads them; as many as a chart can show. */
export class ChartCandles {
  readonly #candles: BacktestResult['candles'] = []
  readonly #from: number
  readonly #to: number
  readonly #periodMs: number
  #end: number
  #candle: Prices | undefined

  constructor(from: number, to: number) {
    this.#from = from
    this.#to = to
    this.#periodMs = periodOf(to - from)
    this.#end = from
  }

  /** The same blocks, looked at on their way. */
  *watching(blocks: Iterable<PointBlock>): Generator<PointBlock> {
    for (const block of blocks) {
      this.#take(block)
      yield block
    }
  }

  /** Once everything before the end was read. */
  done(): BacktestResult['candles'] {
    this.#finish()
    return this.#candles
  }

  #take(block: PointBlock): void {
    const { at, units, count, low, high } = block
    if (this.#candle && (at[0] ?? 0) >= this.#from && (at[count - 1] ?? 0) < this.#end) {
      addLater(this.#candle, { low, high, close: units[count - 1] ?? 0 })
      return
    }
    for (let place = 0; place < count;) {
      const time = at[place] ?? 0
      if (time >= this.#to) break
      if (time >= this.#end) this.#begin(time, units[place] ?? 0)
      // There is no candle before the beginning.
      const isBefore = time < this.#from
      const end = firstAt(at, place, count, isBefore ? this.#from : Math.min(this.#end, this.#to))
      if (!isBefore && this.#candle) {
        const extremes = extremesAmong(block, place, end, this.#candle)
        addLater(this.#candle, { ...extremes, close: units[end - 1] ?? 0 })
      }
      place = end
    }
  }

  #begin(time: number, price: number): void {
    this.#finish()
    this.#end += (Math.floor((time - this.#end) / this.#periodMs) + 1) * this.#periodMs
    this.#candle = pricesAt(price)
  }

  #finish(): void {
    if (this.#candle)
      this.#candles.push({
        at: this.#end - this.#periodMs,
        ...mapPrices(this.#candle, (units) => units / unitsPerOne),
      })
    this.#candle = undefined
  }
}
