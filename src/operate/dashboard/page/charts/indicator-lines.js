// Indicators of the selected strategy: those with the scale of prices over the candles, the others in panes below.

import { colour, library, timeOf } from './chart-look.js'
import { made, part, say } from '../page-parts.js'
import { plain } from '../text.js'

/**
 * @typedef {import('../../indicator-curves.ts').Curve} Curve
 * @typedef {import('lightweight-charts').ISeriesApi<'Line'>} Series
 */

/** After these the colours repeat. */
const coloursMax = 6
const digits = 6

export class IndicatorLines {
  #chart
  #holder
  #box = part('show-curves', HTMLInputElement)
  #legend = part('curves')
  /** @type {readonly Curve[]} */
  #curves = []
  /** @type {{ curve: Curve, series: Series, value: HTMLElement }[]} */
  #lines = []
  /** @type {number | undefined} */
  #at

  /**
   * @param {import('./chart-look.js').Chart} chart
   * @param {HTMLElement} holder
   */
  constructor(chart, holder) {
    this.#chart = chart
    this.#holder = holder
    this.#box.addEventListener('change', () => this.draw())
  }

  /** @param {readonly Curve[]} curves At the candles of the chart. */
  show(curves) {
    this.#curves = curves
    this.draw()
  }

  draw() {
    for (const { series } of this.#lines) this.#chart.removeSeries(series)
    this.#legend.replaceChildren()
    const shown = this.#box.checked ? this.#curves : []
    const panes = [...new Set(['price', ...shown.map(({ pane }) => pane)])]
    this.#lines = shown.map((curve, index) => {
      const isPrice = curve.pane === 'price'
      const name = `curve-${(index % coloursMax) + 1}`
      const series = this.#chart.addSeries(
        library.LineSeries,
        {
          color: colour(name),
          lineWidth: isPrice ? 2 : 1,
          priceLineVisible: false,
          lastValueVisible: !isPrice,
          crosshairMarkerVisible: false,
          // A slow mean far from the price would flatten the candles.
          ...(isPrice && { autoscaleInfoProvider: () => null }),
        },
        panes.indexOf(curve.pane),
      )
      series.setData(curve.points.map(([at, value]) => ({ time: timeOf(at), value })))
      const value = made('b', '')
      const swatch = made('i', 'swatch')
      swatch.style.background = `var(--${name})`
      this.#legend.append(made('span', '', swatch, `${curve.title} `, value))
      return { curve, series, value }
    })
    for (const [index, pane] of this.#chart.panes().entries()) pane.setStretchFactor(index === 0 ? 4 : 1)
    this.#holder.dataset['curves'] = String(shown.length)
    this.tell(this.#at)
  }

  /** @param {number | undefined} at Time of a candle; the last one without it. */
  tell(at) {
    this.#at = at
    for (const { curve, value } of this.#lines) {
      const point = at === undefined ? curve.points.at(-1) : curve.points.find(([time]) => time === at)
      say(value, point === undefined ? '–' : plain(String(Number(point[1].toPrecision(digits)))))
    }
  }
}
