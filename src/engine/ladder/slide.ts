import { cutTo, Decimal, raiseTo } from '#src/core/money/decimal.ts'
import { exactly, touchPrice } from '#src/engine/state/prices.ts'
import type { LadderView } from '#src/engine/step-context.ts'
import type { Order, RungState } from '#src/engine/state/state.ts'
import { everyPrice } from '#src/engine/state/validity.ts'

/** This many post-only refusals in a row are retried at once; then the waits are 1 s, 2 s, 4 s and so on. */
const atOnce = 2
const waitMs = { first: 1000, longest: 30_000 }

type Place = Pick<LadderView, 'state' | 'compiled' | 'ladder'>

/**
 * A post-only entry was refused because it would have traded at once. With `slide` its rung is placed again behind the best
 * opposite price; with `skip` it waits until it can rest at its own price. A rung with a new price starts over.
 */
export function crossed(
  { state, compiled, ladder }: Place,
  rung: RungState,
  order: Order,
  why: string,
): void {
  const slides = compiled.strategy.submit.on_cross === 'slide' && ladder.market !== null
  const count = (order.crossings ?? 0) + 1
  const waits = count - (slides ? atOnce : 0)
  const pause = waits > 0 ? Math.min(waitMs.first * 2 ** (waits - 1), waitMs.longest) : 0
  // The refusal proves an opposite order at this price: it replaces the last quote until the next one.
  const beyond = ladder.market && slides ? onTickBehind(ladder.market, order.side, order.price) : null
  rung.crossed = { count, at: state.at, until: state.at + pause, beyond: beyond?.toFixed() ?? null, why }
}

/** The price of a rung now: its own, or behind the market if it would have traded there. */
export function placedAt(
  { state, compiled: { strategy }, ladder: { symbol, market } }: Place,
  { side, price, crossed: before }: RungState,
): string {
  if (!market || before === undefined || before.beyond === null) return price
  const touch = touchPrice(state, strategy, symbol, side === 'buy' ? 'ask' : 'bid')
  const isNewer = (state.quotes[symbol]?.at ?? 0) > before.at
  const most = isNewer ? price : before.beyond
  if (touch === undefined) return most
  everyPrice(symbol, touch)
  const behind = onTickBehind(market, side, exactly(touch))
  return (side === 'buy' ? Decimal.min(most, behind) : Decimal.max(most, behind)).toFixed()
}

/** The rung price of an order: if the rung would have traded there, the order was placed behind the market. */
export function rungPriceOf({ price, rungPrice = price }: Pick<Order, 'price' | 'rungPrice'>): string {
  return rungPrice
}

/** The nearest price at which an order of this side does not trade with an order at `price`. */
export function onTickBehind(
  { priceDigits }: { priceDigits: number },
  side: 'buy' | 'sell',
  price: Decimal | string,
): Decimal {
  const tick = new Decimal(10).pow(-priceDigits)
  const exact = new Decimal(price)
  return side === 'buy' ? cutTo(priceDigits, exact.minus(tick)) : raiseTo(priceDigits, exact.plus(tick))
}
