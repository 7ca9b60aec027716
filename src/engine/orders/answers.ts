import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Answered, Event, OrderAnswer, SeenOrder, WithdrawnOrder } from '#src/engine/events.ts'
import { doubtUsed, isStillOpen } from './unknown-orders.ts'
import { runsBackwards } from '#src/engine/holdings/holdings.ts'
import { areOrdersPaused, pauseOrders } from './order-pause.ts'
import { doubt, end, naming, takeProgress } from './order-progress.ts'
import { causeOf } from './refusal-cause.ts'
import { keepCrossed, putOffEntry, putOffExit, refused, wouldTake } from './refusals.ts'
import type { Order, State, StrategyState } from '#src/engine/state/state.ts'
import type { Turn } from '#src/engine/step-context.ts'
import { refuseBack } from './cancelling.ts'

/** What the venue said to each order of a chunk. What it did not say is unknown. */
export function takeAnswered(turn: Turn, { chunk, orders, pausedMs = 0 }: Answered): void {
  const { state } = turn
  if (pausedMs > 0) pauseOrders(state, pausedMs)
  const sent = state.chunks[chunk]
  if (!sent) return
  delete state.chunks[chunk]
  const own = state.strategies[sent.strategy]
  if (!own) return
  // The request may have waited in the queue of the client: a limit over time counts it from now on.
  for (const each of own.sends) if (each.chunk === chunk) each.at = state.at
  const compiled = turn.known.get(sent.strategy)
  const wasFull = { now: false }
  for (const [index, id] of sent.ids.entries()) {
    const order = state.orders[id]
    const answer = orders[index] ?? { kind: 'unknown', reason: 'the answer does not mention it' }
    if (order) takeAnswer(turn, compiled, own, order, answer, wasFull)
  }
  if (wasFull.now) throttle(turn, compiled, own)
  else own.throttled = { count: 0, until: 0 }
}

function takeAnswer(
  turn: Turn,
  compiled: Compiled | undefined,
  own: StrategyState,
  order: Order,
  answer: OrderAnswer,
  wasFull: { now: boolean },
): void {
  const { notes } = turn
  const { at } = turn.state
  // A read may have been faster: what it has proved no silence and no used id can undo.
  if (order.status !== 'sending' && answer.kind !== 'accepted') return
  const open = isStillOpen(order, answer)
  if (open !== null) {
    wasFull.now ||= answer.kind === 'not-sent'
    return doubt(turn, order, open)
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
      if (isInDoubt(order)) notes.push({ type: 'order-resolved', at, ...naming(order), outcome: 'placed' })
      // A read may have been faster: then the answer is older than what is known.
      if (!runsBackwards(order, answer)) takeProgress(turn, order, answer)
      if (order.role === 'exit') exitTaken(own, order)
      if (order.status !== 'ended' || Number(order.filled) !== 0 || order.ioc) return
      if (!mustRest(order)) return putOffEntry(turn, own, order, endedAtOnce)
      noteCrossed(turn, order, { code: null, message: endedAtOnce })
      wouldTake(turn, compiled, own, order, endedAtOnce)
      return
    case 'refused':
      if (answer.alreadyUsed) return doubtUsed(turn, order, answer.message)
      if (mustRest(order) && causeOf(answer) === 'would-take') {
        noteCrossed(turn, order, answer)
        end(turn, order, `refused: ${answer.message}`)
        return wouldTake(turn, compiled, own, order, answer.message)
      }
      notes.push({ type: 'order-refused', at, ...naming(order), code: answer.code, message: answer.message })
      end(turn, order, `refused: ${answer.message}`)
      refused(turn, compiled, own, order, answer)
      return
    case 'not-attempted':
      notes.push({ type: 'order-not-attempted', at, ...naming(order) })
      end(turn, order, 'the venue stopped before this order')
      keepCrossed(turn, own, order)
      return
    case 'not-sent':
      notes.push({ type: 'order-not-sent', at, ...naming(order), kind: answer.cause, reason: answer.reason })
      end(turn, order, `not sent: ${answer.reason}`)
      keepCrossed(turn, own, order)
      wasFull.now = true
      // An exit waits for nothing but the pause, if there is one.
      if (order.role === 'exit' && compiled && !areOrdersPaused(turn.state))
        putOffExit(turn, own.ladders[order.ladder], order, compiled.strategy.submit.throttled.backoff)
      return
    case 'unknown':
      doubt(turn, order, answer.reason)
  }
}

const endedAtOnce = 'the venue accepted the order and ended it at once'

function mustRest({ postOnly, rpi }: Order): boolean {
  return postOnly || rpi
}

function noteCrossed(
  { state, notes }: Turn,
  order: Order,
  { code, message }: { code: number | null; message: string },
): void {
  const { price } = order
  notes.push({ type: 'order-would-take', at: state.at, ...naming(order), price, code, message })
}

function exitTaken(own: StrategyState, order: Order): void {
  const ladder = own.ladders[order.ladder]
  if (ladder) delete ladder.exitWaits[order.level]
}

/** Our own queue, or the venue, has no room: each time it waits longer, and a person is told in the end. */
function throttle({ state, notes }: Turn, compiled: Compiled | undefined, own: StrategyState): void {
  if (!compiled) return
  const { max, backoff } = compiled.strategy.submit.throttled
  const count = own.throttled.count + 1
  own.throttled = { count, until: state.at + Math.min(backoff.fromMs * 2 ** (count - 1), backoff.toMs) }
  if (count !== max + 1) return
  const message = `the rate limit stopped its orders ${count} times in a row`
  notes.push({ type: 'alert', at: state.at, strategy: compiled.name, message })
}

export function takeSeen(turn: Turn, seen: SeenOrder): void {
  const order = turn.state.orders[seen.id]
  if (order) {
    // It rested while the list was read, and its end was told of before the list.
    if ((order.status === 'ended' || seen.passing) && !seen.ended && runsBackwards(order, seen)) return
    const wasInDoubt = isInDoubt(order)
    if (!takeProgress(turn, order, seen) || !wasInDoubt) return
    turn.notes.push({ type: 'order-resolved', at: turn.state.at, ...naming(order), outcome: 'placed' })
  } else if (!seen.ended) {
    const message = `${seen.id} is open at the venue but unknown to the bot`
    turn.notes.push({ type: 'drift', at: turn.state.at, message, order: seen.id })
  }
}

/** Also while it is sent again: whoever proves it first ends the doubt. */
function isInDoubt({ doubtfulSince }: Order): boolean {
  return doubtfulSince !== null
}

export function takeWithdrawn(turn: Turn, { id, outcome, message }: WithdrawnOrder): void {
  const order = turn.state.orders[id]
  if (!order || order.status === 'ended') return
  if (outcome === 'canceled') end(turn, order, 'cancelled')
  else {
    order.withdrawing = false
    // It ended in some other way: how far it had come is to be found out.
    if (outcome === 'gone') doubt(turn, order, `the venue no longer has the order: ${message}`)
    if (outcome === 'refused') refuseBack(turn, order, message)
  }
}

/** Whose orders it is about; undefined where it concerns all. */
export function strategiesOf({ orders }: State, event: Event): ReadonlySet<string | undefined> | undefined {
  if (event.kind !== 'seen' && event.kind !== 'withdrawn') return undefined
  return new Set(event.orders.map(({ id }) => orders[id]?.strategy))
}
