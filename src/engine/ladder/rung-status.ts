import { openOrdersOfLadder, secondsOf } from '#src/engine/state/open-orders.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import { omission } from '#src/engine/orders/cancel-by-operator.ts'
import type { Reason, RungStatus } from './reason.ts'
import { awaitsPrice, isAccountUnread } from '#src/engine/state/session.ts'
import { cooling } from '#src/engine/exits/cooldown.ts'
import { rungPriceOf } from './slide.ts'
import { keepBehind, keepUntilEnded } from './rungs-behind.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import { boundWords, mayBeAdmitted } from './venue-bounds.ts'
import { RungDistances } from './rung-distances.ts'
import { staleSignal } from './stale-signal.ts'
import { edgeAt, reached, unrecorded } from '#src/engine/state/validity.ts'
import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderView } from '#src/engine/step-context.ts'
import type { Order, RungState, State, StrategyState } from '#src/engine/state/state.ts'

/** The status of each ladder, computed once, until an order of a rung is sent or ends. */
export function rungStatuses(state: State, compiled: Compiled, own: StrategyState): RungStatuses {
  const known = new Map<string, RungStatus[]>()
  return (ladder) => {
    let found = known.get(ladder.name)
    if (!found) {
      const mine = own.ladders[ladder.name]
      found = mine ? rungStatusesOf({ state, compiled, whole: own, ladder, own: mine }) : []
      known.set(ladder.name, found)
    }
    return found
  }
}

/** For the rungs that compete for a place; a filled rung does not, and without a price no rung does. */
export type RungStatuses = (ladder: CompiledLadder) => RungStatus[]

/** Prices are compared as doubles here: the comparison finds near rungs and computes no money. */
function rungStatusesOf(view: LadderView): RungStatus[] {
  const { state, compiled, ladder, own } = view
  const { canCancel } = compiled
  const alive = openOrdersOfLadder(state, own)
  const price = nearPriceOf(state, compiled.strategy, ladder.symbol)?.value
  const isWindow = ladder.window.max !== undefined || ladder.window.within !== undefined
  // All rungs of a due ladder are placed again as soon as it is computed.
  const filled = new Set(isDue(view) && !hasMirrors(ladder) ? [] : own.filled)
  const needsPlace = ({ level }: RungState) => isWindow && (!filled.has(level) || alive.has(level))
  const distances = new RungDistances(ladder.symbol, own.rungs, needsPlace, price)
  const statuses = own.rungs.map((rung, index): RungStatus => {
    const order = alive.get(rung.level) ?? null
    const isSame = order !== null && rungPriceOf(order) === rung.price && hasAmount(view, order, rung)
    // An order from an earlier episode offers only its rest.
    const fits = isSame && order.isFormer !== true
    if (order) {
      const reason = otherOrder(rung, order, fits, canCancel) ?? omission(compiled.name, own, rung.level)
      return { rung, order, fits, isFar: isFar(ladder, index, distances), reason }
    }
    const reason = filled.has(rung.level) ? filledReason(ladder) : barred(view, rung, price)
    return { rung, order, fits, isFar: false, reason }
  })
  if (isWindow) giveOutPlaces(view, statuses, distances)
  keepBehind(ladder, statuses, distances)
  if (ladder.followsFills) keepUntilEnded(unwantedOf(view, statuses), statuses)
  return statuses
}

/**
 * A ladder that follows fills has counted what the order has filled: its rest is what the rung still wants. Until the size is
 * computed again after a fill, nothing is known about it. A rung with a mirror is not placed for its rest.
 */
function hasAmount(view: LadderView, order: Order, { amount }: RungState): boolean {
  const { ladder } = view
  if (!ladder.followsFills || hasMirrors(ladder)) return order.amount === amount
  return isDue(view) || leftOf(order).eq(amount)
}

function hasMirrors({ file }: CompiledLadder): boolean {
  return file.exit?.mirror !== undefined
}

/** A fill has changed its sizes, and they are not computed again yet. */
function isDue({ ladder, own }: LadderView): boolean {
  return ladder.followsFills && own.isDue === true
}

/** An open entry of the ladder that is not what its rungs want now. */
function unwantedOf({ state, own }: LadderView, statuses: readonly RungStatus[]): Order | undefined {
  const wanted = new Set(statuses.flatMap(({ order, fits }) => (order && fits ? [order] : [])))
  const open = [...openOrdersOfLadder(state, own).values(), ...secondsOf(state, own)]
  return open.find((order) => order.role === 'entry' && !wanted.has(order))
}

/** So far beyond the window that the order is cancelled; without a price, resting orders stay. */
function isFar(
  { window: { max, within } }: CompiledLadder,
  index: number,
  distances: RungDistances,
): boolean {
  return (
    (max !== undefined && distances.hasNearer(index, max + 1)) ||
    (within !== undefined && !distances.isWithin(index, within, 'one step more'))
  )
}

/** Of the rungs that could be placed, the nearest ones up to the window. */
function giveOutPlaces(
  { compiled: { canCancel }, ladder }: LadderView,
  statuses: readonly RungStatus[],
  distances: RungDistances,
): void {
  const { max } = ladder.window
  const ready: number[] = []
  statuses.forEach((status, index) => isReady(status) && ready.push(index))
  if (ready.length === 0) return
  // If the venue cannot cancel, far orders stay, and must not block near ones.
  const places = canCancel && max !== undefined && distances.isPriced ? max : Infinity
  const room = places - statuses.filter(({ order }) => order !== null).length
  // If no place is free, it decides nothing which rungs are inside the window.
  const near = room > 0 ? ready.filter((index) => !isOutside(ladder, index, distances)) : []
  const placed = near.length > room ? near.sort((a, b) => distances.compare(a, b)).slice(0, room) : near
  const others = ready.filter((index) => !placed.includes(index))
  for (const index of others)
    statuses[index]!.reason = unrecorded(
      () =>
        outside(ladder, index, distances) ?? {
          kind: 'crowded',
          why: `${max} of ${statuses.length} rungs already rest`,
          change: 'the bot cancels the farthest order when it is two rungs farther away than this rung',
        },
    )
  const waiting = room > 0 ? near.filter((index) => !placed.includes(index)) : others
  if (places !== Infinity) makeRoom(ladder, statuses, waiting, distances)
}

/**
 * An order just outside the window, which is kept to save a move, gives up its place for a rung that is nearer by more than one:
 * otherwise the resting orders would depend on the path of prices.
 */
function makeRoom(
  ladder: CompiledLadder,
  statuses: readonly RungStatus[],
  waiting: readonly number[],
  distances: RungDistances,
): void {
  const { max = 0, within } = ladder.window
  const isNear = (index: number) =>
    !distances.hasNearer(index, max - 1) && (within === undefined || distances.isWithin(index, within))
  if (!waiting.some(isNear)) return
  const kept = statuses.findIndex(
    ({ order, isFar }, index) => order !== null && !isFar && distances.hasNearer(index, max),
  )
  if (kept !== -1) statuses[kept]!.isFar = true
}

function isOutside(ladder: CompiledLadder, index: number, distances: RungDistances): boolean {
  const { max, within } = ladder.window
  return (
    (max !== undefined && distances.hasNearer(index, max)) ||
    (within !== undefined && !distances.isWithin(index, within))
  )
}

function outside(ladder: CompiledLadder, index: number, distances: RungDistances): Reason | null {
  const { max, within } = ladder.window
  if (within !== undefined && !distances.isWithin(index, within))
    return {
      kind: 'window',
      why: `its distance to the price is more than ${ladder.file.resting.within?.times(100).toFixed()}%`,
      change: 'the price must come closer',
    }
  if (max !== undefined && distances.hasNearer(index, max))
    return {
      kind: 'window',
      why: `it is number ${distances.numberOf(index)} from the price, and at most ${max} rungs rest`,
      change: 'the price must come closer',
    }
  return null
}

export function isReady({ order, reason }: RungStatus): boolean {
  return order === null && reason === null
}

function otherOrder(rung: RungState, order: Order, fits: boolean, canCancel: boolean): Reason | null {
  if (order.refusals > 0) {
    const change = 'the venue must cancel it: the bot retries'
    return { kind: 'stays', why: order.why ?? '', change }
  }
  if (fits) return null
  const is =
    order.isFormer === true ? 'from the previous episode' : `at ${order.price} instead of ${rung.price}`
  const why = `${order.id} is still open for this level, ${is}`
  const change = canCancel ? 'the bot cancels it first' : 'it must end first: this venue cannot cancel orders'
  return { kind: 'former order', why, change }
}

function filledReason({ file }: CompiledLadder): Reason {
  const change =
    file.exit?.mirror === undefined
      ? 'the next episode places it again'
      : 'it is placed again when its mirror has filled'
  return { kind: 'filled', why: 'it has filled in this episode', change }
}

function barred(view: LadderView, rung: RungState, price: number | undefined): Reason | null {
  const { state, compiled, ladder, own } = view
  const { name } = compiled
  if (own.goal !== 'ensure')
    return {
      kind: 'goal',
      ...goalWords[own.goal],
      change: `a rule with "ensure: ${ladder.name}" must be true`,
    }
  const cools = cooling(state, ladder, own)
  if (cools !== undefined)
    return { kind: 'cooldown', why: cools, change: 'the ladder is placed again after the cooldown' }
  const stale = staleSignal(view)
  if (stale) return stale
  if (own.frozen !== null)
    return {
      kind: 'frozen',
      why: `the ladder is frozen: ${own.frozen}`,
      change: `rungs resume ${name} resumes it`,
    }
  const omitted = omission(name, own, rung.level)
  if (omitted !== null) return omitted
  const due = isDue(view) ? (own.missing ?? 'a candle is missing') : rung.resize
  if (due !== undefined)
    return {
      kind: 'size',
      why: `its new amount is not known: ${due}`,
      change: 'the bot places it again when its size is known and above the minimum of the market',
    }
  if (rung.held !== null)
    return {
      kind: 'refused',
      why: rung.held,
      change: `the bot retries it when the ladder is recomputed, or after rungs resume ${name}`,
    }
  const { count, until, why = 'its message is not stored', bound } = rung.wait
  if (!reached(state, until) && !mayBeAdmitted(state, ladder.symbol, rung, price))
    return {
      kind: 'waits',
      why: `the venue refused it${count > 1 ? ` ${count} times` : ''}: ${why}`,
      change: `retry in ${Math.ceil((until - state.at) / 1000)} s${boundWords(bound)}`,
    }
  if (isAccountUnread(state))
    return {
      kind: 'unread',
      why: 'the account has not been read since the start of the bot',
      change: 'the bot continues when it has read the whole account',
    }
  if (awaitsPrice(state, ladder.symbol))
    return {
      kind: 'unpriced',
      why: `no price of ${ladder.symbol} since the start of the bot`,
      change: 'the bot continues with the first price',
    }
  if (!rung.crossed) return beyondMarket(state, ladder, rung, price)
  const { crossed } = rung
  if (!reached(state, crossed.until))
    return {
      kind: 'waits',
      why: `the order is maker only and would take${crossed.count > 1 ? ` ${crossed.count} times` : ''}: ${crossed.why}`,
      change: `the bot places it again in ${Math.ceil((crossed.until - state.at) / 1000)} s`,
    }
  return crossed.beyond === null ? beyondMarket(state, ladder, rung, price) : null
}

const goalWords = {
  none: { why: 'no rule ensures it' },
  freeze: { why: 'a rule has frozen the ladder' },
  retire: { why: 'a rule has cancelled the ladder' },
} as const

/** A post-only rung is not sent while it would trade at once; nor is a line of a grid that the market has passed. */
function beyondMarket(
  { quotes }: State,
  { symbol, file }: CompiledLadder,
  rung: RungState,
  price: number | undefined,
): Reason | null {
  const mustRest = file.side === 'both' || file.flags.postOnly || file.flags.rpi
  if (!mustRest) return null
  const quote = quotes[symbol]
  const edge = (rung.side === 'buy' ? quote?.ask : quote?.bid) ?? price
  if (edge === undefined) return null
  const own = Number(rung.price)
  edgeAt(symbol, edge, own)
  if (rung.side === 'buy' ? own < edge : own > edge) return null
  const way = rung.side === 'buy' ? 'above' : 'below'
  return {
    kind: 'beyond',
    why: `the market price ${edge} is beyond this rung`,
    change: `a price ${way} ${rung.price} allows the order`,
  }
}
