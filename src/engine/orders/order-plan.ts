import { exitName } from '#src/strategy/schema/exit-labels.ts'
import { dueExits } from '#src/engine/exits/exit-waits.ts'
import { applyCommand } from './command-effects.ts'
import { areOrdersPaused, pauseReason } from './order-pause.ts'
import { orderId } from './order-ids.ts'
import { naming } from './order-progress.ts'
import { byDistance, sendingOrder, recordOrder, type Ready } from './sending-order.ts'
import { staleFrom, nearPriceOf } from '#src/engine/state/prices.ts'
import { approveOrders, type RiskBlock, type GateResult } from '#src/engine/risk/risk-gate.ts'
import { awaitsPrice } from '#src/engine/state/session.ts'
import type { ApprovedOrder, OrderDraft, Submit } from '#src/engine/commands.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { placedAt } from '#src/engine/ladder/slide.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { isReady } from '#src/engine/ladder/resting-window.ts'
import { rungStatuses, type RungStatuses } from '#src/engine/ladder/rung-status.ts'
import type { LadderStatuses } from '#src/engine/ladder/kept-statuses.ts'
import { hasBound } from '#src/engine/ladder/rungs-behind.ts'
import type { Reason, RungStatus } from '#src/engine/ladder/reason.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { LadderView, StepContext } from '#src/engine/step-context.ts'

/** An order that has waited longer is not worth sending. */
const dueMs = 10_000

/** Until when a request is worth sending: entries only while their prices are fresh. */
export function dueOf(
  state: State,
  strategy: Strategy,
  orders: readonly OrderDraft[],
): Pick<Submit, 'dueAt' | 'sendBy'> {
  const dueAt = state.at + dueMs
  const ages = orders.map(({ role, market }) =>
    role === 'entry' ? staleFrom(state, strategy, market) : Infinity,
  )
  const sendBy = Math.min(...ages)
  return sendBy < dueAt ? { dueAt, sendBy } : { dueAt }
}
/** An exit that the risk gate has blocked is not checked again before this time. */
const blockedMs = 5000

export type PlannedLadder = LadderView & { standings: LadderStatuses; held: BlockedRung | undefined }

/**
 * The first rung of a ladder that the risk gate blocks. `reason` only if it is news: it states the sums of the plan, to which the
 * orders are added when they are sent.
 */
type BlockedRung = { level: string; news: string; reason: BlockedReason | undefined }
type BlockedReason = { kind: RiskBlock['kind'] } & ReturnType<RiskBlock['words']>

/** The orders that could be placed now, in the order of sending, and the result of the risk gate. */
export type OrderPlan = {
  ladders: PlannedLadder[]
  approved: ApprovedOrder[]
  stopOnFail: boolean
  /** By id of the draft. */
  blocked: Map<string, RiskBlock>
}

/** `most`: how many orders are sent at once. Orders that have to wait for the next request are not checked yet. */
export function planEntries(
  state: State,
  compiled: Compiled,
  own: StrategyState,
  standingIn: RungStatuses = rungStatuses(state, compiled, own),
  most = Infinity,
): OrderPlan {
  const plan: OrderPlan = { ladders: [], approved: [], stopOnFail: false, blocked: new Map() }
  const ready: Ready[][] = []
  for (const ladder of compiled.ladders) {
    const mine = own.ladders[ladder.name]
    if (!mine) continue
    const standings = standingIn(ladder)
    const planned = { state, compiled, whole: own, ladder, own: mine, standings, held: undefined }
    plan.ladders.push(planned)
    ready.push(draftsOf(planned))
  }
  const { drafts, sorted } = sendingOrder(compiled, ready)
  const stopping = new Set<string>()
  for (const { ladder, standings } of plan.ladders)
    if (ladder.stopsOnFail || hasBound(standings.unsettled)) stopping.add(ladder.name)
  // Ladders with another policy have chunks of their own.
  for (const policy of [true, false]) {
    const some = drafts.filter(({ ladder }) => stopping.has(ladder) === policy)
    if (some.length === 0) continue
    const { approved, blocked } = approveOrders(state, compiled.strategy, some, { stopOnFail: policy, most })
    for (const block of blocked) plan.blocked.set(block.draft.id, block)
    // Drafts that are all blocked, each by itself, are blocked in any order.
    if (policy || approved.length > 0) for (const list of sorted) recordOrder(list)
    if (approved.length > 0 && plan.approved.length === 0)
      Object.assign(plan, { approved, stopOnFail: policy })
  }
  if (plan.blocked.size > 0) for (const planned of plan.ladders) planned.held = heldIn(plan, planned)
  return plan
}

function heldIn({ blocked }: OrderPlan, planned: PlannedLadder): BlockedRung | undefined {
  for (const status of planned.standings.unsettled) {
    const block = isReady(status) ? blocked.get(draftOf(planned, status.rung).id) : undefined
    if (!block) continue
    const { kind, words } = block
    const news = `risk ${kind}`
    const reason = news === planned.own.blocked ? undefined : { kind, ...words() }
    return { level: status.rung.level, news, reason }
  }
  return undefined
}

type Blocked = GateResult['blocked'][number]

/** The rungs of one ladder, the nearest first. */
function draftsOf(planned: PlannedLadder): Ready[] {
  const { state, compiled, ladder, own, standings } = planned
  const ready = standings.unsettled.filter(isReady)
  if (ready.length === 0) return []
  const price = nearPriceOf(state, compiled.strategy, ladder.symbol)?.value ?? Number(own.anchor)
  const drafts = ready
    .map(({ rung }) => ({
      draft: draftOf(planned, rung, placedAt(planned, rung)),
      far: Math.abs(Number(rung.price) - price) / price,
      price,
    }))
    .sort(byDistance)
  if (!hasBound(standings.unsettled)) return drafts
  recordOrder(drafts)
  return drafts.slice(0, compiled.strategy.submit.chunk)
}

export function draftOf(
  { state, compiled: { name }, ladder: laddered, own }: LadderView,
  { level, side, price: rungPrice, amount, crossed }: RungStatus['rung'],
  price = rungPrice,
): OrderDraft {
  const { name: ladder, symbol, positionSide, file } = laddered
  const generation = (own.generations[level] ?? 0) + 1
  return {
    id: orderId(state, name, laddered, level, generation),
    strategy: name,
    ladder,
    level,
    generation,
    role: 'entry',
    market: symbol,
    side,
    positionSide,
    price,
    amount,
    postOnly: file.flags.postOnly,
    ioc: false,
    rpi: file.flags.rpi,
    ...(price !== rungPrice && { rungPrice }),
    ...(crossed && { crossings: crossed.count }),
  }
}

/** Why this strategy can send nothing now, although it may soon. */
export function waitingFor(state: State, { name, strategy }: Compiled, own: StrategyState): Reason | null {
  const change = 'the bot continues by itself'
  if (areOrdersPaused(state)) return pauseReason(state)
  for (const chunk in state.chunks)
    if (state.chunks[chunk]?.strategy === name)
      return { kind: 'waits', why: `chunk ${chunk} has no answer yet`, change }
  if (!reached(state, own.throttled.until))
    return {
      kind: 'waits',
      why: `the rate limit refused it ${own.throttled.count} times`,
      change: `retry in ${Math.ceil((own.throttled.until - state.at) / 1000)} s`,
    }
  const { requests, per } = strategy.submit.rate
  if (hasSent(state, own, requests, per))
    return { kind: 'waits', why: `${requests} requests were sent within ${per / 1000} s`, change }
  return null
}

/** Whether so many requests were sent within this time. Only then it matters when the time of a request ends. */
function hasSent(state: State, { sends }: StrategyState, most: number, ms: number): boolean {
  const recent = sends.filter(({ at }) => state.at < at + ms)
  if (recent.length < most) return false
  for (const { at } of recent) reached(state, at + ms)
  return true
}

/**
 * Exits wait only for earlier exits. Entries stop at the number of requests that the file allows, and exits at twice that number,
 * so exits always have as many for themselves.
 */
export function placeExits(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  drafts: readonly OrderDraft[],
): void {
  if (drafts.length > 0) placeSome(context, compiled, own, drafts)
}

function placeSome(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  drafts: readonly OrderDraft[],
): void {
  const { state } = context
  const priced = drafts.filter(({ market }) => !awaitsPrice(state, market))
  const ready = dueExits(state, own, priced)
  const { requests, per } = compiled.strategy.submit.rate
  if (ready.length === 0 || areOrdersPaused(state) || hasSent(state, own, 2 * requests, per)) return
  const isOut = Object.values(state.chunks).some(
    ({ strategy, ids }) => strategy === compiled.name && state.orders[ids[0] ?? '']?.role === 'exit',
  )
  if (isOut) return
  const { approved, blocked } = approveOrders(state, compiled.strategy, ready)
  for (const block of blocked) keepExit(context, own, block)
  const most = Math.min(compiled.strategy.submit.chunk, state.venue.batchMax)
  // A conditional order has a request of its own, which counts like any other.
  const apart = approved.findIndex(({ activation }) => activation !== undefined)
  const leaving = approved.slice(0, apart === -1 ? most : Math.min(most, Math.max(1, apart)))
  if (leaving.length > 0)
    send(context, compiled, own, { orders: leaving, stopOnFail: false, priority: 'exits' })
}

/** An exit that a limit blocks is reported once, and checked again from time to time. */
function keepExit({ state, notes }: StepContext, own: StrategyState, { draft, kind, words }: Blocked): void {
  const { strategy, ladder, level, market, id: order } = draft
  const waits = own.ladders[ladder]?.exitWaits
  if (!waits) return
  const { at } = state
  if (waits[level] === undefined) {
    const { why: reason, change } = words()
    notes.push({
      type: 'risk-blocked',
      at,
      strategy,
      ladder,
      rung: level,
      market,
      order,
      kind,
      reason,
      change,
    })
  }
  waits[level] = { count: waits[level]?.count ?? 0, until: at + blockedMs }
  reached(state, at + blockedMs)
}

/**
 * Sends the next chunk, if there is one. At most one chunk is in flight, so that each decision knows the result of the last.
 * Returns the plan it was chosen from.
 */
export function placeEntries(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  standingIn: RungStatuses,
): OrderPlan | undefined {
  const { state } = context
  // Without a rung to place, and without a blocking limit, no wait matters.
  const isBlocked = compiled.ladders.some(({ name }) => (own.ladders[name]?.blocked ?? null) !== null)
  const hasWork = isBlocked || compiled.ladders.some((ladder) => standingIn(ladder).unsettled.some(isReady))
  if (!hasWork || waitingFor(state, compiled, own) !== null) return undefined
  const most = Math.min(compiled.strategy.submit.chunk, state.venue.batchMax)
  // Whether a limit still blocks a ladder is known once all its orders are checked.
  const plan = planEntries(state, compiled, own, standingIn, isBlocked ? Infinity : most)
  const { approved, stopOnFail } = plan
  if (approved.length > 0)
    sendEntries(context, compiled, own, { orders: approved.slice(0, most), stopOnFail })
  return plan
}

export function sendEntries(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  chunk: Pick<Submit, 'orders' | 'stopOnFail'>,
): void {
  send(context, compiled, own, { ...chunk, priority: 'entries' })
}

function send(
  context: StepContext,
  { name: strategy, strategy: file }: Compiled,
  own: StrategyState,
  { orders, stopOnFail, priority }: Pick<Submit, 'orders' | 'stopOnFail' | 'priority'>,
): void {
  const { state, notes } = context
  const { at, nextChunk: chunk } = state
  const longest = Math.max(file.submit.rate.per, file.risk.order_rate?.per ?? 0)
  own.sends = own.sends.filter((sent) => sent.at > at - longest)
  const due = dueOf(state, file, orders)
  if (!applyCommand(context, { kind: 'submit', chunk, strategy, orders, stopOnFail, priority, ...due }))
    return
  const kind = orders[0]?.amends ? 'amend' : priority
  notes.push({ type: 'bulk-sent', at, strategy, chunk, orders: orders.length, kind })
  for (const { id, role, level, price, amount } of orders) {
    const order = role === 'exit' ? state.orders[id] : undefined
    if (order) notes.push({ type: 'exit-sent', at, ...naming(order), kind: exitName(level), price, amount })
  }
}
