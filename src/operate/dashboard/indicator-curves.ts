import { nextCandleStart } from '#src/market/candles/candle-times.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { addCandle, beginReadings, keyOf, type Wanted } from '#src/market/indicators/indicator-values.ts'
import type { IndicatorName } from '#src/market/indicators/indicator-table.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { ChartCandle } from './candles.ts'

/** Curves of one pane share a scale. */
const panes = {
  sma: 'price',
  ema: 'price',
  bb_upper: 'price',
  bb_lower: 'price',
  highest: 'price',
  lowest: 'price',
  vwap: 'price',
  vwap_upper: 'price',
  vwap_lower: 'price',
  stoch: 'stoch',
  adx: 'adx',
  plus_di: 'adx',
  minus_di: 'adx',
  rsi: 'rsi',
  atr: 'atr',
  stddev: 'stddev',
  macd: 'macd',
  macd_signal: 'macd',
} as const satisfies Record<IndicatorName, string>

/** An indicator of a strategy, as at the end of each candle of the chart. Not a basis for orders, so plain numbers. */
export type Curve = {
  /** As in the strategy file. */
  title: string
  pane: (typeof panes)[IndicatorName]
  /** Without the candles for which it is unknown. */
  points: [at: number, value: number][]
}

export type ChartedFeed = {
  name: string
  interval: CandleInterval
  wanted: readonly Wanted[]
}

/** The candle feeds of a market whose indicators the strategy reads. */
export function chartedFeeds({ feeds, programs }: Compiled, market: string): ChartedFeed[] {
  return feeds.flatMap(({ name, symbol, interval }) => {
    const wanted = programs.wanted.get(name) ?? []
    return symbol !== market || interval === null || wanted.length === 0 ? [] : [{ name, interval, wanted }]
  })
}

type Chart = { interval: CandleInterval; candles: readonly ChartCandle[]; now: number }

/** The intervals of feed and chart may differ: a closed candle of the feed counts from its end, until the next one ends. */
export function curvesOf(feed: ChartedFeed, feedCandles: readonly ChartCandle[], chart: Chart): Curve[] {
  const curves = new Map<string, Curve>()
  for (const { name, parameters } of feed.wanted) {
    const title = `${name}(${[feed.name, ...parameters].join(', ')})`
    curves.set(keyOf(name, parameters), { title, pane: panes[name], points: [] })
  }
  const readings = beginReadings(feed.wanted)
  let next = 0
  for (const { at } of chart.candles) {
    const end = Math.min(chart.now, nextCandleStart(chart.interval, at))
    for (; next < feedCandles.length; next += 1) {
      const candle = feedCandles[next]
      if (candle === undefined || nextCandleStart(feed.interval, candle.at) > end) break
      const { open, high, low, close, volume = '0' } = candle
      addCandle(readings, {
        open: Number(open),
        high: Number(high),
        low: Number(low),
        close: Number(close),
        volume: Number(volume),
      })
    }
    for (const [key, { points }] of curves) {
      const value = readings.running[key]?.now ?? null
      if (value !== null) points.push([at, value])
    }
  }
  return [...curves.values()]
}
