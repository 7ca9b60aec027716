// Equity since the start of the process, and the largest drawdown of its strategies.

import { chartIn, colour, dressChart, library, onNewLight, timeOf } from './chart-look.js'
import { part, say } from '../page-parts.js'
import { money } from '../text.js'

/** @typedef {[at: number, equity: string, drawdown: string]} Point */

/** Points are thinned out like in the bot. */
const pointsMax = 4000

export class WorthChart {
  #holder = part('worth')
  #chart = chartIn(this.#holder)
  #plain = { priceLineVisible: false, lastValueVisible: true }
  #equity = this.#chart.addSeries(library.AreaSeries, { ...this.#plain, lineWidth: 2 })
  #drawdown = this.#chart.addSeries(
    library.AreaSeries,
    { ...this.#plain, lineWidth: 1, invertFilledArea: true },
    1,
  )
  /** @type {Point[]} */
  #points = []

  constructor() {
    const [one, other] = this.#chart.panes()
    one?.setStretchFactor(2)
    other?.setStretchFactor(1)
    // Always shows the whole period.
    this.#chart.applyOptions({ handleScroll: false, handleScale: false, timeScale: { rightOffset: 0 } })
    new ResizeObserver(() => this.#fit()).observe(this.#holder)
    this.#paint()
    onNewLight(() => this.#paint())
  }

  clear() {
    this.#points = []
  }

  /** @param {Point[]} points */
  add(points) {
    for (const point of points) {
      const last = this.#points.at(-1)
      // Only the latest point of a second counts.
      if (last !== undefined && timeOf(point[0]) < timeOf(last[0])) continue
      if (last !== undefined && timeOf(point[0]) === timeOf(last[0])) this.#points.pop()
      this.#points.push(point)
    }
    if (this.#points.length > pointsMax) this.#points = this.#points.filter((_, index) => index % 2 === 0)
    const of = (/** @type {(point: Point) => string} */ value) =>
      this.#points.map((point) => ({ time: timeOf(point[0]), value: Number(value(point)) }))
    this.#equity.setData(of(([, equity]) => equity))
    this.#drawdown.setData(of(([, , drawdown]) => `-${drawdown}`))
    this.#fit()
    this.#tell()
  }

  #fit() {
    this.#chart.timeScale().fitContent()
  }

  #tell() {
    const last = this.#points.at(-1)
    if (last === undefined) return
    say(
      part('worth-legend'),
      `equity of the account ${money(last[1])}, largest drawdown of a strategy ${money(last[2])}`,
    )
    this.#holder.dataset['points'] = String(this.#points.length)
  }

  #paint() {
    dressChart(this.#chart)
    this.#equity.applyOptions({
      lineColor: colour('accent'),
      topColor: colour('accent-fill'),
      bottomColor: 'transparent',
    })
    this.#drawdown.applyOptions({
      lineColor: colour('loss'),
      topColor: colour('loss-fill'),
      bottomColor: colour('loss-fill'),
    })
  }
}
