import { firstAt } from '#src/research/backtest/loop/market-cursor.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'

/** The data of a page's charts: columns, with a row for each candle. */
export type ReportData = {
  market: string
  startEquity: number
  at: number[]
  open: number[]
  high: number[]
  low: number[]
  close: number[]
  /** Null before the first mark. */
  equity: (number | null)[]
  position: (number | null)[]
  /** Equity of buying and holding; all null in a result of an older version. */
  hold: (number | null)[]
  rungs: { price: number; side: string }[]
  /** One marker for all fills of a side at a price within a candle. */
  fills: { candle: number; side: 'buy' | 'sell'; price: number; count: number }[]
}

/** More lines would be unreadable. */
const linesMax = 120
/** Beyond this number, all fills of a side within a candle are one marker, at their mean price. */
const markersMax = 4000

export function reportDataOf({ summary, candles, equity, rungs, fills, market }: BacktestResult): ReportData {
  const at = candles.map((candle) => candle.at)
  // Moments before the first candle are drawn with it.
  const candleOf = (time: number) => Math.max(firstAt(at, 0, at.length, Math.floor(time) + 1) - 1, 0)
  // A mark belongs to the candle that it closes.
  const none = at.map((): number | null => null)
  const marks = { equity: none.slice(), position: none.slice(), hold: none.slice() }
  for (const [index, time] of equity.at.entries()) {
    const candle = candleOf(time - 1)
    marks.equity[candle] = equity.value[index] ?? null
    marks.position[candle] = equity.position[index] ?? null
    marks.hold[candle] = equity.hold?.[index] ?? null
  }
  const symbol = market[0]?.symbol ?? ''
  const shown = fills.filter((fill) => fill.market === symbol)
  return {
    market: symbol,
    startEquity: Number(summary.startEquity),
    at,
    open: candles.map((candle) => candle.open),
    high: candles.map((candle) => candle.high),
    low: candles.map((candle) => candle.low),
    close: candles.map((candle) => candle.close),
    equity: carried(marks.equity),
    position: carried(marks.position),
    hold: carried(marks.hold),
    rungs: linesOf(rungs),
    fills: markersOf(shown, candleOf),
  }
}

function carried(values: readonly (number | null)[]): (number | null)[] {
  let last: number | null = null
  return values.map((value) => (last = value ?? last))
}

function linesOf(rungs: BacktestResult['rungs']): ReportData['rungs'] {
  const lines = new Map<string, { price: number; side: string }>()
  for (const { price, side } of rungs) {
    if (lines.size < linesMax) lines.set(`${price} ${side}`, { price: Number(price), side })
  }
  return [...lines.values()]
}

function markersOf(fills: BacktestResult['fills'], candleOf: (time: number) => number): ReportData['fills'] {
  const exact = gathered(fills, candleOf, ({ price }) => price)
  return exact.length <= markersMax ? exact : gathered(fills, candleOf, () => '')
}

function gathered(
  fills: BacktestResult['fills'],
  candleOf: (time: number) => number,
  keyOf: (fill: BacktestResult['fills'][number]) => string,
): ReportData['fills'] {
  const markers = new Map<string, ReportData['fills'][number]>()
  for (const fill of fills) {
    const candle = candleOf(fill.at)
    const key = `${candle} ${fill.side} ${keyOf(fill)}`
    const marker = markers.get(key) ?? { candle, side: fill.side, price: 0, count: 0 }
    marker.price += (Number(fill.price) - marker.price) / (marker.count + 1)
    marker.count += 1
    markers.set(key, marker)
  }
  return [...markers.values()].sort((a, b) => a.candle - b.candle)
}
