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
export function nextHit(desk: RecordedContext, moving: ReadonlySet<number>): number {
  if (!desk.hitStale) return desk.hitAt
  desk.hitStale = false
  if (desk.points.reach(desk.stand.next)) search(desk, moving)
  else desk.hitAt = Infinity
  return desk.hitAt
}

function search(desk: RecordedContext, moving: ReadonlySet<number>): void {
  const { stand, fill } = desk
  const { block, first } = desk.points
  const marks = quietMarks(desk, moving)
  const onLines = within(marks, quietOrders(desk, fill === 'touch' ? 0 : 1))
  const atPoints = within(marks, quietOrders(desk, fill === 'through' ? 1 : 0))
  const last = block.count - 1
  let place = stand.next - first
  if (lotsLeft(desk) < 1) {
    // Orders that were reached but got no fill wait for the next line.
    if (isFound(desk, place, marks, marks)) return
    place = Math.min(place + 1, last)
  }
  // A line that begins outside the band may end inside.
  if (isFound(desk, place, onLines, atPoints)) return
  place = firstBeyond(block, place, last, ...atPoints)
  if (isFound(desk, place, onLines, atPoints)) return
  desk.hit = first + place
  desk.hitAt = block.at[place] ?? 0
}

/** Whether an event happens on the line to this place or at its end; stores its time. */
function isFound(desk: RecordedContext, place: number, onLine: Inside, atPoint: Inside): boolean {
  const { block, first } = desk.points
  let at = isLineTo(desk.kind, place) ? leavesLineAt(block, place, desk.passedTo + 1, onLine) : Infinity
  if (at === Infinity && isOutside(block.units[place] ?? 0, atPoint)) at = block.at[place] ?? 0
  if (at === Infinity) return false
  desk.hit = first + place
  desk.hitAt = at
  return true
}

function within([low, high]: Inside, [otherLow, otherHigh]: Inside): Inside {
  return [Math.max(low, otherLow), Math.min(high, otherHigh)]
}

/** The price band in which no resting order fills; an order fills `beyond` units beyond its price. */
function quietOrders(desk: RecordedContext, beyond: number): Inside {
  const book = bookOf(desk.trading, desk.market)
  const [bid, ask] = [bestOfAccounts(desk, book, false), bestOfAccounts(desk, book, true)]
  return [bid === 0 ? 0 : bid * desk.perTick - beyond, ask === 0 ? Infinity : ask * desk.perTick + beyond]
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
  { stand, trading }: RecordedContext,
  { bids, asks, levels }: OrderBook,
  sells: boolean,
): number {
  const { orders } = trading.state
  const { prices, levelAt } = sells ? asks : bids
  const { row, id } = sells ? stand.ask : stand.bid
  for (let index = prices.length - 1; index >= 0; index--) {
    const ticks = prices[index] ?? 0
    const level = levelAt.get(ticks) ?? 0
    const alone =
      levels.openFirst[level] === row && levels.openLast[level] === row && levels.rpiFirst[level] === 0
    if (!alone || orders.id[row] !== id) return ticks
  }
  return 0
}
