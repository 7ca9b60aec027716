import { cutTo, Decimal, numberOf } from '#src/core/money/decimal.ts'
import { smallestAmount } from '#src/market/ladder/smallest-amount.ts'
import { moneyOfLimit } from '#src/strategy/file/capital.ts'
import { slippageOf, type CloseAction } from '#src/strategy/file/rule-goals.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { dayEquityOf } from '#src/engine/account/equity.ts'
import { dayMs, dayOf } from '#src/engine/state/ticks.ts'
import type { StrategyState } from '#src/engine/state/state.ts'
import { edgeAt, everyPrice, reached } from '#src/engine/state/validity.ts'
import { aliveOf, onTick, type ExitPlace, type LadderExit } from './exit-orders.ts'
import { heldOf, ladderExitOf } from './exit-prices.ts'
import type { Part } from './kinds/exit-kind.ts'

/**
 * The share of the position that a rule closes: at least the smallest order, and no more than `daily_loss` allows. What is left
 * and too small for an order stays.
 */
export function shareToClose(leaving: LadderExit): Part | undefined {
  const { state, own, market, size, touch } = leaving
  const { close } = own.exits
  if (!close?.share || !touch || (close.mostLost !== undefined && !isFirst(leaving))) return undefined
  const price = worstPrice(leaving, touch, close.slippage)
  const least = smallestAmount(leaving.market, price)
  const { of, left } = close.share
  const allowed =
    close.mostLost === undefined ? Infinity : withoutMoreLoss(leaving, price, new Decimal(close.mostLost))
  const isTooSmall = (of !== left && least.gt(left)) || least.gt(allowed)
  // What an open order fills still counts for the share.
  if (isTooSmall && !aliveOf(state, own, wholeLabels.close)) {
    delete own.exits.close
    return undefined
  }
  const amount = Decimal.min(size, Decimal.max(left, least), allowed)
  return { label: wholeLabels.close, price, amount: cutTo(market.amountDigits, amount) }
}

/** Two ladders at once could together lose more than `daily_loss`. */
function isFirst({ state, scene, own }: LadderExit): boolean {
  const ladders = scene.ladders.map(({ name }) => state.strategies[scene.name]?.ladders[name])
  return ladders.find((each) => each?.exits.close?.mostLost !== undefined) === own
}

/** The money that closes with `daily_loss` may lose in a day; undefined without the key, and while the equity is unknown. */
export function mostLostIn(
  { worth }: StrategyState,
  { daily_loss: limit }: Pick<CloseAction, 'daily_loss'>,
): Decimal | undefined {
  return limit && moneyOfLimit(limit, dayEquityOf(worth))
}

export function lossWaitText(rule: string, wait: string): string {
  return `the rule ${rule} waits for a better price or the next 00:00 UTC: ${wait}`
}

/** Why a rule closes no share of this ladder today at this price; undefined if `daily_loss` does not stop it. */
export function lossWait(place: ExitPlace, action: CloseAction): string | undefined {
  const { daily_loss: limit } = action
  const own = place.state.strategies[place.scene.name]
  const held = limit && heldOf(place)
  const leaving = held && ladderExitOf(held)
  if (!own || !leaving?.touch) return undefined
  const { state, touch } = leaving
  reached(state, state.at - (state.at % dayMs) + dayMs)
  const most = mostLostIn(own, { daily_loss: limit })
  if (!most) return 'daily_loss is a share of the equity at 00:00 UTC, which is unknown'
  const price = worstPrice(leaving, touch, slippageOf(action))
  const least = smallestAmount(leaving.market, price)
  const lost = lostToday(state.at, own)
  limitPrices(leaving, Number(slippageOf(action)), Math.max(0, most.minus(lost).toNumber()))
  if (least.lte(withoutMoreLoss(leaving, price, most))) return undefined
  const loss = least.times(lossOfOne(leaving, price)).toSignificantDigits(4, Decimal.ROUND_UP)
  return (
    `daily_loss ${most.toFixed()}: ${lost.toFixed()} is lost since 00:00 UTC, and the smallest order (${least.toFixed()} ` +
    `at ${price.toFixed()}) can lose ${loss.toFixed()} now, more than the rest`
  )
}

/**
 * For which prices the loss of the smallest order stays above `rest`. The order is at least the minimum of the market in amount
 * and in money, and its price is less than a tick from the exact one. Between this bound and the exact one each price counts.
 */
function limitPrices(
  { ladder, market, entry, sign, touch }: LadderExit,
  slippage: number,
  rest: number,
): void {
  const [now, open] = [Number(touch), entry.toNumber()]
  const [amount, money] = [numberOf(market.minAmount), numberOf(market.minTotal)]
  const byAmount = sign * open - rest / amount
  const byMoney = money + sign * rest > 0 ? (sign * money * open) / (money + sign * rest) : -Infinity
  const tick = 10 ** -market.priceDigits
  const edge = (sign * Math.max(byAmount, byMoney) - sign * tick) / (1 - sign * slippage)
  if (now * sign < edge * sign) edgeAt(ladder.symbol, now, edge)
  else everyPrice(ladder.symbol, now)
}

/** How much may be closed at this price today. */
function withoutMoreLoss(leaving: LadderExit, price: Decimal, mostLost: Decimal): Decimal {
  const { state, scene } = leaving
  const own = state.strategies[scene.name]
  const loss = lossOfOne(leaving, price)
  if (!own || !loss.gt(0)) return new Decimal(Infinity)
  return Decimal.max(0, mostLost.minus(lostToday(state.at, own))).div(loss)
}

/** Below zero at a gain. */
function lossOfOne({ entry, sign }: LadderExit, price: Decimal): Decimal {
  return entry.minus(price).times(sign)
}

function lostToday(at: number, { lostByClose: lost }: StrategyState): Decimal {
  return new Decimal(lost?.day === dayOf(at) ? lost.money : 0)
}

function worstPrice({ market, side, sign }: LadderExit, touch: Decimal, slippage: Decimal | string): Decimal {
  return onTick(market, side, touch.times(new Decimal(1).minus(new Decimal(slippage).times(sign))))
}
