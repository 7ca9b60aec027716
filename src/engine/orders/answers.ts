import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Answered, Event, OrderAnswer, SeenOrder, CancelledOrder } from '#src/engine/events.ts'
import { markUsedIdUnknown, isStillOpen } from './unknown-orders.ts'
import { runsBackwards } from '#src/engine/holdings/holdings.ts'
import { areOrdersPaused, pauseOrders } from './order-pause.ts'
import { markUnknown, end, naming, reportResolved, takeProgress } from './order-progress.ts'
import { exitWaitMsMax, keepCrossed, putOffEntry, putOffExit, refused, wouldTake } from './refusals.ts'
import type { Order, State, StrategyState } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'
import { cancelAgainLater, cancelRefused } from './cancelling.ts'
import { resolveByFill, takeAnswerOfReplaced, takeGone } from './replaced-orders.ts'

/** Applies the venue's answers to the orders of a chunk. An order without an answer has an unknown outcome. */
export function takeAnswers(context: StepContext, { chunk, orders, pausedMs = 0 }: Answered): void {
  const { state } = context
  if (pausedMs > 0) pauseOrders(state, pausedMs)
  const sent = state.chunks[chunk]
  if (!sent) return
  delete state.chunks[chunk]
  const own = state.strategies[sent.strategy]
  if (!own) return
  // The request may have waited in the queue of the client: a limit over time counts it from now on.
  for (const each of own.sends) if (each.chunk === chunk) each.at = state.at
  const compiled = context.known.get(sent.strategy)
  let wasFull = false
  for (const [index, id] of sent.ids.entries()) {
    const order = state.orders[id]
    const answer = orders[index] ?? { kind: 'unknown', reason: 'the answer does not mention it' }
    if (!order) continue
    // A read may have been faster: no missing answer and no used id can contradict its proof.
    if (order.status !== 'sending' && answer.kind !== 'accepted') continue
    wasFull ||= answer.kind === 'not-sent'
    takeAnswer(context, compiled, own, order, answer)
    takeAnswerOfReplaced(context, order, answer)
  }
  if (wasFull) throttle(context, compiled, own)
  else own.throttled = { count: 0, until: 0 }
}

function takeAnswer(
  context: StepContext,
  compiled: Compiled | undefined,
  own: StrategyState,
  order: Order,
  answer: OrderAnswer,
): void {
  const { notes } = context
  const { at } = context.state
  const open = isStillOpen(order, answer)
  if (open !== null) {
    markUnknown(context, order, open)
    if (answer.kind === 'refused' && answer.refusal === 'would-take') order.wouldTake = answer.message
    return
  }
  switch (answer.kind) {
    case 'accepted':
      notes.push({
        type: 'order-accepted',
        at,
        ...naming(order),
        price: order.price,
        amount: order.amount,
        kind: order.role,
      })
      if (isInDoubt(order)) reportResolved(context, order, 'placed')
      // A read may have been faster: then the answer is older than the state.
      if (!runsBackwards(order, answer)) takeProgress(context, order, answer)
      if (order.role === 'exit') exitTaken(own, order)
      if (order.status !== 'ended' || Number(order.filled) !== 0 || order.ioc) return
      if (!mustRest(order)) return putOffEntry(context, own, order, { message: endedAtOnce })
      noteCrossed(context, order, { code: null, message: endedAtOnce })
      wouldTake(context, compiled, own, order, endedAtOnce)
      return
    case 'refused':
      if (answer.alreadyUsed) return markUsedIdUnknown(context, order, answer.message)
      if (answer.refusal === 'gone') return takeGone(context, order, answer.message)
      if (mustRest(order) && answer.refusal === 'would-take' && !order.amends) {
        noteCrossed(context, order, answer)
        end(context, order, `refused: ${answer.message}`)
        return wouldTake(context, compiled, own, order, answer.message)
      }
      notes.push({ type: 'order-refused', at, ...naming(order), code: answer.code, message: answer.message })
      end(context, order, `refused: ${answer.message}`)
      // Of a refused amendment the venue may refuse the change alone: the rung is placed next, and has that answer.
      if (!order.amends) refused(context, compiled, own, order, answer)
      return
    case 'not-attempted':
      notes.push({ type: 'order-not-attempted', at, ...naming(order) })
      end(context, order, 'the venue stopped before this order')
      keepCrossed(context, own, order)
      return
    case 'not-sent':
      notes.push({ type: 'order-not-sent', at, ...naming(order), kind: answer.cause, reason: answer.reason })
      end(context, order, `not sent: ${answer.reason}`)
      keepCrossed(context, own, order)
      // An exit waits only for a pause of the venue.
      if (order.role === 'exit' && compiled && !areOrdersPaused(context.state)) {
        const { fromMs, toMs } = compiled.strategy.submit.throttled.backoff
        const waits = { fromMs, toMs: Math.min(toMs, exitWaitMsMax) }
        putOffExit(context, own.ladders[order.ladder], order, waits)
      }
      return
    case 'unknown':
      markUnknown(context, order, answer.reason)
  }
}

const endedAtOnce = 'the venue accepted the order and ended it at once'

function mustRest({ postOnly, rpi }: Order): boolean {
  return postOnly || rpi
}

function noteCrossed(
  { state, notes }: StepContext,
  order: Order,
  { code, message }: { code: number | null; message: string },
): void {
  const { price } = order
  notes.push({ type: 'order-would-take', at: state.at, ...naming(order), price, code, message })
}

function exitTaken(own: StrategyState, order: Order): void {
  const ladder = own.ladders[order.ladder]
  // A venue may accept a stop and end it soon: then the waits go on.
  if (ladder && order.activation === undefined) delete ladder.exitWaits[order.level]
}

/** Our own queue, or the venue, has no room: each wait is longer, and in the end the bot raises an alert. */
function throttle({ state, notes }: StepContext, compiled: Compiled | undefined, own: StrategyState): void {
  if (!compiled) return
  const { max, backoff } = compiled.strategy.submit.throttled
  const count = own.throttled.count + 1
  own.throttled = { count, until: state.at + Math.min(backoff.fromMs * 2 ** (count - 1), backoff.toMs) }
  if (count !== max + 1) return
  const message = `the rate limit stopped its orders ${count} times in a row`
  notes.push({ type: 'alert', at: state.at, strategy: compiled.name, message })
}

export function takeUpdate(context: StepContext, seen: SeenOrder): void {
  const order = context.state.orders[seen.id]
  if (order) {
    // The order was open when the list was read, and its end was reported before the list arrived.
    if ((order.status === 'ended' || seen.passing) && !seen.ended && runsBackwards(order, seen)) return
    const wasInDoubt = isInDoubt(order)
    const isNews = takeProgress(context, order, seen)
    if (order.status === 'ended') resolveByFill(context, order)
    if (isNews && wasInDoubt) reportResolved(context, order, 'placed')
  } else if (!seen.ended) {
    const message = `${seen.id} is open at the venue but unknown to the bot`
    context.notes.push({ type: 'drift', at: context.state.at, message, order: seen.id })
  }
}

/** Also while the order is sent again: the first proof resolves the outcome. */
function isInDoubt({ doubtfulSince }: Order): boolean {
  return doubtfulSince !== null
}

export function takeCancelled(context: StepContext, { id, outcome, message }: CancelledOrder): void {
  const order = context.state.orders[id]
  if (!order || order.status === 'ended') return
  if (outcome === 'canceled') end(context, order, 'cancelled')
  else {
    order.withdrawing = false
    // The order ended in another way: a read must find its fills.
    if (outcome === 'gone') markUnknown(context, order, `the venue no longer has the order: ${message}`)
    if (outcome === 'refused' || outcome === 'throttled') cancelRefused(context, order, outcome, message)
    if (outcome === 'unknown')
      cancelAgainLater(context, order, `the request to cancel it had no answer: ${message}`)
  }
}

/** The strategies that an event concerns; undefined if it concerns all. */
export function strategiesOf({ orders }: State, event: Event): ReadonlySet<string | undefined> | undefined {
  if (event.kind !== 'seen' && event.kind !== 'withdrawn') return undefined
  return new Set(event.orders.map(({ id }) => orders[id]?.strategy))
}
