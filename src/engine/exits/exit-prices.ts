import type { MarketRules } from '#src/market/ladder/plan.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { Decimal, numberOf } from '#src/core/money/decimal.ts'
import { isEnough, type ExitPlace, type LadderExit } from './exit-orders.ts'
import { exactly, nearPriceOf, priceOf, touchPrice } from '#src/engine/state/prices.ts'
import type { State } from '#src/engine/state/state.ts'
import { edgeAt } from '#src/engine/state/validity.ts'

type Held = Omit<LadderExit, 'size' | 'entry' | 'touch'> & { touch: number | undefined }

/** The holding of a ladder, if the market accepts an order of that size; undefined otherwise. */
export function heldOf(place: ExitPlace): Held | undefined {
  const { state, scene, own } = place
  const { market, symbol } = place.ladder
  const { position } = own.held
  const sign = position.startsWith('-') ? (-1 as const) : (1 as const)
  const side = sign === 1 ? ('sell' as const) : ('buy' as const)
  const touch = touchPrice(state, scene.strategy, symbol, side === 'sell' ? 'bid' : 'ask')
  if (!market || isFlat(position, { symbol, market }, touch)) return undefined
  return { ...place, market, sign, side, touch }
}

/** With all digits, which mirrors do not need. */
export function ladderExitOf(held: Held): LadderExit {
  const { position, cost } = held.own.held
  const touch = held.touch === undefined ? undefined : exactly(held.touch)
  return { ...held, size: new Decimal(position).abs(), touch, entry: new Decimal(cost).div(position) }
}

/** The holding is below the minimum of the market. `exact` is the price with all digits. */
function isFlat(
  position: string,
  { symbol, market }: { symbol: string; market: MarketRules },
  price: number | undefined,
  exact: (price: number) => Decimal = exactly,
): boolean {
  if (position === '0') return true
  const most = Math.abs(Number(position)) / 2
  // Far above the minimum, the digits cannot change the answer.
  if (price !== undefined) edgeAt(symbol, price, numberOf(market.minTotal) / (2 * most))
  if (most > numberOf(market.minAmount) && most * (price ?? Infinity) > numberOf(market.minTotal))
    return false
  const size = new Decimal(position).abs()
  if (size.isZero() || size.lt(market.minAmount)) return true
  return price !== undefined && !isEnough(market, size, exact(price))
}

/** The same at the current price of the market. */
export function isFlatNow(
  state: State,
  strategy: Strategy,
  { position, ...place }: { position: string; symbol: string; market: MarketRules },
): boolean {
  const { symbol } = place
  const near = nearPriceOf(state, strategy, symbol)?.value
  return isFlat(position, place, near, (price) => priceOf(state, strategy, symbol)?.price ?? exactly(price))
}
