import { formatAtoms, oneUnit, parseSignedAtoms, timesDown, type Atoms } from '#src/money/atoms.ts'
import { isLess } from '#src/money/decimal.ts'
import { sameNumber } from '#src/money/text.ts'
import type { Progress } from './events.ts'
import type { ExitState, Held, Holding, LadderState, Order, StrategyState } from './state.ts'

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
    tooSmall: null,
    watch: null,
  }
}

/** Whether the venue says less than it said before: that is nothing new, and if it goes on, something is wrong. */
export function runsBackwards(order: Order, progress: Progress): boolean {
  const { filled, money, fee } = order
  if (isLess(progress.filled, filled) || isLess(progress.money, money)) return true
  // A fee may fall with a fill that the venue pays for, and only with a fill.
  return sameNumber(progress.filled, filled) && isLess(sizeText(progress.fee), sizeText(fee))
}

function sizeText(text: string): string {
  return text.startsWith('-') ? text.slice(1) : text
}

function difference(now: string, before: string): Atoms {
  return before === '0' ? parseSignedAtoms(now) : parseSignedAtoms(now) - parseSignedAtoms(before)
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
  if (amount === 0n && money === 0n && fee === 0n) return null
  order.filled = progress.filled
  order.money = progress.money
  order.fee = progress.fee

  const isBuy = order.side === 'buy'
  const [came, paid] = isBuy ? [amount, money] : [-amount, -money]
  const holding = (strategy.holdings[market] ??= newHolding())
  const ladder = strategy.ladders[order.ladder]
  const isAlone = ladder?.held.position === holding.position && ladder.held.cost === holding.cost
  holding.realized = plus(holding.realized, take(holding, came, paid))
  holding.fees = plus(holding.fees, fee)
  holding.fills = holding.fills.filter((fill) => fill.at > at - recentMs)
  const moneyText = formatAtoms(money)
  holding.fills.push({ at, money: isBuy || money === 0n ? moneyText : `-${moneyText}` })
  if (ladder) {
    const before = ladder.held.position
    const { position, cost, entry } = holding
    // A ladder that trades there alone holds what the strategy holds.
    if (isAlone) Object.assign(ladder.held, { position, cost, entry })
    else take(ladder.held, came, paid)
    ladder.heldSince = sinceOf(ladder, before, at)
    if (order.role === 'exit') countExit(ladder.exits, order.level, amount)
  }
  if (order.role === 'entry') spend(strategy, money, at)
  return { amount: formatAtoms(amount), money: moneyText, fee: formatAtoms(fee) }
}

/** What turns from long to short is held anew; a crumb that an episode has left behind is not counted from. */
function sinceOf({ held, heldSince }: LadderState, before: string, at: number): number | null {
  if (held.position === '0') return null
  const isAnew = before === '0' || before.startsWith('-') !== held.position.startsWith('-')
  return isAnew ? at : (heldSince ?? at)
}

/** What has left, below zero what was long, without an order of ours. */
export function leaveByHand(
  strategy: StrategyState,
  market: string,
  held: Held,
  amount: string,
  price: string,
): void {
  const holding = (strategy.holdings[market] ??= newHolding())
  const left = parseSignedAtoms(amount)
  const money = timesDown(left, parseSignedAtoms(price))
  holding.realized = plus(holding.realized, take(holding, left, money))
  take(held, left, money)
}

function plus(text: string, more: Atoms): string {
  return more === 0n ? text : formatAtoms(parseSignedAtoms(text) + more)
}

/**
 * Adds a fill, both numbers below zero for a sale, and gives what it realised. It closes what it can and opens with
 * the rest; each side of that gets its share of the money.
 */
function take(held: Held, amount: Atoms, money: Atoms): Atoms {
  const position = parseSignedAtoms(held.position)
  const cost = parseSignedAtoms(held.cost)
  const after = position + amount
  let realized = 0n
  if (position > 0n ? amount < 0n : position < 0n && amount > 0n) {
    const closing = smaller(size(position), size(amount))
    realized = -(shareOf(money, closing, size(amount)) + shareOf(cost, closing, size(position)))
  } else if (after === 0n) realized = -money
  const costAfter = cost + money + realized
  held.position = formatAtoms(after)
  held.cost = formatAtoms(costAfter)
  held.entry = after === 0n ? null : formatAtoms((costAfter * oneUnit) / after)
  return realized
}

/** Cut to an atom, towards zero; what is cut off stays where it was, so that no sum ever changes. */
function shareOf(whole: Atoms, part: Atoms, of: Atoms): Atoms {
  return part === of ? whole : (whole * part) / of
}

function size(value: Atoms): Atoms {
  return value < 0n ? -value : value
}

function smaller(one: Atoms, other: Atoms): Atoms {
  return one < other ? one : other
}

/** What an exit has sold it need not sell again. */
function countExit(exits: ExitState, level: string, amount: Atoms): void {
  const mirror = exits.mirrors[level.slice(1)]
  if (level.startsWith('m') && mirror) {
    const left = parseSignedAtoms(mirror.amount) - amount
    mirror.amount = formatAtoms(left > 0n ? left : 0n)
  }
  if (/^t\d/.test(level) && exits.parts) exits.parts.gone = plus(exits.parts.gone, amount)
}

function spend(strategy: StrategyState, money: Atoms, at: number): void {
  strategy.spent = strategy.spent.filter((spent) => spent.at > at - weekMs)
  const last = strategy.spent.at(-1)
  if (last && Math.floor(last.at / sumMs) === Math.floor(at / sumMs)) {
    last.at = Math.max(last.at, at)
    last.money = plus(last.money, money)
  } else strategy.spent.push({ at, money: formatAtoms(money) })
}
