import type { OrderDraft } from '#src/engine/commands.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { touchPrice } from '#src/engine/state/prices.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import { edgeAt } from '#src/engine/state/validity.ts'

/**
 * An order of the same strategy that an entry would trade with: that costs two fees and changes no position, and bulks have no
 * protection from self-trades. Exits are not checked: what closes a position at once must not wait for another order.
 */
export function ownOpposite(state: State, strategy: Strategy, draft: OrderDraft): Order | undefined {
  const { market, side, postOnly, rpi } = draft
  if (postOnly || rpi) return undefined
  const touch = touchPrice(state, strategy, market, side === 'buy' ? 'ask' : 'bid')
  const price = Number(draft.price)
  const takes = (other: number) => (side === 'buy' ? other <= price : other >= price)
  if (touch === undefined) return undefined
  edgeAt(market, touch, price)
  // Our order is in the book, so the best price is at least as good as its price.
  if (!takes(touch)) return undefined
  for (const order of openOrdersOfStrategy(state, strategy.name)) {
    const isOpposite = order.market === market && order.side !== side && !order.ioc
    if (isOpposite && order.activation === undefined && takes(Number(order.price))) return order
  }
  return undefined
}
