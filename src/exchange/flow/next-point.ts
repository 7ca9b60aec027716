import type { Book } from '../trading/book.ts'
import { bookOf } from '../trading/floor.ts'
import { safeMarks } from '../trading/safe-marks.ts'
import type { RecordedDesk } from './recorded-desk.ts'
import { firstBeyond } from './stretches.ts'

/**
 * Which point matters next: one that reaches an order that rests, lets one come that waits, or could cost somebody a
 * position. All before it change nothing but prices, so they need not be run one by one. The last point of a block
 * always counts as one that matters, so that no more than a block is looked at in advance.
 */
export function nextHit(desk: RecordedDesk, moving: ReadonlySet<number>): number {
  if (!desk.hitStale) return desk.hit
  desk.hitStale = false
  const { points, stand } = desk
  if (!points.reach(stand.next)) desk.hit = Infinity
  else {
    const [low, high] = quietUnits(desk, moving)
    const { block, first } = points
    const last = block.count - 1
    desk.hit = first + firstBeyond(block, stand.next - first, last, low, high)
  }
  return desk.hit
}

/** Nothing happens at prices above the first and below the second, in units. */
function quietUnits(desk: RecordedDesk, moving: ReadonlySet<number>): [number, number] {
  const { floor, market, perTick, fill } = desk
  const book = bookOf(floor, market)
  const touches = fill === 'through' ? 1 : 0
  const [bid, ask] = [bestOfAccounts(desk, book, false), bestOfAccounts(desk, book, true)]
  let low = bid === 0 ? 0 : bid * perTick - touches
  let high = ask === 0 ? Infinity : ask * perTick + touches
  // From here on in ticks, which are the nearest ones of units.
  let [fall, rise] = [0, Infinity]
  for (const { market: number, activation, rises } of floor.state.triggers) {
    if (number !== market.number) continue
    if (rises) rise = Math.min(rise, activation)
    else fall = Math.max(fall, activation)
  }
  const safe = safeMarks(floor, market.number, moving)
  fall = Math.max(fall, safe.low - 1)
  rise = Math.min(rise, safe.high + 1)
  low = Math.max(low, Math.ceil((fall + 0.5) * perTick) - 1)
  high = Math.min(high, Math.ceil((rise - 0.5) * perTick))
  return [low, high]
}

/** The best price of a side, the crowd's own quote left aside; 0 when there is none. */
function bestOfAccounts(
  { stand, floor }: RecordedDesk,
  { bids, asks, levels }: Book,
  sells: boolean,
): number {
  const { orders } = floor.state
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
