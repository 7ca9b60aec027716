import { Decimal } from '#src/core/money/decimal.ts'
import { stepOf } from '#src/strategy/check/rungs.ts'
import { onTickBehind } from '#src/engine/ladder/slide.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import { exactly, touchPrice } from '#src/engine/state/prices.ts'
import type { Order } from '#src/engine/state/state.ts'
import { evaluateAgain, everyPrice, reached } from '#src/engine/state/validity.ts'
import { aliveOf, cancelExit, isEnough, onTick, type Exits, type LadderExit } from './exit-orders.ts'
import { isPosting } from './kinds/close.ts'
import type { Part } from './kinds/exit-kind.ts'
import { offer } from './submit-exits.ts'

/**
 * Offers a part of the position by one order that rests at the best price of its own side, and cancels that order with the tick
 * at which a better price has left it behind. False if only an immediate order can close the part.
 */
export function postClose(
  leaving: LadderExit,
  { label, amount }: Omit<Part, 'price'>,
  exits: Exits,
): boolean {
  if (!isPosting(leaving)) return false
  const { state, own, market } = leaving
  const price = restingPrice(leaving)
  const order = aliveOf(state, own, label)
  if (price === undefined) return true
  if (order === undefined) {
    if (!isEnough(market, amount, price)) return false
    offer(leaving, { label, price, amount }, exits, 'postOnly')
  } else if (!order.ioc && (leftOf(order).gt(amount) || isLeftBehind(leaving, order, price))) {
    if (exits.isTick) cancelExit(leaving, order, exits)
    else evaluateAgain(state)
  }
  return true
}

/** The best price of the own side, but at least a tick from the best opposite price, so that the order does not take. */
function restingPrice({ state, scene, ladder, market, side, touch }: LadderExit): Decimal | undefined {
  const best = touchPrice(state, scene.strategy, ladder.symbol, side === 'sell' ? 'ask' : 'bid')
  if (best === undefined || touch === undefined) return undefined
  everyPrice(ladder.symbol, best)
  const [own, behind] = [onTick(market, side, exactly(best)), onTickBehind(market, side, touch)]
  return side === 'sell' ? Decimal.max(own, behind) : Decimal.min(own, behind)
}

/** A better price is there. The order stays for `min_life`, and while the difference is below `hysteresis`, as a rung does. */
function isLeftBehind({ state, ladder, own, sign }: LadderExit, order: Order, price: Decimal): boolean {
  const { rebase } = ladder.file
  const { hysteresis, min_life: least } = typeof rebase === 'object' ? rebase : {}
  const behind = new Decimal(order.price).minus(price).times(sign)
  if (!behind.gt(0)) return false
  const stays = hysteresis && hysteresis.by.times(hysteresis.of === 'step' ? stepOf(own.rungs) : price)
  if (stays && behind.lt(stays)) return false
  return least === undefined || order.restsSince === undefined || reached(state, order.restsSince + least)
}
