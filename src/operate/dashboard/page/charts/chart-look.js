// Common parts of all charts: the library, and the colours of the style sheet.

/**
 * @typedef {import('lightweight-charts').UTCTimestamp} Time
 * @typedef {import('lightweight-charts').IChartApi} Chart
 */

/** @type {{ LightweightCharts: typeof import('lightweight-charts') }} */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const { LightweightCharts: library } = /** @type {any} */ (globalThis)

/** @param {HTMLElement} holder */
export function chartIn(holder) {
  const chart = library.createChart(holder, {
    autoSize: true,
    // The library's logo needs a style sheet that the content policy refuses; the footer names the library.
    layout: { attributionLogo: false, fontSize: 11 },
    timeScale: { timeVisible: true, secondsVisible: false, rightOffset: 4, minBarSpacing: 0.05 },
    crosshair: { mode: library.CrosshairMode.Normal },
    localization: { locale: 'en-GB' },
    handleScroll: { vertTouchDrag: false },
    kineticScroll: { touch: !matchMedia('(prefers-reduced-motion: reduce)').matches },
  })
  return chart
}

/** @param {string} name */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}

/** @param {Chart} chart */
export function dressChart(chart) {
  const line = { color: colour('grid') }
  chart.applyOptions({
    layout: {
      background: { color: colour('panel') },
      textColor: colour('muted'),
      fontFamily: getComputedStyle(document.documentElement).fontFamily,
      panes: { separatorColor: colour('edge'), separatorHoverColor: colour('edge') },
    },
    grid: { vertLines: line, horzLines: line },
    rightPriceScale: { borderColor: colour('edge') },
    timeScale: { borderColor: colour('edge') },
  })
}

/** @param {() => void} paint */
export function onNewLight(paint) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)
}

/**
 * The library marks seconds as times by their type alone.
 * @param {number} ms
 */
export function timeOf(ms) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return /** @type {Time} */ (Math.floor(ms / 1000))
}

/**
 * As many digits as a price is written with.
 * @param {readonly string[]} prices
 */
export function formatOf(prices) {
  const digits = Math.min(8, Math.max(0, ...prices.map((price) => price.split('.')[1]?.length ?? 0)))
  return { type: /** @type {const} */ ('price'), precision: digits, minMove: 10 ** -digits }
}
