import { recordTrade, tradesKept, type Trade } from '#src/exchange/trades/public-trades.ts'
import { lotsOf, ticksOf, type RecordedContext } from './recorded-context.ts'
import type { RecordedReader } from './recorded-market.ts'

/** What the public sees of a recorded market: its points, as the trades that they were. */

/** Writes down what has passed since somebody read the tape last. `later` is how much later it came again. */
export function writeTape(desk: RecordedContext, later: number): void {
  const { stand, standing, tape, taping } = desk
  for (; stand.taped < stand.next && taping.reach(stand.taped); stand.taped++) {
    // Inside a line the tape has the price of the last request.
    const before = taping.block.units[stand.taped - 1 - taping.first]
    const ticks = before === undefined ? tape.last : ticksOf(desk, before)
    const trade = tradeAt(desk, taping, stand.taped, later)
    if (trade.ticks !== ticks) stand.rose = trade.ticks > ticks
    recordTrade(tape, { ...trade, takerSide: stand.rose ? 'buy' : 'sell' })
  }
  // No trade of its own is on a line, but the price moves.
  if (stand.taped !== Infinity && standing.last !== 0) tape.last = standing.last
}

/** Tells whoever listens of points that pass, the newest of them when they are many. They are in one block. */
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

/** Nobody has written down who took: a rise is taken for a purchase. */
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
