import type { OrderBook } from '#src/exchange/trading/book/book.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import { safeMarks } from '#src/exchange/trading/positions/liquidation-free-band.ts'
import { isLineTo, isOutside, leavesLineAt, type Inside } from './price-lines.ts'
import { lotsLeft, type RecordedContext } from './recorded-context.ts'
import { firstBeyond } from './price-extremes.ts'

/**
 * The time of the next event, in the time of the file: the price reaches a resting order, activates a waiting one, or
 * could liquidate a position. All points before it change prices only, so they need not be run. The last point of a
 * block always counts, so that the search reads one block ahead at most.
 */
export function nextHit(context: RecordedContext, moving: ReadonlySet<number>): number {
  if (!context.hitStale) return context.hitAt
  context.hitStale = false
  if (context.points.reach(context.progress.next)) search(context, moving)
  else context.hitAt = Infinity
  return context.hitAt
}

function search(context: RecordedContext, moving: ReadonlySet<number>): void {
  const { progress, fill } = context
  const { block, first } = context.points
  const marks = quietMarks(context, moving)
  const onLines = within(marks, quietOrders(context, fill === 'touch' ? 0 : 1))
  const atPoints = within(marks, quietOrders(context, fill === 'through' ? 1 : 0))
  const last = block.count - 1
  let place = progress.next - first
  if (lotsLeft(context) < 1) {
    // Orders that were reached but got no fill wait for the next line.
    if (isFound(context, place, marks, marks)) return
    place = Math.min(place + 1, last)
  }
  // A line that begins outside the band may end inside.
  if (isFound(context, place, onLines, atPoints)) return
  place = firstBeyond(block, place, last, ...atPoints)
  if (isFound(context, place, onLines, atPoints)) return
  context.hit = first + place
  context.hitAt = block.at[place] ?? 0
}

/** Whether an event happens on the line to this place or at its end; stores its time. */
function isFound(context: RecordedContext, place: number, onLine: Inside, atPoint: Inside): boolean {
  const { block, first } = context.points
  let at = isLineTo(context.kind, place) ? leavesLineAt(block, place, context.passedTo + 1, onLine) : Infinity
  if (at === Infinity && isOutside(block.units[place] ?? 0, atPoint)) at = block.at[place] ?? 0
  if (at === Infinity) return false
  context.hit = first + place
  context.hitAt = at
  return true
}

function within([low, high]: Inside, [otherLow, otherHigh]: Inside): Inside {
  return [Math.max(low, otherLow), Math.min(high, otherHigh)]
}

/** The price band in which no resting order fills; an order fills `beyond` units beyond its price. */
function quietOrders(context: RecordedContext, beyond: number): Inside {
  const book = bookOf(context.trading, context.market)
  const [bid, ask] = [bestOfAccounts(context, book, false), bestOfAccounts(context, book, true)]
  return [
    bid === 0 ? 0 : bid * context.perTick - beyond,
    ask === 0 ? Infinity : ask * context.perTick + beyond,
  ]
}

/**
 * The price band in which no waiting order activates and no account is liquidated. The band is in ticks, of which each
 * stands for the units nearest to it.
 */
function quietMarks({ trading, market, perTick }: RecordedContext, moving: ReadonlySet<number>): Inside {
  let [fall, rise] = [0, Infinity]
  for (const { market: number, activation, rises } of trading.state.triggers) {
    if (number !== market.number) continue
    if (rises) rise = Math.min(rise, activation)
    else fall = Math.max(fall, activation)
  }
  const safe = safeMarks(trading, market.number, moving)
  fall = Math.max(fall, safe.low - 1)
  rise = Math.min(rise, safe.high + 1)
  return [Math.ceil((fall + 0.5) * perTick) - 1, Math.ceil((rise - 0.5) * perTick)]
}

/** The best price of a side without the crowd's own quote; 0 if there is none. */
function bestOfAccounts(
  { progress, trading }: RecordedContext,
  { bids, asks, levels }: OrderBook,
  sells: boolean,
): number {
  const { orders } = trading.state
  const { prices, levelAt } = sells ? asks : bids
  const { row, id } = sells ? progress.ask : progress.bid
  for (let index = prices.length - 1; index >= 0; index--) {
    const ticks = prices[index] ?? 0
    const level = levelAt.get(ticks) ?? 0
    const alone =
      levels.openFirst[level] === row && levels.openLast[level] === row && levels.rpiFirst[level] === 0
    if (!alone || orders.id[row] !== id) return ticks
  }
  return 0
}
