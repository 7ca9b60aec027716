import type { CandlesWanted } from '#src/runtime/feeds/candle-feed.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { Feeds, FeedsWanted } from '#src/runtime/feeds/feeds.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { tradeGapMs } from '#src/market/data/points.ts'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { CandleBuilder } from './candle-builder.ts'
import type { ChartCandles } from '#src/research/backtest/measures/chart-candles.ts'
import { MarketCursor } from './market-cursor.ts'
import type { BacktestMarket } from './loop-parts.ts'

/** A market at the start of the bot: earlier points have passed, and their candles are kept. */
export type Opened = BacktestMarket & { before: NewEvent[] }

export function openPlace(about: {
  symbol: string
  market: HistoricalMarket
  from: number
  wanted: FeedsWanted
  tick: number
  isRead: boolean
  /** Another reader of the same blocks. */
  chart: ChartCandles | undefined
}): Opened {
  const { symbol, market, from, wanted, tick, isRead, chart } = about
  const own = wanted.candles.filter((each) => each.market === symbol)
  for (const { interval } of own) refuseFiner(symbol, interval, market)
  // As gaps are counted where the file is read.
  const patienceMs = market.seen?.gaps === 0 ? Infinity : (market.barMs ?? tradeGapMs)
  const blocks = chart ? chart.watching(market.blocks()) : market.blocks()
  const course = new MarketCursor({ blocks, kind: market.kind, tick, patienceMs })
  const candles = new CandleBuilder(course, own)
  const before: NewEvent[] = []
  while (candles.closesAt <= from) before.push(...candles.close())
  course.pass(from + 1)
  const known = own.flatMap((each) => lastOf(each, before))
  return { symbol, course, candles, tick, isRead, before: known }
}

/** The price path within a bar is unknown. */
function refuseFiner(
  symbol: string,
  interval: CandlesWanted['interval'],
  { kind, barMs }: HistoricalMarket,
): void {
  if (kind === 'trades' || barMs === undefined || candleIntervals[interval] % barMs === 0) return
  throw new BotError('MARKET_INVALID', {
    seen: `the strategy reads candles of ${interval} of ${symbol}, and the bars of its file are ${barMs / 1000} s long`,
    fix: `Use a file of trades, or of bars whose length divides ${interval}`,
  })
}

function lastOf({ interval, count }: CandlesWanted, candles: readonly NewEvent[]): NewEvent[] {
  return candles.filter((candle) => candle.kind === 'candle' && candle.interval === interval).slice(-count)
}

/** Past candles first; the loop emits the later ones. */
export function historicalFeeds(places: readonly Opened[], tell: (event: NewEvent) => void): Feeds {
  return {
    start: async () => {
      for (const { before } of places) for (const candle of before) tell(candle)
    },
    tick: () => {},
    forget: () => {},
    close: async () => {},
  }
}
