import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { crossed, rungPriceOf } from '#src/engine/ladder/slide.ts'
import type { Answered, RefusalOf, RefusedOrder } from '#src/engine/events.ts'
import type { LadderState, Order, StrategyState } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** The waits of an entry: 4 s, 16 s, about one minute and then about four minutes, without an end. */
const entryWaitMsMax = 256_000
/** After this time without a refusal, the waits begin again with the first one. */
const sameRowMs = 200_000
const refusalsUntilTold = 4
const exitWaits = { fromMs: 1000, toMs: 60_000 }

/** Journals of 0.3.2 and older hold the message of a refusal and no class: the class is added when the event is read. */
export function withRefusals(event: Answered, refusalOf: RefusalOf = () => 'unknown-text'): Answered {
  const isOld = event.orders.some((answer) => answer.kind === 'refused' && answer.refusal === undefined)
  if (!isOld) return event
  const orders = event.orders.map((answer) =>
    answer.kind === 'refused' ? { refusal: refusalOf(answer), ...answer } : answer,
  )
  return { ...event, orders }
}

export function refused(
  context: StepContext,
  compiled: Compiled | undefined,
  own: StrategyState,
  order: Order,
  answer: RefusedOrder,
): void {
  const { state, notes } = context
  const ladder = own.ladders[order.ladder]
  if (!ladder || !compiled) return
  if (order.role === 'exit') return exitRefused(context, ladder, order, answer)
  const { on_reject: policy, on_one_sided: oneSided } = compiled.strategy.submit
  const reason = `${order.id} was refused: ${answer.message}`
  if (policy === 'skip_level')
    putOffEntry(context, own, order, answer.message, answer.refusal === 'breaks-rule')
  for (const [name, other] of Object.entries(own.ladders)) {
    const goesOn = other === ladder ? policy === 'skip_level' : oneSided === undefined
    if (goesOn || other.frozen !== null) continue
    other.frozen = reason
    const message = `${name} places no more orders: ${reason}`
    notes.push({
      type: 'alert',
      at: state.at,
      strategy: order.strategy,
      ladder: name,
      order: order.id,
      message,
    })
  }
}

/** A post-only order would have traded at once. An exit may do so then; an entry moves behind the market, or waits. */
export function wouldTake(
  { state }: StepContext,
  compiled: Compiled | undefined,
  own: StrategyState,
  order: Order,
  message: string,
): void {
  const mine = own.ladders[order.ladder]
  if (!mine) return
  if (order.role === 'exit') {
    mine.exitWaits[order.level] = { count: 0, until: state.at, takes: true }
    return
  }
  const rung = mine.rungs.find(({ level }) => level === order.level)
  const ladder = compiled?.ladders.find(({ name }) => name === order.ladder)
  // A rung with a new price starts over.
  if (compiled && ladder && rung?.price === rungPriceOf(order))
    crossed({ state, compiled, ladder }, rung, order, message)
}

/** The order was not sent: its rung is placed behind the market again. */
export function keepCrossed({ state }: StepContext, own: StrategyState, order: Order): void {
  const { crossings: count, rungPrice, price } = order
  const rung = own.ladders[order.ladder]?.rungs.find(({ level }) => level === order.level)
  if (count === undefined || rung?.price !== rungPriceOf(order)) return
  const beyond = rungPrice === undefined ? null : price
  rung.crossed = { count, at: state.at, until: state.at, beyond, why: 'it was not sent' }
}

/**
 * Retried after a while, each time later. An order that breaks a rule of the market is not retried before the ladder is
 * recomputed; and it waits then, too, since a following ladder is recomputed all the time.
 */
export function putOffEntry(
  { state, notes }: StepContext,
  own: StrategyState,
  order: Order,
  message: string,
  breaksRule = false,
): void {
  const { at } = state
  const rungs = own.ladders[order.ladder]?.rungs ?? []
  const rung = rungs.find(({ level }) => level === order.level)
  if (!rung || order.role === 'exit') return
  const count = at < rung.wait.until + sameRowMs ? rung.wait.count + 1 : 1
  const pause = Math.min(1000 * 4 ** count, entryWaitMsMax)
  rung.wait = { count, until: at + pause, why: message }
  if (breaksRule) rung.held = `the venue refused it: ${message}`
  // The first refused order of a ladder is reported for all.
  const isTold = rungs.some(
    ({ level, held, wait }) =>
      level !== rung.level &&
      (breaksRule ? held !== null : wait.until > at && wait.count >= refusalsUntilTold),
  )
  if (count !== (breaksRule ? 1 : refusalsUntilTold) || isTold) return
  const { strategy, ladder, market, id, level } = order
  const what = breaksRule
    ? `level ${level} is omitted until the ladder is recomputed`
    : `level ${level} was refused ${count} times; the bot retries it every ${pause / 1000} s`
  notes.push({ type: 'alert', at, strategy, ladder, order: id, market, message: `${what}: ${message}` })
}

function exitRefused(context: StepContext, ladder: LadderState, order: Order, answer: RefusedOrder): void {
  const { state, notes } = context
  const pause = putOffExit(context, ladder, order, exitWaits)
  const message = `an exit was refused; retry in ${pause} ms: ${answer.message}`
  const { strategy, market, id } = order
  notes.push({ type: 'alert', at: state.at, strategy, ladder: order.ladder, order: id, market, message })
}

/** An exit waits only for its own refusals: each time longer, and never for more than a minute. */
export function putOffExit(
  { state }: StepContext,
  ladder: LadderState | undefined,
  { level }: Order,
  { fromMs, toMs }: typeof exitWaits,
): number {
  const count = (ladder?.exitWaits[level]?.count ?? 0) + 1
  const pause = Math.min(fromMs * 2 ** (count - 1), toMs, exitWaits.toMs)
  if (ladder) ladder.exitWaits[level] = { count, until: state.at + pause }
  return pause
}
