// Labelled lines of a chart: entry prices of positions, stops and targets.

import { colour, library } from './chart-look.js'

/**
 * @typedef {import('lightweight-charts').ISeriesApi<'Candlestick'>} Series
 * @typedef {{ price: string, text: string, tone: 'accent' | 'loss' | 'buy' }} Level
 */

export class PriceLevels {
  #series
  /** @type {Map<string, import('lightweight-charts').IPriceLine>} */
  #lines = new Map()
  /** @type {readonly Level[]} */
  #levels = []

  /** @param {Series} series */
  constructor(series) {
    this.#series = series
  }

  /** @param {readonly Level[]} levels */
  show(levels) {
    this.#levels = levels
    const wanted = new Map(levels.map((level) => [`${level.price} ${level.text} ${level.tone}`, level]))
    for (const [key, line] of this.#lines) {
      if (wanted.has(key)) continue
      this.#series.removePriceLine(line)
      this.#lines.delete(key)
    }
    for (const [key, { price, text, tone }] of wanted) {
      if (this.#lines.has(key)) continue
      const line = this.#series.createPriceLine({
        price: Number(price),
        color: colour(tone),
        lineWidth: 1,
        lineStyle: library.LineStyle.Dashed,
        axisLabelVisible: true,
        title: text,
      })
      this.#lines.set(key, line)
    }
    return this.#lines.size
  }

  /** Draws all lines again, in the colours of now. */
  paint() {
    const levels = this.#levels
    this.show([])
    this.show(levels)
  }
}
