import { recordTrade, tradesKept, type Trade } from '#src/exchange/trades/public-trades.ts'
import { lotsOf, ticksOf, type RecordedContext } from './recorded-context.ts'
import type { RecordedReader } from './recorded-market.ts'

/** The public trades of a recorded market: its points. */

/** Writes the points that have passed since the last call. `later` is the shift of their times. */
export function writeTape(desk: RecordedContext, later: number): void {
  const { stand, standing, tape, taping } = desk
  for (; stand.taped < stand.next && taping.reach(stand.taped); stand.taped++) {
    // Inside a line the public trades have the price of the last request.
    const before = taping.block.units[stand.taped - 1 - taping.first]
    const ticks = before === undefined ? tape.last : ticksOf(desk, before)
    const trade = tradeAt(desk, taping, stand.taped, later)
    if (trade.ticks !== ticks) stand.rose = trade.ticks > ticks
    recordTrade(tape, { ...trade, takerSide: stand.rose ? 'buy' : 'sell' })
  }
  // The price moves along a line without trades of its own.
  if (stand.taped !== Infinity && standing.last !== 0) tape.last = standing.last
}

/** Emits the passed points to the streams, only the newest if there are many. All are in one block. */
export function tellPoints(desk: RecordedContext, until: number, later: number): void {
  const { trading, market, stand, points } = desk
  if (trading.tell?.passed === undefined) return
  let { last } = desk.standing
  for (let point = Math.max(stand.next, until - tradesKept); point < until; point++) {
    const trade = tradeAt(desk, points, point, later)
    trading.tell.passed?.(market, { ...trade, takerSide: trade.ticks > last ? 'buy' : 'sell' })
    last = trade.ticks
  }
}

/** The data does not record the taker's side: a higher price counts as a buy. */
function tradeAt(
  desk: RecordedContext,
  { block, first }: RecordedReader,
  point: number,
  later: number,
): Omit<Trade, 'takerSide'> {
  const index = point - first
  const amount = block.amounts[index] ?? 0
  return {
    id: point + 1,
    at: (block.at[index] ?? 0) + later,
    ticks: ticksOf(desk, block.units[index] ?? 0),
    lots: amount === Infinity ? 0 : lotsOf(desk, amount),
    rpi: false,
  }
}
