// Lines of a chart at prices: rungs, and with their names entry prices of positions, stops and targets.

import { colour, library } from './chart-look.js'

/**
 * @typedef {import('lightweight-charts').ISeriesApi<'Candlestick'>} Series
 * @typedef {'accent' | 'loss' | 'buy' | 'doubt' | 'rung-buy' | 'rung-sell'} Tone A colour of the style sheet.
 * @typedef {{ price: string, text: string, tone: Tone, style?: 'Solid' | 'SparseDotted', width?: 1 | 2 }} Level
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
    const wanted = new Map(levels.map((level) => [Object.values(level).join(' '), level]))
    for (const [key, line] of this.#lines) {
      if (wanted.has(key)) continue
      this.#series.removePriceLine(line)
      this.#lines.delete(key)
    }
    for (const [key, { price, text, tone, style = 'Dashed', width = 1 }] of wanted) {
      if (this.#lines.has(key)) continue
      const line = this.#series.createPriceLine({
        price: Number(price),
        color: colour(tone),
        lineWidth: width,
        lineStyle: library.LineStyle[style],
        axisLabelVisible: text !== '',
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
