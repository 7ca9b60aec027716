import type { OrderDraft } from '#src/engine/commands.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Evidence, OrderAnswer, Searched, VenueFacts } from '#src/engine/events.ts'
import { inferFromFrozen } from './infer-from-frozen.ts'
import { exitFormOf } from '#src/engine/exits/exit-forms.ts'
import { haltStrategy, stopReason } from '#src/engine/rules/halts.ts'
import { takeInvested } from '#src/engine/account/idle-money.ts'
import { applyCommand } from './command-effects.ts'
import { doubtfulOrders, openOrdersOf } from '#src/engine/state/open-orders.ts'
import { markUnknown, end, exists, reportResolved, reportUnknown, takeProgress } from './order-progress.ts'
import { dueOf, waitingFor } from './order-plan.ts'
import { keepCrossed, wouldTake } from './refusals.ts'
import { fillBefore } from './replaced-orders.ts'
import { approveOrders } from '#src/engine/risk/risk-gate.ts'
import { awaitsPrice, isAccountUnread } from '#src/engine/state/session.ts'
import type { Order, StrategyState } from '#src/engine/state/state.ts'
import { rungPriceOf } from '#src/engine/ladder/slide.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** After this many sends without a clear answer, an order is only searched for. */
const attemptsMax = 4
/** The first pause between tries; each next one is twice as long, up to a minute. */
const pauseMs = { first: 2000, doublings: 5, most: 60_000 }

/**
 * A process has started: orders that were in flight at the end of the last one have an unknown outcome, and no search is running.
 */
export function takeSessionStart(context: StepContext, venue: VenueFacts): void {
  const { state } = context
  const addressBefore = state.venue.address
  state.venue = venue
  const wasLooking = state.looking !== null
  state.chunks = {}
  state.looking = null
  for (const order of openOrdersOf(state).values()) {
    const isUnproven = order.status === 'sending' || order.status === 'doubtful'
    if (isUnproven && addressBefore !== undefined && addressBefore !== venue.address)
      order.sentTo ??= addressBefore
    // A try that the end of a process has cut off does not count.
    if (wasLooking && order.status === 'doubtful') order.looks = Math.max(0, order.looks - 1)
    // The result of the cancel request is lost: it is sent again.
    order.withdrawing = false
    if (order.status === 'sending') markUnknown(context, order, 'the process ended while it was in flight')
  }
  for (const { investing } of Object.values(state.strategies))
    if (investing?.isDoubtful === false)
      takeInvested(context, {
        id: investing.id,
        outcome: 'unknown',
        message: 'the process ended while it was in flight',
      })
}

/**
 * For an order that was sent before: whether the answer leaves the result of the first attempt open. A refusal does, since the
 * first order may be its cause.
 */
export function isStillOpen({ attempts }: Order, answer: OrderAnswer): string | null {
  if (attempts < 2 || answer.kind === 'accepted' || answer.kind === 'unknown') return null
  if (answer.kind === 'refused')
    return answer.alreadyUsed ? null : `sent again, the venue refused it: ${answer.message}`
  return 'sent again, the venue did not reach it'
}

/**
 * The venue has an order with this id. An earlier attempt has placed it, the same call has reached the venue twice, or an earlier
 * use of this account has used the id, perhaps at another price. Only a list can tell, so the order is not sent again.
 */
export function markUsedIdUnknown(context: StepContext, order: Order, message: string): void {
  const when = order.attempts === 1 ? 'at the first submission' : 'at the second submission'
  if (order.attempts > 1) order.isUsed = true
  markUnknown(context, order, `its id was already used ${when}: ${message}`)
  order.attempts = 0
}

/**
 * Resolves orders with unknown outcome. If the venue never accepts an id twice, the same order is sent again while it is wanted:
 * either answer is a proof. Otherwise the driver searches for it. An outcome that stays unknown for too long halts the strategy,
 * and the search continues.
 */
export function pursueUnknown(context: StepContext): void {
  const { state, known } = context
  const doubtful = doubtfulOrders(state)
  if (doubtful.length === 0) return
  for (const order of doubtful) haltIfOld(context, order)
  if (state.ending) return
  const due = doubtful.filter((order) => reached(state, (order.doubtfulSince ?? 0) + waitOf(order)))
  const again = new Set<Order>()
  for (const [name, compiled] of known) {
    const own = state.strategies[name]
    if (own && state.running.includes(name))
      sendAgain(context, compiled, own, due).forEach((order) => again.add(order))
  }
  const overdue = due.filter((order) => !again.has(order))
  if (overdue.length === 0 || state.looking !== null) return
  // All of them: what the venue holds back for one order proves nothing while another one could be the cause.
  const sought = doubtful.filter((order) => !again.has(order))
  const sentSince = sought.reduce((since, order) => Math.min(since, earliestOf(order)), state.at)
  const searched = Object.fromEntries(sought.flatMap(({ id, search }) => (search ? [[id, search]] : [])))
  const look = {
    kind: 'look',
    ids: sought.map(({ id }) => id),
    sentSince,
    ...(Object.keys(searched).length > 0 && { searched }),
  } as const
  if (!applyCommand(context, look)) return
  for (const order of overdue) order.looks += 1
}

/** The earliest time at which the venue may have received the order: our clock may have been ahead of the venue's. */
export function earliestOf({ sentAt, heard = sentAt }: Order): number {
  return Math.min(sentAt, heard)
}

/** Time from the start of the unknown outcome to the next try. */
function waitOf({ looks, attempts }: Order): number {
  const tries = looks + Math.max(attempts, 1) - 1
  const doubled = pauseMs.first * (2 ** Math.min(tries, pauseMs.doublings) - 1)
  return doubled + pauseMs.most * Math.max(0, tries - pauseMs.doublings)
}

function haltIfOld(context: StepContext, order: Order): void {
  const { state, known } = context
  const own = state.strategies[order.strategy]
  const after = known.get(order.strategy)?.strategy.risk.in_doubt.halt_after
  if (!own || after === undefined) return
  if (!reached(state, (order.doubtfulSince ?? state.at) + after * state.venue.speed)) return
  const reason = `the outcome of ${order.id} has been unknown for ${after / 1000} s: rungs resolve ${order.id} resolves it`
  haltStrategy(context, order.strategy, { cause: 'doubt', reason })
}

/** The same ids with the same content, each in its own request, so that an existing order does not delay the others. */
function sendAgain(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  due: readonly Order[],
): readonly Order[] {
  const { state, notes } = context
  const { name: strategy, strategy: file } = compiled
  // Nothing may be sent during the search: it would not find what is sent meanwhile.
  if (state.venue.clientIds !== 'forever' || state.looking !== null) return []
  if (isAccountUnread(state)) return []
  const wanted = due.filter(
    (order) =>
      order.strategy === strategy &&
      isWanted(own, order) &&
      !awaitsPrice(state, order.market) &&
      !stopReason(state, strategy, order.role),
  )
  const role = wanted.some((order) => order.role === 'exit') ? 'exit' : 'entry'
  if (waitingFor(state, compiled, own) !== null) return []
  const most = Math.min(file.submit.chunk, state.venue.batchMax)
  const drafts = wanted.filter((order) => order.role === role).slice(0, most)
  const { approved } = approveOrders(state, file, drafts.map(draftOf))
  if (approved.length === 0) return []
  const { at } = state
  const orders = drafts.filter(({ id }) => approved.some((draft) => draft.id === id))
  const { nextChunk: chunk } = state
  const priority = role === 'exit' ? 'exits' : 'entries'
  const again = {
    kind: 'submit',
    chunk,
    strategy,
    orders: approved,
    stopOnFail: false,
    priority,
    ...dueOf(state, file, approved),
  } as const
  if (!applyCommand(context, again)) return []
  notes.push({ type: 'bulk-sent', at, strategy, chunk, orders: orders.length, kind: 'again' })
  return orders
}

/**
 * Whether the order would be placed now if it had never been sent. An order that the venue has confirmed once is not placed
 * again.
 */
function isWanted({ ladders }: StrategyState, { id, venueId, attempts, role, ...order }: Order): boolean {
  const ladder = ladders[order.ladder]
  if (!ladder || venueId !== null || attempts === 0 || attempts >= attemptsMax || order.withdrawing)
    return false
  // Without the order that it replaces it would be another request.
  if (order.amends) return false
  if (role === 'exit') {
    // An immediate order is not sent again while an earlier one may be open: it belongs to the prices of its time.
    const exit = exitFormOf(order.level)
    return order.ioc || exit?.wants?.(ladder.exits, exit.key, id) === true
  }
  const rung = ladder.rungs.find(({ level }) => level === order.level)
  const isLaid =
    rung !== undefined &&
    rung.price === rungPriceOf(order) &&
    rung.amount === order.amount &&
    rung.order === id
  return isLaid && ladder.goal === 'ensure' && ladder.frozen === null && !ladder.filled.includes(order.level)
}

function draftOf(order: Order): OrderDraft {
  const { id, strategy, ladder, level, generation, role, market, side, positionSide, price, amount } = order
  const { postOnly, ioc, rpi } = order
  const what = { id, strategy, ladder, level, generation, role, market, side, positionSide }
  return { ...what, price, amount, postOnly, ioc, rpi }
}

/** Keeps the progress of a search, so that a new process continues from it. */
export function takeSearched({ state }: StepContext, { orders }: Searched): void {
  for (const [id, search] of Object.entries(orders)) {
    const order = state.orders[id]
    if (order?.status === 'doubtful') order.search = search
  }
}

/**
 * Applies the result of a search. A found order is placed. An order that was not found is absent if all open orders are listed,
 * and if it never rests; for others only the held-back amount can tell. Every other outcome stays unknown.
 */
export function takeEvidence(context: StepContext, evidence: Evidence): void {
  const { state, known } = context
  state.looking = null
  const open = evidence.ids.flatMap((id) => {
    const order = state.orders[id]
    // The order was sent again after the fence: the search does not cover it.
    return order?.status === 'doubtful' && order.sentAt <= evidence.fencedAt ? [order] : []
  })
  const unreported = open
    .filter((order) => order.isUnreported)
    .map((order) => [order, order.why ?? ''] as const)
  const hidden: Order[] = []
  for (const order of open) {
    const found = evidence.found[order.id]
    const filled = fillBefore(state, order, evidence)
    const stranger = evidence.strangers?.[order.id]
    const isProof = evidence.listed || (order.ioc && evidence.freeze !== null)
    if (found) {
      if (takeProgress(context, order, found)) reportResolved(context, order, 'placed')
    } else if (stranger?.identity === 'unsure')
      order.why = `an order with the same id is older, by clocks that may differ: ${stranger.text}`
    else if (stranger?.identity === 'older' && state.venue.clientIds === 'forever')
      // The venue accepts an id once: it cannot have accepted ours.
      absent(context, order, `an older order has the same id: ${stranger.text}`)
    else if (order.sentTo !== undefined && order.sentTo !== state.venue.address)
      order.why = `it was sent to ${order.sentTo}; this address cannot prove that the order does not arrive there`
    else if (order.venueId !== null) order.why = 'the venue confirmed it once and does not list it now'
    else if (order.isUsed && !evidence.listed && evidence.freeze !== null && !order.ioc && !stranger) {
      // Without a list of open orders nothing more can be known: the order open under the id is the earlier attempt.
      exists(context, order)
      reportResolved(
        context,
        order,
        'placed',
        'its id is used, and the history shows no other order with this id',
      )
    } else if (filled) absent(context, order, filled)
    else if (isProof) absent(context, order, 'the venue does not list it')
    else hidden.push(order)
  }
  const held = inferFromFrozen(state, known, evidence, hidden)
  for (const order of hidden) {
    const verdict = held.get(order.id)
    if (verdict === 'placed') {
      exists(context, order)
      reportResolved(context, order, 'placed', 'by the frozen balance')
    } else if (verdict === 'absent') absent(context, order, 'the venue freezes no balance for it')
    else order.why = verdict?.why ?? order.why
  }
  for (const [order, why] of unreported) if (order.status === 'doubtful') reportUnknown(context, order, why)
}

function absent(context: StepContext, order: Order, why: string): void {
  reportResolved(context, order, 'absent', why)
  end(context, order, why)
  const { id, strategy, wouldTake: message } = order
  const own = context.state.strategies[strategy]
  if (own && message === undefined) keepCrossed(context, own, order)
  if (own && message !== undefined) wouldTake(context, context.known.get(strategy), own, order, message)
  if (order.attempts > 0) return
  const alert = `another order of this account has the id ${id}, as of a journal with the same tag: the bot uses higher numbers`
  context.notes.push({ type: 'alert', at: context.state.at, strategy, order: id, message: alert })
  const ladder = own?.ladders[order.ladder]
  // Skips ids that the earlier use of the account may have used, in growing steps.
  if (ladder) ladder.generations[order.level] = order.generation * 2
}

/** An operator's decision wins. */
export function resolveManually(
  context: StepContext,
  id: string,
  as: 'placed' | 'absent',
  reason: string,
): void {
  const order = context.state.orders[id]
  if (order?.status !== 'doubtful') return
  if (as === 'absent') return absent(context, order, `by an operator: ${reason}`)
  exists(context, order)
  reportResolved(context, order, 'placed', `by an operator: ${reason}`)
}
