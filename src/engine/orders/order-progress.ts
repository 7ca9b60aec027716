import { closeShown } from '#src/engine/exits/closable.ts'
import { armExits } from '#src/engine/exits/mirrors.ts'
import { applyProgress, runsBackwards } from '#src/engine/holdings/holdings.ts'
import { endOrder, reopenOrder } from '#src/engine/state/open-orders.ts'
import { closedByOf } from '#src/engine/holdings/pair-matching.ts'
import { marketOf } from '#src/engine/risk/exposure.ts'
import { cutDown, formatAtoms, oneUnit, parseAtoms } from '#src/core/money/atoms.ts'
import { isLess } from '#src/core/money/decimal.ts'
import type { Progress } from '#src/engine/events.ts'
import type { Order } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** Of the average price in a note, for people. */
const priceDigits = 12

/** What a note about an order always says. */
export function naming({ strategy, ladder, level, id, market, side }: Order): {
  strategy: string
  ladder: string
  rung: string
  order: string
  market: string
  side: 'buy' | 'sell'
} {
  return { strategy, ladder, rung: level, order: id, market, side }
}

/**
 * How far the venue says an order has come, from wherever that is known: an answer, a read, a proof. The same news
 * twice changes nothing. True when it is news.
 */
export function takeProgress(context: StepContext, order: Order, progress: Progress): boolean {
  const { state, notes, known } = context
  const strategy = known.get(order.strategy)?.strategy
  const { at } = state
  const own = state.strategies[order.strategy]
  if (!own) return false
  if (runsBackwards(order, progress)) {
    const message = `the venue reports ${progress.filled} of ${order.id} as filled, and reported ${order.filled} before`
    notes.push({
      type: 'drift',
      at,
      message,
      strategy: order.strategy,
      order: order.id,
      market: order.market,
    })
    return false
  }
  const market = strategy ? marketOf(strategy, order) : order.market
  const file = strategy?.ladder[order.ladder]
  const isUnconfirmed = order.venueId === null
  const fill = applyProgress(own, market, order, progress, at, file && closedByOf(file))
  if (fill && isLess('0', fill.amount)) {
    const price = formatAtoms(
      cutDown((parseAtoms(fill.money) * oneUnit) / parseAtoms(fill.amount), priceDigits),
    )
    closeShown(state, order, fill.amount)
    notes.push({ type: 'fill', at, ...naming(order), price, ...fill })
    countFill(context, order)
  }
  if (order.status === 'ended' && isUnconfirmed && !progress.ended) reopen(context, order)
  if (order.status === 'ended') {
    // The venue tells of a fill after the end that it told of before.
    if (fill) arm(context, order)
    return fill !== null
  }
  if (progress.ended) {
    end(context, order, endingOf(order))
    return true
  }
  const isProof = order.status !== 'resting'
  if (isProof) rest(order)
  if (fill) arm(context, order)
  return isProof || fill !== null
}

/** It is proved to exist, by something that does not tell its id: at rest until a read says otherwise. */
export function exists(order: Order): void {
  order.venueId ??= ''
  rest(order)
}

/** A list may tell of an order that we have taken back sooner than the answer to that request does. */
function endingOf({ filled, amount, withdrawing }: Order): string {
  if (!isLess(filled, amount)) return 'filled'
  return withdrawing ? 'cancelled' : 'ended by the venue'
}

/** An answer has said that it does not exist, or a search has not found it; and a list shows it. */
function reopen({ state, notes }: StepContext, order: Order): void {
  const message = `${order.id} is open at the venue, but the bot had recorded that it does not exist: ${order.why}`
  notes.push({ type: 'drift', at: state.at, message, ...naming(order) })
  reopenOrder(state, state.strategies[order.strategy]?.ladders[order.ladder], order)
  rest(order)
}

function rest(order: Order): void {
  order.status = 'resting'
  order.why = null
  order.doubtfulSince = null
}

function countFill({ state }: StepContext, order: Order): void {
  const ladder = state.strategies[order.strategy]?.ladders[order.ladder]
  if (!ladder || order.role !== 'entry') return
  if (!ladder.filled.includes(order.level)) ladder.filled.push(order.level)
  ladder.filledAt = state.at
  // One that was left at rest when its episode ended begins another, so that its exits are looked after.
  if (ladder.openedAt !== null) return
  ladder.openedAt = state.at
  ladder.episode++
}

/** It is proved that it can fill no more; its label is free for the next generation. */
export function end(context: StepContext, order: Order, why: string): void {
  const { state, notes } = context
  const own = state.strategies[order.strategy]?.ladders[order.ladder]
  endOrder(state, own, order)
  order.endedAt = state.at
  order.why = why
  order.doubtfulSince = null
  const wasOurs = order.withdrawing
  order.withdrawing = false
  const type = wasOurs && why !== 'filled' ? 'order-canceled' : 'order-ended'
  notes.push({ type, at: state.at, ...naming(order), filled: order.filled, reason: why })
  arm(context, order)
}

/** What it filled is to leave again where the ladder says so. */
function arm({ state, notes, known }: StepContext, order: Order): void {
  const own = state.strategies[order.strategy]?.ladders[order.ladder]
  const ladder = known.get(order.strategy)?.ladders.find(({ name }) => name === order.ladder)
  if (ladder && own) notes.push(...armExits(state, order.strategy, ladder, own, order))
}

/** Nobody can say whether it exists: it counts in full, and blocks, until there is proof. */
export function markUnknown({ state, notes }: StepContext, order: Order, why: string): void {
  order.status = 'doubtful'
  order.why = why
  // Each doubt has tries of its own.
  if (order.doubtfulSince === null) {
    Object.assign(order, { doubtfulSince: state.at, looks: 0, attempts: 1 })
    delete order.search
    delete order.isUsed
  }
  notes.push({ type: 'order-unknown', at: state.at, ...naming(order), reason: why })
}
