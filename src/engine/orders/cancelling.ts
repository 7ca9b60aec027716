import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { amendOrders } from './amend-plan.ts'
import { cancelAgainMs as againMs, applyCommand } from './command-effects.ts'
import {
  noteChange,
  openEntriesCount,
  openOrdersOfLadder,
  openOrdersOfStrategy,
  secondsOf,
} from '#src/engine/state/open-orders.ts'
import type { LadderStatuses } from '#src/engine/ladder/kept-statuses.ts'
import type { RungStatuses } from '#src/engine/ladder/rung-status.ts'
import type { LadderState, Order, State, StrategyState } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** Cancels orders that should no longer rest, if the venue can cancel; a few of those that move are amended. */
export function cancelOrders(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  exits: readonly string[],
  standingIn: RungStatuses,
): void {
  const { state } = context
  if (!compiled.canCancel) return
  const orders: Order[] = exits.flatMap((id) => state.orders[id] ?? [])
  // A stop of everything leaves entries open; a halt cancels them.
  const cancelsEntries = state.stopped === null || own.halted !== null
  for (const ladder of cancelsEntries ? compiled.ladders : []) {
    const mine = own.ladders[ladder.name]
    if (!mine || openOrdersOfLadder(state, mine).size === 0) continue
    const isWanted = own.halted === null && (mine.goal === 'ensure' || mine.goal === 'freeze')
    const statuses = isWanted ? standingIn(ladder) : undefined
    const staying = statuses ? stayingOf(mine, statuses.unsettled) : []
    if (staying.length + (statuses?.resting ?? 0) === openEntriesCount(state, mine)) continue
    const stays = new Set(statuses ? stayingOf(mine, statuses.all) : [])
    orders.push(...entriesOf(context, mine).filter((order) => !stays.has(order)))
  }
  for (const name in own.ladders) orders.push(...secondsOf(state, own.ladders[name]!))
  // Ladders that the file no longer has.
  for (const [name, mine] of Object.entries(own.ladders))
    if (cancelsEntries && !compiled.ladders.some((ladder) => ladder.name === name))
      orders.push(...entriesOf(context, mine))
  const wanted = new Set<Order>()
  for (const order of orders) {
    // An order that both an exit and its ladder cancel is requested once.
    if (order.status !== 'resting' || order.withdrawing || !reached(state, order.withdrawAfter)) continue
    wanted.add(order)
  }
  if (wanted.size === 0) return
  const amended = amendOrders(context, compiled, own, wanted, standingIn)
  const named = [...wanted.difference(amended)].map(({ id, market, venueId }) => ({ id, market, venueId }))
  if (named.length > 0) applyCommand(context, { kind: 'cancel', strategy: compiled.name, orders: named })
}

/** The orders are wanted again: earlier refusals to cancel them no longer count. */
function stayingOf({ omitted }: LadderState, statuses: LadderStatuses['all']): Order[] {
  const staying: Order[] = []
  for (const { rung, order, fits, isFar, reason } of statuses) {
    const stays = fits || reason?.kind === 'young order'
    if (!order || !stays || isFar || omitted?.[rung.level] !== undefined) continue
    if (order.refusals > 0) {
      Object.assign(order, { refusals: 0, why: null })
      delete order.cancelRefusal
    }
    staying.push(order)
  }
  return staying
}

/** With growing pauses: at a slow venue, requests to cancel would otherwise take the place of the reads of the account. */
export function cancelAgainLater({ state }: Pick<StepContext, 'state'>, order: Order, why: string): void {
  const pause = againMs.first * 2 ** Math.min(order.refusals, againMs.doublingsMost)
  cancelAgain(state, order, why, Math.min(pause, againMs.most))
}

function cancelAgain(state: State, order: Order, why: string, pauseMs: number): void {
  order.withdrawAfter = state.at + pauseMs
  order.refusals += 1
  order.why = why
  noteChange(state, order)
}

/**
 * The venue refuses to cancel: the bot retries, and reports each reason once. A limit of the venue says nothing about the order,
 * and the client waits for it: after it, the order must not stay open for longer than needed.
 */
export function cancelRefused(
  context: StepContext,
  order: Order,
  outcome: 'refused' | 'throttled',
  message: string,
): void {
  const { state, notes } = context
  const { id, strategy, ladder, market } = order
  const why = `the venue did not cancel it: ${message}`
  const open = [...openOrdersOfStrategy(state, strategy)]
  const isKnown = open.some((each) => each.cancelRefusal === message)
  if (outcome === 'throttled') cancelAgain(state, order, why, againMs.first)
  else cancelAgainLater(context, order, why)
  order.cancelRefusal = message
  if (isKnown) return
  const atMostMs = outcome === 'throttled' ? againMs.first : againMs.most
  const again = `the bot retries, at most every ${atMostMs / 1000} s`
  notes.push({
    type: 'alert',
    at: state.at,
    strategy,
    ladder,
    order: id,
    market,
    message: `${id} is still open: ${why}; ${again}`,
  })
}

function entriesOf({ state }: StepContext, { open }: LadderState): Order[] {
  const entries: Order[] = []
  for (const id of Object.values(open)) {
    const order = state.orders[id]
    if (order?.role === 'entry') entries.push(order)
  }
  return entries
}
