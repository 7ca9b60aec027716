import type { OrderDraft } from '#src/engine/commands.ts'
import { barred, type RungStatuses } from '#src/engine/ladder/rung-status.ts'
import { placedAt } from '#src/engine/ladder/slide.ts'
import { approveOrders } from '#src/engine/risk/risk-gate.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import type { Order, State, StrategyState } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { StepContext } from '#src/engine/step-context.ts'
import { amendMost } from '#src/strategy/schema/ladder-schema.ts'
import { clientIdOf } from './order-ids.ts'
import { draftOf, sendEntries, waitingFor } from './order-plan.ts'

/**
 * Amends orders of rungs that have moved, and returns those that stay at the venue for that. An amendment is a request for one
 * order: a few orders are amended one after the other, and more are cancelled and placed together. Both orders count in full
 * until the end of the old one is known. If one of them cannot be amended now, all are cancelled.
 */
export function amendOrders(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  unwanted: ReadonlySet<Order>,
  standingIn: RungStatuses,
): ReadonlySet<Order> {
  const { state } = context
  if (!compiled.ladders.some(({ follows }) => follows?.amend)) return none
  const moved = [...unwanted].filter(({ role }) => role === 'entry')
  if (moved.length === 0 || moved.length > amendMost) return none
  const drafts = moved.flatMap((order) => amendmentOf(state, compiled, own, order, standingIn) ?? [])
  if (drafts.length < moved.length) return none
  if (isAmending(state, compiled)) return new Set(moved)
  if (waitingFor(state, compiled, own) !== null) return none
  const { approved } = approveOrders(state, compiled.strategy, drafts)
  if (approved.length < drafts.length) return none
  sendEntries(context, compiled, own, { orders: approved.slice(0, 1), stopOnFail: false })
  return new Set(moved)
}

const none: ReadonlySet<Order> = new Set()

/** Whether an amendment of the strategy has no answer yet: the next one follows it. */
function isAmending({ chunks, orders }: State, { name }: Compiled): boolean {
  return Object.values(chunks).some(
    ({ strategy, ids }) => strategy === name && orders[ids[0] ?? '']?.amends !== undefined,
  )
}

/** The order that replaces this one; undefined where its rung could not be placed, or its record at the venue is not known. */
function amendmentOf(
  state: State,
  compiled: Compiled,
  own: StrategyState,
  order: Order,
  standingIn: RungStatuses,
): OrderDraft | undefined {
  const { id, level, venueId } = order
  const ladder = compiled.ladders.find(({ name }) => name === order.ladder)
  const mine = own.ladders[order.ladder]
  if (!ladder?.follows?.amend || !mine || !venueId || !reached(state, mine.amendAfter ?? 0)) return undefined
  const status = standingIn(ladder).unsettled.find((each) => each.order === order)
  const hasMoved = status?.reason?.kind === 'former order' && !status.isFar && !mine.filled.includes(level)
  if (!status || !hasMoved) return undefined
  const view = { state, compiled, whole: own, ladder, own: mine }
  const price = nearPriceOf(state, compiled.strategy, ladder.symbol)?.value
  if (barred(view, status.rung, price) !== null) return undefined
  const draft = draftOf(view, status.rung, placedAt(view, status.rung))
  return { ...draft, amends: { id, venueId, clientId: clientIdOf(order) } }
}
