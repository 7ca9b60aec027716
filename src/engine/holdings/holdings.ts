import { formatAtoms, oneUnit, parseSignedAtoms, timesDown, type Atoms } from '#src/core/money/atoms.ts'
import { isLess } from '#src/core/money/decimal.ts'
import { sameNumber } from '#src/core/money/decimal-text.ts'
import { exitFormOf } from '#src/engine/exits/exit-forms.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { dayOf } from '#src/engine/state/ticks.ts'
import type { Booking } from './booking.ts'
import type { Progress } from '#src/engine/events.ts'
import { firstPairs, matchBooking, matchingOf } from './pair-matching.ts'
import type { ClosedBy, Matching } from './pairs.ts'
import type { Held, Holding, LadderState, Order, StrategyState } from '#src/engine/state/state.ts'
import type { ExitState } from '#src/engine/state/exit-state.ts'

const recentMs = 60_000
const weekMs = 604_800_000
/**
 * How long, and among how many, a late fill is sorted into the order of deals: as long as late updates of an order are accepted.
 */
const tailMs = 600_000
const tailMost = 300
/** Spending is kept in sums of ten minutes, dated by their last fill: a limit never drops it too early. */
const sumMs = 600_000

export type BookedFill = { amount: string; money: string; fee: string }

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
    parts: null,
    trailBest: null,
    leave: null,
    tooSmall: null,
    watch: null,
  }
}

/** Whether the venue reports less than before: that is no news, and if it continues, an error. */
export function runsBackwards(order: Order, progress: Progress): boolean {
  const { filled, money, fee } = order
  if (isLess(progress.filled, filled) || isLess(progress.money, money)) return true
  // A fee may only fall with a fill for which the venue pays.
  return isLess(sizeText(progress.fee), sizeText(fee)) && sameNumber(progress.filled, filled)
}

function sizeText(text: string): string {
  return text.startsWith('-') ? text.slice(1) : text
}

function negated(text: string): string {
  if (text === '0') return text
  return text.startsWith('-') ? text.slice(1) : `-${text}`
}

function difference(now: string, before: string): Atoms {
  return before === '0' ? parseSignedAtoms(now) : parseSignedAtoms(now) - parseSignedAtoms(before)
}

/** Books what is new since the last progress of this order: repeated or older news change nothing. Null if nothing is new. */
export function applyProgress(
  strategy: StrategyState,
  order: Order,
  progress: Progress,
  { market, at, closedBy = 'exits' }: { market: string; at: number; closedBy?: ClosedBy | undefined },
): BookedFill | null {
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
  const holding = (strategy.holdings[market] ??= newHolding())
  const ladder = strategy.ladders[order.ladder]
  const { realized } = holding
  const news = { amount: formatAtoms(amount), money: formatAtoms(money), fee: formatAtoms(fee) }
  book(strategy, holding, {
    ladder: order.ladder,
    amount: isBuy ? news.amount : negated(news.amount),
    money: isBuy ? news.money : negated(news.money),
    at,
    dealtAt: progress.dealtAt ?? null,
    deal: progress.deal,
    matching: matchingOf(order, news.fee, ladder, closedBy),
  })
  holding.fees = plus(holding.fees, fee)
  holding.fills = holding.fills.filter((fill) => fill.at > at - recentMs)
  holding.fills.push({ at, money: isBuy ? news.money : negated(news.money) })
  if (ladder && order.role === 'exit') {
    const { sell, key } = exitFormOf(order.level) ?? { key: '' }
    if (order.level === wholeLabels.close && ladder.exits.close?.mostLost !== undefined)
      countLost(strategy, at, parseSignedAtoms(realized) - parseSignedAtoms(holding.realized) + fee)
    sell?.(ladder.exits, key, amount)
  }
  if (order.role === 'entry') spend(strategy, money, at)
  return news
}

/** Books what has left the position without an order of ours; negative for a long position. */
export function leaveByHand(
  strategy: StrategyState,
  market: string,
  about: { ladder: string; amount: string; price: string; at: number; closedBy: ClosedBy },
): void {
  const { ladder, amount, price, at, closedBy } = about
  const money = formatAtoms(timesDown(parseSignedAtoms(amount), parseSignedAtoms(price)))
  const holding = (strategy.holdings[market] ??= newHolding())
  const matching: Matching = { level: 'gone', order: 0, fee: '0', by: { exit: closedBy } }
  book(strategy, holding, { ladder, amount, money, at, dealtAt: null, matching })
}

type Fresh = Omit<Booking, 'before' | 'ladderBefore'>

/** Books a fill in the order of deals: later deals that were booked before are booked again after it. */
function book(strategy: StrategyState, holding: Holding, fill: Fresh): void {
  const tail = (holding.tail ??= [])
  const pairs = (holding.pairs ??= firstPairs(holding))
  while (tail[0] && (tail[0].at <= fill.at - tailMs || tail.length >= tailMost))
    matchBooking(pairs, tail.shift())
  let index = tail.length
  while (index > 0 && isBefore(fill, tail[index - 1])) index--
  const later = index === tail.length ? [] : tail.splice(index)
  restore(strategy, holding, later)
  append(strategy, holding, tail, fill)
  for (const booked of later) append(strategy, holding, tail, booked)
}

function isBefore(fill: Fresh, booked: Booking | undefined): boolean {
  if (!booked || fill.dealtAt === null || booked.dealtAt === null) return false
  if (fill.dealtAt !== booked.dealtAt) return fill.dealtAt < booked.dealtAt
  return fill.deal !== undefined && booked.deal !== undefined && fill.deal < booked.deal
}

/** Restores the holdings before the first of these bookings. */
function restore({ ladders }: StrategyState, holding: Holding, later: readonly Booking[]): void {
  for (const { ladder, before, ladderBefore } of later.toReversed()) {
    hold(holding, parseSignedAtoms(before.position), parseSignedAtoms(before.cost))
    holding.realized = before.realized
    const own = ladders[ladder]
    if (!own || !ladderBefore) continue
    hold(own.held, parseSignedAtoms(ladderBefore.position), parseSignedAtoms(ladderBefore.cost))
    own.heldSince = ladderBefore.since
  }
}

function append({ ladders }: StrategyState, holding: Holding, tail: Booking[], fill: Fresh): void {
  const { position, cost, realized } = holding
  const ladder = ladders[fill.ladder]
  const { held, heldSince: since = null } = ladder ?? {}
  const ladderBefore = held ? { position: held.position, cost: held.cost, since } : null
  tail.push({ ...fill, before: { position, cost, realized }, ladderBefore })
  const [amount, money] = [parseSignedAtoms(fill.amount), parseSignedAtoms(fill.money)]
  holding.realized = plus(realized, take(holding, amount, money))
  if (!ladder) return
  const wasHeld = ladder.held.position
  // If the ladder trades there alone, it holds what the strategy holds.
  if (wasHeld === position && ladder.held.cost === cost)
    Object.assign(ladder.held, { position: holding.position, cost: holding.cost, entry: holding.entry })
  else take(ladder.held, amount, money)
  ladder.heldSince = sinceOf(ladder, wasHeld, Math.min(fill.dealtAt ?? fill.at, fill.at))
}

/** A position that turns from long to short is opened anew; a remainder below the minimum does not count as its beginning. */
function sinceOf({ held, heldSince }: LadderState, before: string, at: number): number | null {
  if (held.position === '0') return null
  const isAnew = before === '0' || before.startsWith('-') !== held.position.startsWith('-')
  return isAnew ? at : (heldSince ?? at)
}

function plus(text: string, more: Atoms): string {
  return more === 0n ? text : formatAtoms(parseSignedAtoms(text) + more)
}

/**
 * Adds a fill, both numbers negative for a sale, and returns the realised result. The fill closes what it can and opens with the
 * rest; each part gets its share of the money.
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
  hold(held, after, cost + money + realized)
  return realized
}

function hold(held: Held, position: Atoms, cost: Atoms): void {
  held.position = formatAtoms(position)
  held.cost = formatAtoms(cost)
  held.entry = position === 0n ? null : formatAtoms((cost * oneUnit) / position)
}

/** Truncated to the smallest unit, towards zero; the cut-off rest stays where it was, so that no sum ever changes. */
function shareOf(whole: Atoms, part: Atoms, of: Atoms): Atoms {
  return part === of ? whole : (whole * part) / of
}

function size(value: Atoms): Atoms {
  return value < 0n ? -value : value
}

function smaller(one: Atoms, other: Atoms): Atoms {
  return one < other ? one : other
}

/** Gains do not offset losses. */
function countLost(strategy: StrategyState, at: number, money: Atoms): void {
  const [day, before] = [dayOf(at), strategy.lostByClose]
  const text = before?.day === day ? before.money : '0'
  if (money > 0n) strategy.lostByClose = { day, money: plus(text, money) }
}

function spend(strategy: StrategyState, money: Atoms, at: number): void {
  const { spent } = strategy
  // The oldest sum is the first.
  const kept = spent.findIndex((each) => each.at > at - weekMs)
  if (kept !== 0) spent.splice(0, kept < 0 ? spent.length : kept)
  const last = spent.at(-1)
  if (last && Math.floor(last.at / sumMs) === Math.floor(at / sumMs)) {
    last.at = Math.max(last.at, at)
    last.money = plus(last.money, money)
  } else spent.push({ at, money: formatAtoms(money) })
}
