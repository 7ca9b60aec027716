// Candles of one market, with resting rungs as lines, fills as marks, and the indicators of a strategy.

import { IndicatorLines } from './indicator-lines.js'
import { PriceLevels } from './price-levels.js'
import { chartIn, colour, dressChart, formatOf, library, onNewLight, timeOf } from './chart-look.js'
import { made, part, say } from '../page-parts.js'
import { counted, plain, rounded } from '../text.js'

/**
 * @typedef {{ at: number, open: string, high: string, low: string, close: string, volume?: string }} Candle
 * @typedef {{ at: number, side: 'buy' | 'sell', price: string }} Fill
 * @typedef {import('../tables.js').RowOf<'rungs'>} Rung
 * @typedef {import('./price-levels.js').Level} Level
 * @typedef {import('./indicator-lines.js').Curve} Curve
 */

/** More lines would be unreadable. */
const linesMax = 200
const fillsMax = 500

export class MarketChart {
  #holder = part('candles')
  #chart = chartIn(this.#holder)
  #series = this.#chart.addSeries(library.CandlestickSeries, {
    priceLineVisible: true,
    lastValueVisible: true,
  })
  #volume = this.#chart.addSeries(library.HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    priceLineVisible: false,
    lastValueVisible: false,
  })
  #levels = new PriceLevels(this.#series)
  #lines = new PriceLevels(this.#series)
  #indicators = new IndicatorLines(this.#chart, this.#holder)
  #markers = library.createSeriesMarkers(this.#series, [], { autoScale: false })
  /** @type {Candle[]} */
  #candles = []
  #barMs = 60_000
  #digits = -1
  /** @type {number | undefined} */
  #under
  /** @type {readonly Fill[]} */
  #fills = []
  /** @type {readonly Rung[]} */
  #rungs = []

  /** @type {HTMLElement[]} */
  #said = ['', 'open ', 'high ', 'low ', 'close ', 'volume ', ''].map((name) => {
    const value = made('b', '')
    part('legend').append(made('span', '', name, value))
    return value
  })

  #onNewBar

  /** @param {() => void} onNewBar Called after a candle closes, to load the exact one from the venue. */
  constructor(onNewBar) {
    this.#onNewBar = onNewBar
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } })
    this.#series.priceScale().applyOptions({ scaleMargins: { top: 0.06, bottom: 0.18 } })
    this.#paint()
    onNewLight(() => this.#paint())
    this.#chart.subscribeCrosshairMove(({ time }) => {
      this.#under = typeof time === 'number' ? time : undefined
      this.#tell()
    })
    for (const id of ['show-rungs', 'show-fills']) {
      part(id).addEventListener('change', () => {
        this.#drawRungs()
        this.#drawFills()
      })
    }
    part('newest').addEventListener('click', () => this.#newest())
    this.#holder.addEventListener('keydown', (event) => this.#key(event))
  }

  /**
   * @param {Candle[]} candles
   * @param {number} barMs
   * @param {boolean} isOther Another market or interval than before.
   */
  begin(candles, barMs, isOther) {
    this.#candles = candles
    this.#barMs = barMs
    if (isOther) this.#digits = -1
    this.#write(candles.slice(-500).flatMap(({ open, close }) => [open, close]))
    this.#series.setData(candles.map(barOf))
    this.#drawVolume()
    if (isOther) this.#newest()
    this.#drawFills()
    this.#tell()
  }

  /** @param {readonly Curve[]} curves At the candles that the chart began with. */
  curves(curves) {
    this.#indicators.show(curves)
  }

  /**
   * Adds the last price to the last candle, or begins the next one.
   * @param {number} at
   * @param {string} price
   */
  price(at, price) {
    const opened = Math.floor(at / this.#barMs) * this.#barMs
    const last = this.#candles.at(-1)
    if (last !== undefined && opened < last.at) return
    if (last === undefined || opened > last.at) {
      this.#candles.push({ at: opened, open: price, high: price, low: price, close: price })
      this.#drawFills()
      this.#onNewBar()
    } else {
      last.close = price
      if (Number(price) > Number(last.high)) last.high = price
      if (Number(price) < Number(last.low)) last.low = price
    }
    const now = this.#candles.at(-1)
    this.#write([price])
    if (now !== undefined) this.#series.update(barOf(now))
    this.#tell()
  }

  /**
   * Uses the maximum number of digits so far.
   * @param {readonly string[]} prices
   */
  #write(prices) {
    const format = formatOf(prices)
    if (format.precision <= this.#digits) return
    this.#digits = format.precision
    this.#series.applyOptions({ priceFormat: format })
  }

  /** @param {readonly Rung[]} rungs */
  rungs(rungs) {
    this.#rungs = rungs
    this.#drawRungs()
  }

  /** @param {readonly Level[]} levels */
  levels(levels) {
    this.#holder.dataset['levels'] = String(this.#levels.show(levels))
  }

  #drawVolume() {
    const [up, down] = [colour('volume-up'), colour('volume-down')]
    this.#volume.setData(
      this.#candles.flatMap(({ at, open, close, volume }) =>
        volume === undefined
          ? []
          : [{ time: timeOf(at), value: Number(volume), color: Number(close) < Number(open) ? down : up }],
      ),
    )
  }

  /** @param {readonly Fill[]} fills */
  fills(fills) {
    this.#fills = fills.slice(-fillsMax)
    this.#drawFills()
  }

  #drawRungs() {
    const shown = isChecked('show-rungs')
      ? this.#rungs.filter(({ state, price }) => state !== 'filled' && Number(price) > 0)
      : []
    const last = Number(this.#candles.at(-1)?.close ?? shown[0]?.price ?? 0)
    const away = (/** @type {Rung} */ { price }) => Math.abs(Number(price) - last)
    const nearest =
      shown.length <= linesMax
        ? shown
        : [...shown].sort((one, other) => away(one) - away(other)).slice(0, linesMax)
    this.#holder.dataset['lines'] = String(this.#lines.show(nearest.map(levelOf)))
  }

  #drawFills() {
    const first = this.#candles[0]?.at ?? Infinity
    const newest = this.#candles.at(-1)?.at ?? 0
    const shown = isChecked('show-fills') ? this.#fills.filter(({ at }) => at >= first) : []
    this.#markers.setMarkers(
      shown.map(({ at, side, price }) => ({
        time: timeOf(Math.min(newest, Math.floor(at / this.#barMs) * this.#barMs)),
        position: side === 'buy' ? 'atPriceBottom' : 'atPriceTop',
        shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: colour(side),
        price: Number(price),
        size: 0.6,
      })),
    )
    this.#holder.dataset['fills'] = String(shown.length)
  }

  #paint() {
    dressChart(this.#chart)
    const [up, down] = [colour('candle-up'), colour('candle-down')]
    this.#series.applyOptions({
      upColor: up,
      downColor: down,
      wickUpColor: up,
      wickDownColor: down,
      borderVisible: false,
      priceLineColor: colour('muted'),
    })
    this.#levels.paint()
    this.#lines.paint()
    this.#indicators.draw()
    this.#drawVolume()
    this.#drawRungs()
    this.#drawFills()
  }

  #newest() {
    const bars = Math.max(30, Math.floor(this.#holder.clientWidth / 7))
    const end = this.#candles.length + 3
    this.#chart.timeScale().setVisibleLogicalRange({ from: end - bars, to: end })
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const range = this.#chart.timeScale().getVisibleLogicalRange()
    if (range === null) return
    const { from, to } = range
    const [width, middle] = [to - from, (from + to) / 2]
    /** @type {Record<string, [number, number] | undefined>} */
    const places = {
      ArrowLeft: [from - width / 10, to - width / 10],
      ArrowRight: [from + width / 10, to + width / 10],
      '+': [middle - width * 0.35, middle + width * 0.35],
      '=': [middle - width * 0.35, middle + width * 0.35],
      '-': [middle - width / 1.4, middle + width / 1.4],
    }
    const place = places[event.key]
    if (place === undefined && event.key !== '0') return
    event.preventDefault()
    if (place === undefined) this.#newest()
    else this.#chart.timeScale().setVisibleLogicalRange({ from: place[0], to: place[1] })
  }

  /** Values under the crosshair, or of the last candle, as text. */
  #tell() {
    const under = this.#under
    const candle =
      under === undefined ? this.#candles.at(-1) : this.#candles.find(({ at }) => timeOf(at) === under)
    if (candle === undefined) return
    this.#indicators.tell(under === undefined ? undefined : candle.at)
    const { at, open, high, low, close, volume } = candle
    const here = this.#fills.filter((fill) => fill.at >= at && fill.at < at + this.#barMs).length
    const said = [
      new Date(at).toISOString().slice(0, 16).replace('T', ' '),
      open,
      high,
      low,
      close,
      volume === undefined ? '–' : plain(rounded(volume)),
      here === 0 ? '' : counted(here, 'fill'),
    ]
    for (const [index, text] of said.entries()) {
      const place = this.#said[index]
      if (place) say(place, text)
    }
  }
}

/** @param {Candle} candle */
function barOf({ at, open, high, low, close }) {
  return { time: timeOf(at), open: Number(open), high: Number(high), low: Number(low), close: Number(close) }
}

/**
 * @param {Rung} rung
 * @returns {Level}
 */
function levelOf({ price, side, state }) {
  const tone = state === 'doubtful' ? 'doubt' : side === 'buy' ? 'rung-buy' : 'rung-sell'
  const style = state === 'resting' ? 'Solid' : 'SparseDotted'
  return { price, text: '', tone, style, width: state === 'doubtful' ? 2 : 1 }
}

/** @param {string} id */
function isChecked(id) {
  return part(id, HTMLInputElement).checked
}
