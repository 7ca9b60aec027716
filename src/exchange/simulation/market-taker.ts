import { bestPrice } from '#src/exchange/trading/book/book.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import { plainDraft } from '#src/exchange/trading/orders/order-draft.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { uniform } from './random.ts'
import type { MakerContext } from './maker-context.ts'
import { lotsWorth } from './market-maker.ts'

/** How far a taker order reaches into the book, as a share of the price. */
const reachShare = 0.001
/** Value of the smallest taker orders, in minimum order sizes; one in two hundred is a hundred times as large. */
const worthLeast = 20

/** Places one taker order: most are small, few are large, and the side often repeats. */
export function placeTakerOrder(context: MakerContext, now: number): void {
  const { trading, market, taker, spot, simulated } = context
  const { chance } = simulated
  const sells = uniform(chance) < 0.5 - 0.35 * simulated.herd
  simulated.herd = 0.85 * simulated.herd + (sells ? -0.15 : 0.15)
  const best = bestPrice(bookOf(trading, market), !sells)
  if (best === 0) return
  const worth = worthLeast / (uniform(chance) + 0.004)
  const ticks = Math.max(1, Math.round(best * (sells ? 1 - reachShare : 1 + reachShare)))
  const lots = lotsWorth(context, worth, best)
  const flags = spot ? flag.ioc | flag.spot : flag.ioc
  place(trading, market, taker, { ...plainDraft, sells, ticks, lots, flags }, now)
}
