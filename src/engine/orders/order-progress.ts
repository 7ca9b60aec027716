import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { closeShown } from '#src/engine/exits/closable.ts'
import { followFill } from '#src/engine/ladder/follow-fills.ts'
import { isPosting } from '#src/engine/exits/kinds/close.ts'
import { armExits } from '#src/engine/exits/mirrors.ts'
import { applyProgress, runsBackwards } from '#src/engine/holdings/holdings.ts'
import { endOrder, moveBack, noteChange, reopenOrder, setStatus } from '#src/engine/state/open-orders.ts'
import { closedByOf } from '#src/engine/holdings/pair-matching.ts'
import { stopLost } from './refusals.ts'
import { marketOf } from '#src/engine/risk/exposure.ts'
import { cutDown, formatAtoms, oneUnit, parseAtoms } from '#src/core/money/atoms.ts'
import { isLess } from '#src/core/money/decimal.ts'
import type { Progress } from '#src/engine/events.ts'
import type { Order } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** Decimals of the average price in a note, for people. */
const priceDigits = 12

/** The fields of every note about an order. */
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
 * Applies the progress of an order from any source: an answer, a read, a proof. Repeated news changes nothing. True if something
 * is new.
 */
export function takeProgress(context: StepContext, order: Order, progress: Progress): boolean {
  const { state, notes, known } = context
  const compiled = known.get(order.strategy)
  const strategy = compiled?.strategy
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
  const fill = applyProgress(own, order, progress, { market, at, closedBy: file && closedByOf(file) })
  if (fill) noteChange(state, order)
  if (fill && isLess('0', fill.amount)) {
    const price = formatAtoms(
      cutDown((parseAtoms(fill.money) * oneUnit) / parseAtoms(fill.amount), priceDigits),
    )
    closeShown(state, order, fill.amount)
    notes.push({ type: 'fill', at, ...naming(order), price, ...fill })
    countFill(context, order)
    followFill(compiled, own)
    if (order.role === 'exit') state.freedAt = at
  }
  if (order.status === 'ended' && isUnconfirmed && !progress.ended) reopen(context, order)
  if (order.status === 'ended') {
    // The venue reports a fill after it has reported the end.
    if (fill) arm(context, order)
    return fill !== null
  }
  if (progress.ended) {
    const isFilled = !isLess(order.filled, order.amount)
    // A list may show the order as cancelled before the answer to the cancel request arrives.
    const why = isFilled ? 'filled' : order.withdrawing ? 'cancelled' : 'ended by the venue'
    end(context, order, why, isFilled)
    return true
  }
  const isProof = order.status !== 'resting'
  if (isProof) rest(context, order)
  if (fill) arm(context, order)
  return isProof || fill !== null
}

/** The order is proved to exist by something that does not tell its id: it is open until a read says otherwise. */
export function exists(context: StepContext, order: Order): void {
  order.venueId ??= ''
  rest(context, order)
}

/** An answer has said that the order does not exist, or a search has not found it; and a list shows it. */
function reopen(context: StepContext, order: Order): void {
  const { state, notes } = context
  const message = `${order.id} is open at the venue, but the bot had recorded that it does not exist: ${order.why}`
  notes.push({ type: 'drift', at: state.at, message, ...naming(order) })
  reopenOrder(state, state.strategies[order.strategy]?.ladders[order.ladder], order)
  rest(context, order)
}

function rest({ state, known }: StepContext, order: Order): void {
  setStatus(state, order, 'resting')
  const ladder = known.get(order.strategy)?.ladders.find(({ name }) => name === order.ladder)
  if (ladder?.follows?.min_life !== undefined) order.restsSince ??= state.at
  order.why = null
  order.doubtfulSince = null
}

function countFill({ state }: StepContext, order: Order): void {
  const ladder = state.strategies[order.strategy]?.ladders[order.ladder]
  // The venue has begun to close the position by its stop: the rest of it follows.
  if (ladder && order.activation !== undefined) {
    if (isPosting({ state, own: ladder })) ladder.exits.leave = wholeLabels.stop
    else ladder.exits.leave ??= wholeLabels.stop
  }
  if (!ladder || order.role !== 'entry') return
  if (!ladder.filled.includes(order.level)) ladder.filled.push(order.level)
  ladder.filledAt = state.at
  // An order that stayed open when its episode ended begins another one, so that its exits are managed.
  if (ladder.openedAt !== null) return
  ladder.openedAt = state.at
  ladder.episode++
}

/** The order is proved to be over: its label is free for the next generation. */
export function end(context: StepContext, order: Order, why: string, isFilled = false): void {
  const { state, notes } = context
  const own = state.strategies[order.strategy]?.ladders[order.ladder]
  endOrder(state, own, order)
  const replaced = order.venueId === null ? state.orders[order.amends?.id ?? ''] : undefined
  if (own && replaced && replaced.status !== 'ended') moveBack(state, own, replaced)
  if (order.venueId !== null && !isFilled) state.freedAt = state.at
  order.endedAt = state.at
  order.why = why
  order.doubtfulSince = null
  const wasOurs = order.withdrawing
  order.withdrawing = false
  if (own && order.activation !== undefined && order.venueId !== null && order.filled === '0' && !wasOurs)
    stopLost(context, own, order)
  const type = wasOurs && !isFilled ? 'order-canceled' : 'order-ended'
  notes.push({ type, at: state.at, ...naming(order), filled: order.filled, reason: why })
  arm(context, order)
}

/** The fill needs an exit, as the ladder's file says. */
function arm({ state, notes, known }: StepContext, order: Order): void {
  const own = state.strategies[order.strategy]?.ladders[order.ladder]
  const ladder = known.get(order.strategy)?.ladders.find(({ name }) => name === order.ladder)
  if (ladder && own) notes.push(...armExits(state, order.strategy, ladder, own, order))
}

/** The outcome is unknown: the order counts in full, and blocks its rung, until there is proof. */
export function markUnknown(context: StepContext, order: Order, why: string): void {
  beginSearch(context, order, why)
  reportUnknown(context, order, why)
}

/** The same where a fill is the likely cause, as in every race with the market: the first search reports what it cannot prove. */
export function markRaced(context: StepContext, order: Order, why: string): void {
  if (order.doubtfulSince === null) order.isUnreported = true
  beginSearch(context, order, why)
}

function beginSearch({ state }: StepContext, order: Order, why: string): void {
  setStatus(state, order, 'doubtful')
  order.why = why
  // Each unknown outcome has its own number of tries.
  if (order.doubtfulSince === null) {
    Object.assign(order, { doubtfulSince: state.at, looks: 0, attempts: 1 })
    delete order.search
    delete order.isUsed
    delete order.wouldTake
    delete order.cancelRefusal
  }
}

export function reportUnknown({ state, notes }: StepContext, order: Order, reason: string): void {
  delete order.isUnreported
  notes.push({ type: 'order-unknown', at: state.at, ...naming(order), reason })
}

/** Reports a proof. The end of an order whose unknown outcome was not reported has its own event. */
export function reportResolved(
  { state, notes }: StepContext,
  order: Order,
  outcome: 'placed' | 'absent',
  reason?: string,
): void {
  if (order.isUnreported && (outcome === 'absent' || order.status === 'ended')) return
  notes.push({ type: 'order-resolved', at: state.at, ...naming(order), outcome, reason })
}
