// Equity and drawdown of the account or of a strategy, for a range of time.

import { chartIn, colour, dressChart, library, onNewLight, timeOf } from './chart-look.js'
import { offer, part, say } from '../page-parts.js'
import { money, signed } from '../text.js'

/** @typedef {[at: number, equity: string, drawdown: string]} Point */

/** The bot is asked this often for new points. */
const renewalMs = 2000

/** @type {readonly (readonly [value: string, text: string])[]} */
const ranges = [
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['all', 'all'],
]

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
  #range = part('range', HTMLSelectElement)
  #subject = ''
  #isAsking = false
  #read

  /** @param {(path: string) => Promise<unknown>} read Reads from the bot. */
  constructor(read) {
    this.#read = read
    offer(this.#range, ranges, 'all')
    this.#range.addEventListener('change', () => void this.#renew())
    setInterval(() => void this.#renew(), renewalMs)
    const [one, other] = this.#chart.panes()
    one?.setStretchFactor(2)
    other?.setStretchFactor(1)
    // Always shows the whole period.
    this.#chart.applyOptions({ handleScroll: false, handleScale: false, timeScale: { rightOffset: 0 } })
    new ResizeObserver(() => this.#fit()).observe(this.#holder)
    this.#paint()
    onNewLight(() => this.#paint())
  }

  /** @param {string} strategy Empty for the account. */
  of(strategy) {
    if (strategy === this.#subject) return
    this.#subject = strategy
    void this.#renew()
  }

  async #renew() {
    if (this.#isAsking || document.visibilityState === 'hidden') return
    this.#isAsking = true
    const asked = [this.#subject, this.#range.value]
    const query = new URLSearchParams({ strategy: this.#subject, range: this.#range.value })
    const found = await this.#read(`/equity?${query.toString()}`).catch(() => undefined)
    this.#isAsking = false
    // The selection has changed meanwhile.
    if (asked[0] !== this.#subject || asked[1] !== this.#range.value) return void this.#renew()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (found !== undefined) this.#show(/** @type {Point[]} */ (found))
  }

  /** @param {readonly Point[]} points */
  #show(points) {
    // The chart has one point a second.
    const seconds = [...new Map(points.map((point) => [timeOf(point[0]), point])).entries()]
    const of = (/** @type {(point: Point) => string} */ value) =>
      seconds.map(([time, point]) => ({ time, value: Number(value(point)) }))
    this.#equity.setData(of(([, equity]) => equity))
    this.#drawdown.setData(of(([, , drawdown]) => `-${drawdown}`))
    this.#fit()
    this.#tell(points)
  }

  #fit() {
    this.#chart.timeScale().fitContent()
  }

  /** @param {readonly Point[]} points */
  #tell(points) {
    this.#holder.dataset['points'] = String(points.length)
    const [first, last] = [points[0], points.at(-1)]
    if (first === undefined || last === undefined) return say(part('worth-legend'), 'no data yet')
    const [name, whose] =
      this.#subject === '' ? ['the account', 'largest drawdown of a strategy'] : [this.#subject, 'drawdown']
    const change = signed(String(Number(last[1]) - Number(first[1])))
    say(part('worth-legend'), `equity of ${name} ${money(last[1])} (${change}), ${whose} ${money(last[2])}`)
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
