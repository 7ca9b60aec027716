import { recordTrade, tradesKept, type Trade } from '#src/exchange/trades/public-trades.ts'
import { lotsOf, ticksOf, type RecordedContext } from './recorded-context.ts'
import type { RecordedReader } from './recorded-market.ts'

/** The public trades of a recorded market: its points. */

/** Writes the points that have passed since the last call. `later` is the shift of their times. */
export function writePublicTrades(context: RecordedContext, later: number): void {
  const { progress, marketState, publicTrades, tradesReader } = context
  for (; progress.taped < progress.next && tradesReader.reach(progress.taped); progress.taped++) {
    // Inside a line the public trades have the price of the last request.
    const before = tradesReader.block.units[progress.taped - 1 - tradesReader.first]
    const ticks = before === undefined ? publicTrades.last : ticksOf(context, before)
    const trade = tradeAt(context, tradesReader, progress.taped, later)
    if (trade.ticks !== ticks) progress.rose = trade.ticks > ticks
    recordTrade(publicTrades, { ...trade, takerSide: progress.rose ? 'buy' : 'sell' })
  }
  // The price moves along a line without trades of its own.
  if (progress.taped !== Infinity && marketState.last !== 0) publicTrades.last = marketState.last
}

/** Emits the passed points to the streams, only the newest if there are many. All are in one block. */
export function emitPoints(context: RecordedContext, until: number, later: number): void {
  const { trading, market, progress, points } = context
  if (trading.listener?.passed === undefined) return
  let { last } = context.marketState
  for (let point = Math.max(progress.next, until - tradesKept); point < until; point++) {
    const trade = tradeAt(context, points, point, later)
    trading.listener.passed?.(market, { ...trade, takerSide: trade.ticks > last ? 'buy' : 'sell' })
    last = trade.ticks
  }
}

/** The data does not record the taker's side: a higher price counts as a buy. */
function tradeAt(
  context: RecordedContext,
  { block, first }: RecordedReader,
  point: number,
  later: number,
): Omit<Trade, 'takerSide'> {
  const index = point - first
  const amount = block.amounts[index] ?? 0
  return {
    id: point + 1,
    at: (block.at[index] ?? 0) + later,
    ticks: ticksOf(context, block.units[index] ?? 0),
    lots: amount === Infinity ? 0 : lotsOf(context, amount),
    rpi: false,
  }
}
