// Draws the charts of a report. It runs in a browser as it stands, from a file, without asking anybody for anything.

/**
 * @typedef {import('../report/chart-data.ts').ReportData} ReportData
 * @typedef {import('lightweight-charts').UTCTimestamp} Time
 * @typedef {import('lightweight-charts').SeriesMarkerPrice<Time>} Marker
 */

{
  /** @type {{ LightweightCharts: typeof import('lightweight-charts') }} */
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a script of the same page has put it there
  const { LightweightCharts: library } = /** @type {any} */ (globalThis)
  /** @type {ReportData} */
  const data = JSON.parse(element('data').textContent)
  const holder = element('chart')
  const legend = element('legend')
  const times = data.at.map((at) => timeOf(at / 1000))
  const rungsToggle = element('show-rungs')
  const fillsToggle = element('show-fills')
  const holdToggle = element('show-hold')

  const chart = library.createChart(holder, {
    autoSize: true,
    layout: { attributionLogo: false, fontSize: 11 },
    timeScale: { timeVisible: true, secondsVisible: false, minBarSpacing: 0.02, rightOffset: 0 },
    crosshair: { mode: library.CrosshairMode.Normal },
    localization: { locale: 'en-GB' },
    handleScroll: { vertTouchDrag: false },
  })
  const edgePixels = 18
  const plain = { priceLineVisible: false, lastValueVisible: false }
  const candles = chart.addSeries(library.CandlestickSeries, { ...plain, priceFormat: formatOf(data.close) })
  const equity = chart.addSeries(
    library.BaselineSeries,
    { ...plain, lineWidth: 2, baseValue: { type: 'price', price: data.startEquity } },
    1,
  )
  const hold = chart.addSeries(library.LineSeries, { ...plain, lineWidth: 2 }, 1)
  const falls = fallsOf(data.equity)
  const fallDigits = Math.max(...falls.map((fall) => -(fall ?? 0)), 0) < 1 ? 3 : 2
  const drawdown = chart.addSeries(
    library.AreaSeries,
    {
      ...plain,
      lineWidth: 1,
      invertFilledArea: true,
      priceFormat: { type: 'custom', minMove: 10 ** -fallDigits, formatter: percentText },
    },
    2,
  )
  const position = chart.addSeries(
    library.LineSeries,
    { ...plain, lineWidth: 2, lineType: library.LineType.WithSteps, priceFormat: formatOf(data.position) },
    3,
  )
  candles.setData(
    times.map((time, index) => ({
      time,
      open: data.open[index] ?? 0,
      high: data.high[index] ?? 0,
      low: data.low[index] ?? 0,
      close: data.close[index] ?? 0,
    })),
  )
  equity.setData(pointsOf(data.equity))
  hold.setData(pointsOf(data.hold))
  drawdown.setData(pointsOf(falls))
  position.setData(pointsOf(data.position))
  const markers = library.createSeriesMarkers(candles, [], { autoScale: false })
  const panes = chart.panes()
  for (const [index, factor] of [5, 2, 1.2, 1.2].entries()) panes[index]?.setStretchFactor(factor)
  const titles = [
    '',
    'equity, and buy and hold',
    'drawdown',
    data.market === '' ? 'position' : `position, ${data.market}`,
  ].map((text, index) => {
    const pane = panes[index]
    return (
      pane && {
        text,
        mark: library.createTextWatermark(pane, { horzAlign: 'left', vertAlign: 'top', lines: [] }),
      }
    )
  })
  /** @type {import('lightweight-charts').IPriceLine[]} */
  let lines = []
  paint()
  showAll()
  tell(times.length - 1)

  chart.subscribeCrosshairMove(({ logical }) => {
    tell(logical === undefined ? times.length - 1 : Math.round(logical))
  })
  rungsToggle.addEventListener('change', drawRungs)
  fillsToggle.addEventListener('change', drawFills)
  holdToggle.addEventListener('change', () => hold.applyOptions({ visible: isChecked(holdToggle) }))
  element('zoom-in').addEventListener('click', () => zoom(0.7))
  element('zoom-out').addEventListener('click', () => zoom(1 / 0.7))
  element('zoom-all').addEventListener('click', showAll)
  holder.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  for (const query of ['(prefers-color-scheme: dark)', 'print'])
    matchMedia(query).addEventListener('change', paint)

  /** @type {Record<string, (() => void) | undefined>} */
  const keys = {
    ArrowLeft: () => shift(-0.1),
    ArrowRight: () => shift(0.1),
    '+': () => zoom(0.7),
    '=': () => zoom(0.7),
    '-': () => zoom(1 / 0.7),
    0: showAll,
    Home: showAll,
  }
  document.documentElement.dataset['drawn'] = 'yes'

  /** @param {string} id */
  function element(id) {
    const found = document.getElementById(id)
    if (found === null) throw new Error(`the page has no ${id}`)
    return found
  }

  /**
   * The library marks seconds as times by their type alone.
   * @param {number} seconds
   */
  function timeOf(seconds) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand that only the library's own types have
    return /** @type {Time} */ (seconds)
  }

  /** @param {HTMLElement} box */
  function isChecked(box) {
    return box instanceof HTMLInputElement && box.checked
  }

  /** @param {readonly (number | null)[]} values */
  function pointsOf(values) {
    return times.flatMap((time, index) => {
      const value = values[index] ?? null
      return value === null ? [] : [{ time, value }]
    })
  }

  /**
   * How far below its highest so far, in percent.
   * @param {readonly (number | null)[]} values
   */
  function fallsOf(values) {
    let highest = data.startEquity
    return values.map((value) => {
      if (value === null) return null
      highest = Math.max(highest, value)
      return (value / highest - 1) * 100
    })
  }

  /**
   * As many digits as these numbers need, and no more than six.
   * @param {readonly (number | null)[]} values
   */
  function formatOf(values) {
    const digits = Math.min(6, Math.max(...values.slice(0, 500).map((value) => decimalsOf(value ?? 0)), 0))
    return { type: /** @type {const} */ ('price'), precision: digits, minMove: 10 ** -digits }
  }

  /** @param {number} value */
  function decimalsOf(value) {
    return String(Number(value.toFixed(8))).split('.')[1]?.length ?? 0
  }

  /** @param {number} value */
  function percentText(value) {
    return `${value.toFixed(fallDigits)}%`
  }

  /** All colours are those of the style sheet, which knows light, dark and paper. */
  function paint() {
    const style = getComputedStyle(document.documentElement)
    const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim()
    const line = { color: colour('grid') }
    chart.applyOptions({
      layout: {
        background: { color: colour('panel') },
        textColor: colour('muted'),
        fontFamily: style.fontFamily,
        panes: { separatorColor: colour('edge'), separatorHoverColor: colour('edge') },
      },
      grid: { vertLines: line, horzLines: line },
      rightPriceScale: { borderColor: colour('edge') },
      timeScale: { borderColor: colour('edge') },
    })
    const [up, down] = [colour('candle-up'), colour('candle-down')]
    candles.applyOptions({
      upColor: up,
      downColor: down,
      wickUpColor: up,
      wickDownColor: down,
      borderVisible: false,
    })
    equity.applyOptions({
      topLineColor: colour('gain'),
      topFillColor1: colour('gain-fill'),
      topFillColor2: colour('gain-fill'),
      bottomLineColor: colour('loss'),
      bottomFillColor1: colour('loss-fill'),
      bottomFillColor2: colour('loss-fill'),
    })
    drawdown.applyOptions({
      lineColor: colour('loss'),
      topColor: colour('loss-fill'),
      bottomColor: colour('loss-fill'),
    })
    position.applyOptions({ color: colour('accent') })
    hold.applyOptions({ color: colour('hold') })
    for (const title of titles) {
      title?.mark.applyOptions({ lines: [{ text: title.text, color: colour('muted'), fontSize: 11 }] })
    }
    drawRungs()
    drawFills()
  }

  function drawRungs() {
    for (const line of lines) candles.removePriceLine(line)
    const style = getComputedStyle(document.documentElement)
    const shown = isChecked(rungsToggle) ? data.rungs : []
    lines = shown.map(({ price, side }) =>
      candles.createPriceLine({
        price,
        color: style.getPropertyValue(side === 'buy' ? '--rung-buy' : '--rung-sell').trim(),
        lineWidth: 1,
        lineStyle: library.LineStyle.Solid,
        axisLabelVisible: false,
        title: '',
      }),
    )
  }

  function drawFills() {
    const style = getComputedStyle(document.documentElement)
    const [buy, sell] = ['--buy', '--sell'].map((name) => style.getPropertyValue(name).trim())
    /** @type {Marker[]} */
    const shown = data.fills.map(({ candle, side, price }) => ({
      time: times[candle] ?? timeOf(0),
      position: side === 'buy' ? 'atPriceBottom' : 'atPriceTop',
      shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
      color: (side === 'buy' ? buy : sell) ?? '',
      price,
      size: 0.6,
    }))
    markers.setMarkers(isChecked(fillsToggle) ? shown : [])
  }

  function showAll() {
    if (times.length === 0) return
    // Room for the first and the last label of the axis, which stand in the middle of their candles.
    const room = (times.length * edgePixels) / Math.max(holder.clientWidth, 100)
    chart.timeScale().setVisibleLogicalRange({ from: -room, to: times.length - 1 + room })
  }

  /** @param {number} factor */
  function zoom(factor) {
    const range = chart.timeScale().getVisibleLogicalRange()
    if (range === null) return
    const middle = (range.from + range.to) / 2
    const half = Math.max(((range.to - range.from) / 2) * factor, 3)
    chart.timeScale().setVisibleLogicalRange({ from: middle - half, to: middle + half })
  }

  /** @param {number} share */
  function shift(share) {
    const range = chart.timeScale().getVisibleLogicalRange()
    if (range === null) return
    const by = (range.to - range.from) * share
    chart.timeScale().setVisibleLogicalRange({ from: range.from + by, to: range.to + by })
  }

  /**
   * What stands under the crosshair, or at the end, in words.
   * @param {number} index
   */
  function tell(index) {
    const at = data.at[index]
    if (at === undefined) return
    const priceOf = (/** @type {readonly number[]} */ values) =>
      candles.priceFormatter().format(values[index] ?? 0)
    const here = data.fills.filter(({ candle }) => candle === index)
    const count = (/** @type {string} */ side) =>
      here.reduce((sum, fill) => sum + (fill.side === side ? fill.count : 0), 0)
    const [buys, sells] = [count('buy'), count('sell')]
    /** @type {[string, string][]} */
    const said = [
      ['', new Date(at).toISOString().slice(0, 16).replace('T', ' ')],
      ['open', priceOf(data.open)],
      ['high', priceOf(data.high)],
      ['low', priceOf(data.low)],
      ['close', priceOf(data.close)],
      ['equity', data.equity[index]?.toFixed(2) ?? '-'],
      ['buy and hold', data.hold[index]?.toFixed(2) ?? '-'],
      ['drawdown', percentText(falls[index] ?? 0)],
      ['position', position.priceFormatter().format(data.position[index] ?? 0)],
      ['fills', buys + sells === 0 ? 'none' : `${buys} bought, ${sells} sold`],
    ]
    legend.replaceChildren(
      ...said.map(([name, text]) => {
        const item = document.createElement('span')
        const value = document.createElement('b')
        value.textContent = text
        item.append(name === '' ? '' : `${name} `, value)
        return item
      }),
    )
  }
}
