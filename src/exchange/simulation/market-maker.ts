import { flag } from '#src/exchange/trading/book/order-columns.ts'
import { plainDraft } from '#src/exchange/trading/orders/order-draft.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { cancelResting } from '#src/exchange/trading/orders/resting-orders.ts'
import { uniform } from './random.ts'
import type { MakerContext } from './maker-context.ts'
import { dropNear, levelsOf, pushFar, pushNear, quoteAt, setQuote, type MakerQuotes } from './maker-quotes.ts'

/**
 * The market maker: two orders at the touch with a spread of one to three ticks, and a ladder of levels behind them.
 * The levels stay while the price moves; the maker adds and cancels at the ends only. It trades with other orders in
 * its way, and always keeps a spread between its own orders.
 */

/** Distance between two levels, as a share of the price: 0.02 %. */
const gapShare = 0.0002
/** Value of a level, in minimum order sizes of the market; the touch is smaller. */
const worthOfLevel = 3000
const worthOfTouch = 1000

/** One side of the market maker: its quotes, the price of its touch in ticks, and the mean distance of its levels. */
type MakerSide = { quotes: MakerQuotes; sells: boolean; touch: number; gap: number }

/** Moves both sides to the fair price, which is in ticks and may have a fraction. */
export function updateQuotes(context: MakerContext, fair: number, now: number): void {
  const { bids, asks, chance, pace } = context.simulated
  const spread = 1 + Math.floor(uniform(chance) * Math.min(3, 1 + pace / 2))
  const bid = Math.max(1, Math.floor(fair - (spread - 1) / 2))
  const gap = Math.max(1, Math.round(fair * gapShare))
  // The maker cancels before it places, so that its own orders never match each other.
  const buying = { quotes: bids, sells: false, touch: bid, gap }
  const selling = { quotes: asks, sells: true, touch: bid + spread, gap }
  cancelNear(context, buying, now)
  cancelNear(context, selling, now)
  fillLevels(context, buying, now)
  fillLevels(context, selling, now)
  replaceRandomLevel(context, uniform(chance) < 0.5 ? bids : asks, now)
}

/** Cancels the orders beyond the touch and those too near behind it; drops filled ones. */
function cancelNear(context: MakerContext, side: MakerSide, now: number): void {
  const { quotes, sells, touch, gap } = side
  const { trading } = context
  const { orders } = trading.state
  while (quotes.count > 0) {
    const row = quoteAt(quotes, orders, 0)
    const behind = row === 0 ? -1 : ((orders.ticks[row] ?? 0) - touch) * (sells ? 1 : -1)
    if (behind === 0 || behind * 2 >= gap) return
    if (row !== 0) cancelResting(trading, row, 'CANCELED', now)
    dropNear(quotes)
  }
}

/** Fills the gap to the touch with levels, and keeps their number at the far end. */
function fillLevels(context: MakerContext, side: MakerSide, now: number): void {
  const { quotes, sells, touch, gap } = side
  const { trading } = context
  const { orders } = trading.state
  const levels = levelsOf(quotes)
  const away = sells ? 1 : -1
  if (quotes.count > 0) {
    const nearest = orders.ticks[quoteAt(quotes, orders, 0)] ?? 0
    // If the price has moved beyond the whole ladder, new levels replace it.
    let next = Math.min((nearest - touch) * away, levels * gap)
    for (next -= randomDistance(context, gap); next * 2 > gap; next -= randomDistance(context, gap)) {
      placeLevel(context, side, touch + away * next, worthOfLevel, now)
    }
    if (nearest !== touch) placeLevel(context, side, touch, worthOfTouch, now)
  } else placeLevel(context, side, touch, worthOfTouch, now)
  let farthest = touch
  while (quotes.count > 0) {
    const row = quoteAt(quotes, orders, quotes.count - 1)
    farthest = orders.ticks[row] ?? 0
    if (row !== 0 && quotes.count <= levels) break
    if (row !== 0) cancelResting(trading, row, 'CANCELED', now)
    quotes.count -= 1
  }
  if (quotes.count === 0) farthest = touch
  while (quotes.count < levels) {
    farthest += away * randomDistance(context, gap)
    if (farthest < 1) return
    const row = placeOrder(context, sells, farthest, worthOfLevel, now)
    if (row === 0) return
    pushFar(quotes, orders, row)
  }
}

/** A random whole number of ticks with the mean `gap`. */
function randomDistance(context: MakerContext, gap: number): number {
  return Math.max(1, Math.round(gap * (0.6 + 0.8 * uniform(context.simulated.chance))))
}

/** Replaces the order of one random level, with another amount. */
function replaceRandomLevel(context: MakerContext, quotes: MakerQuotes, now: number): void {
  const { trading, simulated } = context
  const { orders } = trading.state
  const index = Math.floor(uniform(simulated.chance) * quotes.count)
  const old = quotes.count === 0 ? 0 : quoteAt(quotes, orders, index)
  if (old === 0) return
  const ticks = orders.ticks[old] ?? 0
  const sells = orders.sells[old] === 1
  cancelResting(trading, old, 'CANCELED', now)
  setQuote(
    quotes,
    orders,
    index,
    placeOrder(context, sells, ticks, index === 0 ? worthOfTouch : worthOfLevel, now),
  )
}

function placeLevel(
  context: MakerContext,
  { quotes, sells }: MakerSide,
  ticks: number,
  worth: number,
  now: number,
): void {
  const row = placeOrder(context, sells, ticks, worth, now)
  if (row !== 0) pushNear(quotes, context.trading.state.orders, row)
}

/** Places an order; returns its row, or 0 if nothing of it rests. */
function placeOrder(
  context: MakerContext,
  sells: boolean,
  ticks: number,
  worth: number,
  now: number,
): number {
  const { trading, market, maker, spot, simulated } = context
  const lots = lotsWorth(context, worth * (0.3 + 1.4 * uniform(simulated.chance)), ticks)
  // 3 cancels the old order if the new one meets it.
  const draft = { ...plainDraft, selfTrade: 3, sells, ticks, lots, flags: spot ? flag.spot : 0 }
  const row = place(trading, market, maker, draft, now)
  return typeof row === 'number' && trading.state.orders.status[row] === 0 ? row : 0
}

/** The lots that are worth `worth` minimum order sizes. */
export function lotsWorth({ market }: MakerContext, worth: number, ticks: number): number {
  const least = Math.max(market.minLots, Math.ceil(market.minQuanta / ticks))
  return Math.max(least, Math.floor((worth * market.minQuanta) / ticks))
}
