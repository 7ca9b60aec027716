import { durationText } from '#src/strategy/schema/quantities.ts'
import { openOrdersOfLadder, secondsOf } from '#src/engine/state/open-orders.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import { omission } from '#src/engine/orders/cancel-by-operator.ts'
import { keptStatuses, type LadderStatuses } from './kept-statuses.ts'
import type { Reason, RungStatus } from './reason.ts'
import { awaitsPrice, isAccountUnread } from '#src/engine/state/session.ts'
import { cooling } from '#src/engine/exits/cooldown.ts'
import { rungPriceOf } from './slide.ts'
import { isHead, keepBehind, keepUntilEnded } from './rungs-behind.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import { boundWords, mayBeAdmitted } from './venue-bounds.ts'
import { giveOutPlaces, isFar } from './resting-window.ts'
import { RungDistances } from './rung-distances.ts'
import { staleSignal } from './stale-signal.ts'
import { edgeAt, reached } from '#src/engine/state/validity.ts'
import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderView } from '#src/engine/step-context.ts'
import type { LadderState, Order, RungState, State, StrategyState } from '#src/engine/state/state.ts'

/** The statuses of each ladder, computed once, until an order of a rung is sent or ends. */
export function rungStatuses(state: State, compiled: Compiled, own: StrategyState): RungStatuses {
  const known = new Map<string, LadderStatuses>()
  return (ladder) => {
    let found = known.get(ladder.name)
    if (!found) {
      const mine = own.ladders[ladder.name]
      found = mine ? rungStatusesOf({ state, compiled, whole: own, ladder, own: mine }) : none
      known.set(ladder.name, found)
    }
    return found
  }
}

const none: LadderStatuses = { all: [], unsettled: [], resting: 0 }

/** For the rungs that compete for a place; a filled rung does not, and without a price no rung does. */
export type RungStatuses = (ladder: CompiledLadder) => LadderStatuses

/** Prices are compared as doubles here: the comparison finds near rungs and computes no money. */
function rungStatusesOf(view: LadderView): LadderStatuses {
  const { state, compiled, ladder, own } = view
  const alive = openOrdersOfLadder(state, own)
  const price = nearPriceOf(state, compiled.strategy, ladder.symbol)?.value
  const isWindow = ladder.window.max !== undefined || ladder.window.within !== undefined
  // All rungs of a due ladder are placed again as soon as it is computed.
  const filled = isDue(view) && !hasMirrors(ladder) ? [] : own.filled
  const needsPlace = ({ level }: RungState) => isWindow && (!filled.includes(level) || alive.has(level))
  const distances = new RungDistances(ladder.symbol, own.rungs, needsPlace, price)
  const statusOf = (index: number): RungStatus => {
    const rung = own.rungs[index]!
    const order = alive.get(rung.level) ?? null
    const isSame = order !== null && rungPriceOf(order) === rung.price && hasAmount(view, order, rung)
    // An order from an earlier episode offers only its rest.
    const fits = isSame && order.isFormer !== true
    if (order) {
      const far = isFar(ladder, index, distances)
      const omitted = omission(compiled.name, own, rung.level)
      const young = fits || far || omitted ? null : youngOrder(view, rung, order)
      const reason = young ?? otherOrder(view, rung, order, fits) ?? omitted
      return { rung, order, fits, isFar: far, reason }
    }
    const reason = filled.includes(rung.level) ? filledReason(ladder) : barred(view, rung, price)
    return { rung, order, fits, isFar: false, reason }
  }
  const statuses =
    isWindow || ladder.followsFills ? statusesAnew(own, statusOf) : keptStatuses(view, statusOf)
  const { all, unsettled } = statuses
  if (isWindow) giveOutPlaces(view, all, distances)
  if (unsettled.some(isHead)) keepBehind(ladder, all, distances)
  if (ladder.followsFills) keepUntilEnded(unwantedOf(view, all), all)
  return statuses
}

function statusesAnew({ rungs }: LadderState, statusOf: (index: number) => RungStatus): LadderStatuses {
  const all = rungs.map((_, index) => statusOf(index))
  return { all, unsettled: all, resting: 0 }
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

function otherOrder(
  { compiled, ladder }: LadderView,
  rung: RungState,
  order: Order,
  fits: boolean,
): Reason | null {
  if (order.refusals > 0) {
    const change = 'the venue must cancel it: the bot retries'
    return { kind: 'stays', why: order.why ?? '', change }
  }
  if (fits) return null
  const why = whyOther(rung, order)
  const moved = ladder.follows?.amend ? 'the bot amends it, or cancels it first' : 'the bot cancels it first'
  const change = compiled.canCancel ? moved : 'it must end first: this venue cannot cancel orders'
  return { kind: 'former order', why, change }
}

function whyOther(rung: RungState, order: Order): string {
  const { id, price, amount, isFormer } = order
  const differs =
    rungPriceOf(order) === rung.price
      ? `with the amount ${amount} instead of ${rung.amount}`
      : `at ${price} instead of ${rung.price}`
  return `${id} is still open for this level, ${isFormer === true ? 'from the previous episode' : differs}`
}

/** The order does not fit its rung any more, and stays until it is as old as `min_life`. */
function youngOrder({ state, ladder }: LadderView, rung: RungState, order: Order): Reason | null {
  const least = ladder.follows?.min_life
  if (least === undefined || order.restsSince === undefined) return null
  const until = order.restsSince + least
  if (reached(state, until)) return null
  const left = Math.ceil((until - state.at) / 1000)
  const change = `the bot cancels it in ${left} s, when it is ${durationText(least)} old (min_life)`
  return { kind: 'young order', why: whyOther(rung, order), change }
}

function filledReason({ file }: CompiledLadder): Reason {
  const change =
    file.exit?.mirror === undefined
      ? 'the next episode places it again'
      : 'it is placed again when its mirror has filled'
  return { kind: 'filled', why: 'it has filled in this episode', change }
}

/** Why a rung without an order is not placed now; null if it is. */
export function barred(view: LadderView, rung: RungState, price: number | undefined): Reason | null {
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
