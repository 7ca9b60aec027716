import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { mirrorKey } from '#src/strategy/schema/exit-labels.ts'
import { protectionText } from '#src/engine/exits/kinds/stop.ts'
import { lacksMoney } from '#src/engine/exits/exit-waits.ts'
import { crossed, rungPriceOf } from '#src/engine/ladder/slide.ts'
import type { Answered, Refusal, RefusalOf, RefusedOrder } from '#src/engine/events.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import type { Bound, LadderState, Order, RungState, State, StrategyState } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/**
 * The waits of an entry: 4 s, 16 s, about one minute and then about four minutes, without an end. With a bound they grow further,
 * since the entry is sent earlier when the bound may be gone.
 */
const entryWaitMsMax = 256_000
const boundWaitMsMax = { money: 1_024_000, price: 4_096_000 }
/** After this time without a refusal, the waits begin again with the first one. */
const sameRowMs = 200_000
const refusalsUntilTold = 4
const exitWaitMsLeast = 1000
export const exitWaitMsMax = 60_000
/** After the time for orders that rest, an immediate order with the same label waits at most this long. */
const postWaitMsMax = 4000

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
  if (policy === 'skip_level') {
    const { refusal, message } = answer
    const bound = boundOf(state, compiled, order, refusal)
    putOffEntry(context, own, order, { message, breaksRule: refusal === 'breaks-rule', bound })
  }
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

/** A post-only order would have traded at once. A mirror may do so then; an entry moves behind the market, or waits. */
export function wouldTake(
  context: StepContext,
  compiled: Compiled | undefined,
  own: StrategyState,
  order: Order,
  message: string,
): void {
  const { state } = context
  const mine = own.ladders[order.ladder]
  if (!mine) return
  if (order.role === 'exit') {
    const isMirror = mirrorKey(order.level) !== undefined
    if (isMirror) mine.exitWaits[order.level] = { count: 0, until: state.at, takes: true }
    // The next order to close the position rests at another price.
    else putOffExit(context, mine, order, { fromMs: exitWaitMsLeast, toMs: postWaitMsMax })
    return
  }
  const rung = mine.rungs.find(({ level }) => level === order.level)
  const ladder = compiled?.ladders.find(({ name }) => name === order.ladder)
  // A rung with a new price starts over.
  if (compiled && ladder && rung?.price === rungPriceOf(order))
    crossed({ state, compiled, ladder }, rung, order, message)
}

/** The venue does not have the order: its rung is placed behind the market again. */
export function keepCrossed({ state }: StepContext, own: StrategyState, order: Order): void {
  const { crossings: count, rungPrice, price } = order
  const rung = own.ladders[order.ladder]?.rungs.find(({ level }) => level === order.level)
  if (count === undefined || rung?.price !== rungPriceOf(order)) return
  const beyond = rungPrice === undefined ? null : price
  rung.crossed = { count, at: state.at, until: state.at, beyond, why: 'it was not sent' }
}

type PutOff = { message: string; breaksRule?: boolean; bound?: Bound | undefined }

function boundOf(
  state: State,
  { strategy }: Compiled,
  order: Order,
  refusal: Refusal | undefined,
): Bound | undefined {
  if (refusal === 'no-funds') return { of: 'money', at: state.at }
  if (refusal !== 'price-band') return undefined
  const price = nearPriceOf(state, strategy, order.market)?.value
  return { of: 'price', far: price === undefined ? 0 : Math.abs(Number(order.price) - price) / price }
}

/**
 * Retried after a while, each time later. An order that breaks a rule of the market is not retried before the ladder is
 * recomputed; and it waits then, too, since a following ladder is recomputed all the time.
 */
export function putOffEntry(
  { state, notes }: StepContext,
  own: StrategyState,
  order: Order,
  { message, breaksRule = false, bound }: PutOff,
): void {
  const { at } = state
  const rungs = own.ladders[order.ladder]?.rungs ?? []
  const rung = rungs.find(({ level }) => level === order.level)
  if (!rung || order.role === 'exit') return
  // Of a bound, the rung that was refused last may have been another one of its side.
  const isOfRow = (each: RungState) =>
    each === rung || (bound !== undefined && each.side === rung.side && each.wait.until <= at)
  const row = rungs.filter(isOfRow)
  const count = 1 + Math.max(...row.map(({ wait }) => (at < wait.until + sameRowMs ? wait.count : 0)))
  const pause = Math.min(1000 * 4 ** count, bound === undefined ? entryWaitMsMax : boundWaitMsMax[bound.of])
  rung.wait = { count, until: at + pause, why: message, ...(bound && { bound }) }
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
    : `level ${level} was refused ${count} times; the bot retries it after ${pause / 1000} s`
  notes.push({ type: 'alert', at, strategy, ladder, order: id, market, message: `${what}: ${message}` })
}

/** The venue has ended a stop that waited there, and it has closed nothing. */
export function stopLost(context: StepContext, ladder: LadderState, order: Order): void {
  putOffExit(context, ladder, order, { fromMs: exitWaitMsLeast, toMs: exitWaitMsMax })
  const wait = ladder.exitWaits[order.level]
  if (wait) wait.lost = `${order.id}: ${order.why}`
}

function exitRefused(context: StepContext, ladder: LadderState, order: Order, answer: RefusedOrder): void {
  const { state, notes } = context
  const { strategy, market, id, level } = order
  // Other exits only close, and need no money.
  const isPoor = answer.refusal === 'no-funds' && mirrorKey(level) !== undefined
  const others = Object.keys(ladder.exitWaits).filter((label) => label !== level && lacksMoney(ladder, label))
  // It is sent earlier when money is free.
  const toMs = isPoor ? entryWaitMsMax : exitWaitMsMax
  const pause = putOffExit(context, ladder, order, { fromMs: exitWaitMsLeast, toMs })
  const wait = ladder.exitWaits[level]
  if (isPoor && wait) wait.lacksMoneySince = state.at
  const { count = 1 } = wait ?? {}
  // One alert for all mirrors that lack money, and after that for each power of two.
  if (!Number.isInteger(Math.log2(count)) || (isPoor && count === 1 && others.length > 0)) return
  const times = count === 1 ? '' : ` ${count} times`
  const what =
    order.activation === undefined
      ? 'an exit was refused'
      : `${protectionText(state, ladder)}: the order was refused`
  const message = `${what}${times}; retry in ${pause / 1000} s: ${answer.message}`
  notes.push({ type: 'alert', at: state.at, strategy, ladder: order.ladder, order: id, market, message })
}

/** An exit waits for its own refusals: each time longer. */
export function putOffExit(
  { state }: StepContext,
  ladder: LadderState | undefined,
  { level, activation }: Order,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): number {
  const { count: before = 0, until = 0 } = ladder?.exitWaits[level] ?? {}
  // The acceptance of a stop does not end its waits; time does.
  const isOver = activation !== undefined && state.at > until + exitWaitMsMax
  const count = (isOver ? 0 : before) + 1
  const pause = Math.min(fromMs * 2 ** (count - 1), toMs)
  if (ladder) ladder.exitWaits[level] = { count, until: state.at + pause }
  return pause
}
