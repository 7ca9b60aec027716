import { Decimal } from '#src/money/decimal.ts'
import type { Progress } from './events.ts'
import type { ExitState, Held, Holding, Order, StrategyState } from './state.ts'

/** Shares of money are cut here, towards zero; what is cut off stays where it was, so that no sum ever changes. */
const moneyDigits = 18
const recentMs = 60_000
const weekMs = 604_800_000
/** Money spent is kept in sums of ten minutes, dated by their last fill: a limit never forgets it too early. */
const sumMs = 600_000

export type Fill = { amount: string; money: string; fee: string }

export function newHeld(): Held {
  return { position: '0', cost: '0', entry: null }
}

export function newHolding(): Holding {
  return { ...newHeld(), realized: '0', fees: '0', fills: [] }
}

export function newExits(): ExitState {
  return {
    mirrors: {},
    carried: { amount: '0', levels: [] },
    takenParts: 0,
    parts: null,
    trailBest: null,
    leave: null,
    leaving: null,
    watch: null,
  }
}

/** Whether the venue says less than it said before: that is nothing new, and if it goes on, something is wrong. */
export function runsBackwards(order: Order, progress: Progress): boolean {
  const { filled, money, fee } = order
  return isLess(progress.filled, filled) || isLess(progress.money, money) || isLess(progress.fee, fee)
}

/** Doubles never turn an order round: only between equal ones the digits decide. */
function isLess(one: string, other: string): boolean {
  if (one === other) return false
  const [a, b] = [Number(one), Number(other)]
  return a === b ? new Decimal(one).lt(other) : a < b
}

function difference(now: string, before: string): Decimal {
  return before === '0' ? new Decimal(now) : new Decimal(now).minus(before)
}

/**
 * Books what is new since the last progress of this order: the same news twice, or older news late, changes nothing.
 * Null when there is nothing new.
 */
export function applyProgress(
  strategy: StrategyState,
  market: string,
  order: Order,
  progress: Progress,
  at: number,
): Fill | null {
  order.venueId = progress.venueId
  if (runsBackwards(order, progress)) return null
  const amount = difference(progress.filled, order.filled)
  const money = difference(progress.money, order.money)
  const fee = difference(progress.fee, order.fee)
  if (amount.isZero() && money.isZero() && fee.isZero()) return null
  order.filled = progress.filled
  order.money = progress.money
  order.fee = progress.fee

  const sign = order.side === 'buy' ? 1 : -1
  const holding = (strategy.holdings[market] ??= newHolding())
  const ladder = strategy.ladders[order.ladder]
  const isAlone = ladder?.held.position === holding.position && ladder.held.cost === holding.cost
  const realized = take(holding, amount.times(sign), money.times(sign))
  holding.realized = realized.plus(holding.realized).toFixed()
  holding.fees = fee.plus(holding.fees).toFixed()
  holding.fills = holding.fills.filter((fill) => fill.at > at - recentMs)
  holding.fills.push({ at, money: money.times(sign).toFixed() })
  if (ladder) {
    const { position, cost, entry } = holding
    // A ladder that trades there alone holds what the strategy holds.
    if (isAlone) Object.assign(ladder.held, { position, cost, entry })
    else take(ladder.held, amount.times(sign), money.times(sign))
    if (order.role === 'exit') countExit(ladder.exits, order.level, amount)
  }
  if (order.role === 'entry') spend(strategy, money, at)
  return { amount: amount.toFixed(), money: money.toFixed(), fee: fee.toFixed() }
}

/** What has left, below zero what was long, without an order of ours. */
export function leaveByHand(
  strategy: StrategyState,
  market: string,
  held: Held,
  amount: Decimal,
  price: string,
): void {
  const holding = (strategy.holdings[market] ??= newHolding())
  const money = amount.times(price)
  holding.realized = take(holding, amount, money).plus(holding.realized).toFixed()
  take(held, amount, money)
}

/**
 * Adds a fill, both numbers below zero for a sale, and gives what it realised. It closes what it can and opens with
 * the rest; each side of that gets its share of the money.
 */
function take(held: Held, amount: Decimal, money: Decimal): Decimal {
  const position = new Decimal(held.position)
  const cost = new Decimal(held.cost)
  const after = position.plus(amount)
  let realized = new Decimal(0)
  if (position.times(amount).lt(0)) {
    const closing = Decimal.min(position.abs(), amount.abs())
    const moneyOfIt = shareOf(money, closing, amount.abs())
    const costOfIt = shareOf(cost, closing, position.abs())
    realized = moneyOfIt.plus(costOfIt).neg()
  } else if (after.isZero()) realized = money.neg()
  const costAfter = cost.plus(money).plus(realized)
  held.position = after.toFixed()
  held.cost = costAfter.toFixed()
  held.entry = after.isZero() ? null : cut(costAfter.div(after)).toFixed()
  return realized
}

function shareOf(whole: Decimal, part: Decimal, of: Decimal): Decimal {
  return part.eq(of) ? whole : cut(whole.times(part).div(of))
}

function cut(value: Decimal): Decimal {
  return value.toDecimalPlaces(moneyDigits, Decimal.ROUND_DOWN)
}

/** What an exit has sold it need not sell again. */
function countExit(exits: ExitState, level: string, amount: Decimal): void {
  const mirror = exits.mirrors[level.slice(1)]
  if (level.startsWith('m') && mirror)
    mirror.amount = Decimal.max(0, amount.neg().plus(mirror.amount)).toFixed()
  if (/^t\d/.test(level) && exits.parts) exits.parts.gone = amount.plus(exits.parts.gone).toFixed()
}

function spend(strategy: StrategyState, money: Decimal, at: number): void {
  strategy.spent = strategy.spent.filter((spent) => spent.at > at - weekMs)
  const last = strategy.spent.at(-1)
  if (last && Math.floor(last.at / sumMs) === Math.floor(at / sumMs)) {
    last.at = Math.max(last.at, at)
    last.money = money.plus(last.money).toFixed()
  } else strategy.spent.push({ at, money: money.toFixed() })
}
