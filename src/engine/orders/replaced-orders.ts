import { isLess } from '#src/core/money/decimal.ts'
import type { Evidence, OrderAnswer } from '#src/engine/events.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'
import { end, markRaced, reportResolved } from './order-progress.ts'

/** After a refused amendment, the orders of the ladder are cancelled and placed for this time. */
const refusedMs = 60_000

/**
 * The venue does not have the order that this one would replace. If that one has not filled, an earlier delivery of the same
 * request may have replaced it.
 */
export function takeGone(context: StepContext, order: Order, message: string): void {
  const replaced = context.state.orders[order.amends?.id ?? '']
  if (replaced && isWhole(replaced)) end(context, order, filledFirst(replaced))
  else markRaced(context, order, `the venue no longer has the order that it replaces: ${message}`)
}

/**
 * What the answer for an order says of the order that it replaces. Its end is proved by the history alone, and that the venue
 * has kept it, by its lists.
 */
export function takeAnswerOfReplaced(context: StepContext, { amends }: Order, answer: OrderAnswer): void {
  const { state } = context
  const replaced = state.orders[amends?.id ?? '']
  // An accepted order has ended it: the history tells how far it came.
  if (!replaced || replaced.status === 'ended' || answer.kind === 'accepted') return
  replaced.withdrawing = false
  // After a clear answer a request to cancel it needs no pause.
  if (answer.kind !== 'unknown') replaced.withdrawAfter = 0
  if (answer.kind !== 'refused') return
  if (answer.refusal === 'gone')
    return markRaced(context, replaced, `the venue no longer has the order: ${answer.message}`)
  const own = state.strategies[replaced.strategy]?.ladders[replaced.ladder]
  if (own) own.amendAfter = state.at + refusedMs
}

/** An order that has filled whole was not replaced: an order with unknown outcome that would replace it does not exist. */
export function resolveByFill(context: StepContext, replaced: Order): void {
  const { state } = context
  if (!isWhole(replaced)) return
  const { open = {} } = state.strategies[replaced.strategy]?.ladders[replaced.ladder] ?? {}
  const order = state.orders[open[replaced.level] ?? '']
  const isOpen = order?.status === 'doubtful' && order.venueId === null
  if (!isOpen || order.amends?.id !== replaced.id) return
  const reason = filledFirst(replaced)
  reportResolved(context, order, 'absent', reason)
  end(context, order, reason)
}

/** Why an order that would replace another one cannot exist, if a search has found that one filled whole. */
export function fillBefore({ orders }: State, { amends }: Order, { found }: Evidence): string | null {
  const replaced = orders[amends?.id ?? '']
  const filled = replaced && found[replaced.id]?.filled
  return replaced && filled && isWhole({ ...replaced, filled }) ? filledFirst(replaced) : null
}

function isWhole({ filled, amount }: Order): boolean {
  return !isLess(filled, amount)
}

function filledFirst({ id }: Order): string {
  return `${id}, which it would replace, has filled`
}
