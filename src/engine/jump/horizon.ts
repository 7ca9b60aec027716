import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { everyProgram } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import { thresholdsOf, time } from '#src/strategy/expressions/thresholds.ts'
import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import { coolsUntil } from '#src/engine/exits/cooldown.ts'
import { maxAgeReachedAt } from '#src/engine/exits/kinds/max-age.ts'
import { exitsFrozen } from '#src/engine/rules/halts.ts'
import { edgesOf, tryBeyond, watchExits, type ExitBands } from './horizon-exits.ts'
import { ruinOf } from './horizon-drawdown.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import { pauseMoments } from '#src/engine/rules/pauses.ts'
import { exitsWait, waitingFor } from '#src/engine/orders/order-plan.ts'
import { within, type PriceBand } from './price-bands.ts'
import { scheduleTolerance } from '#src/engine/rules/rules.ts'
import { lastDue, nextDue } from '#src/strategy/file/schedule.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { LadderState, State, StrategyState } from '#src/engine/state/state.ts'
import { nextTick, secondMs, tickFrom } from '#src/engine/state/ticks.ts'

/**
 * How far the world can go without anything to think about: until a time, and as long as prices stay within their bands.
 * A price at an end of its band is out of it. Fills and answers are news in any case, and not foreseen here. Candles are, too,
 * but as long as prices stay within the bands of `closes`, where there are any, the last one says as much as all.
 * The bands of `urgent`, which are wider, end where something acts with the price itself, and not with the next tick. Beyond
 * the bands of `peaks` a price is the best one of a trailing exit: only the price at which it turns back counts. `equity` says
 * whether the strategies need each change of it.
 */
export type Horizon = PriceBands & { at: number; closes: Bands | null; equity: boolean }
export type OrdersHorizon = PriceBands & { at: number }
type PriceBands = { bands: Bands; urgent: Bands; peaks: Bands }
type Bands = ReadonlyMap<string, PriceBand>

const minuteMs = 60_000
const dayMs = 86_400_000
const weekMs = 7 * dayMs

type Known = ReadonlyMap<string, Compiled>
/** By market, between which prices something was tried in vain; and whether it was just now, at the prices of now. */
export type Tried = { between: Map<string, PriceBand>; isNow: boolean }

/** What the rules wait for, and when feeds are too old; it may change with every candle. */
export function rulesHorizon(state: State, known: Known, skipsCloses: boolean): number {
  const next = soonest(state.at)
  for (const name of state.running) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (compiled && own) considerRules(next, state, compiled, own, skipsCloses)
  }
  return next.at
}

function considerRules(
  next: Soonest,
  state: State,
  compiled: Compiled,
  own: StrategyState,
  skipsCloses: boolean,
): void {
  const { at } = state
  const { strategy, schedules, feeds } = compiled
  for (const rule of strategy.rules) {
    const { id, for: least, cooldown } = rule
    const [mine, schedule] = [own.rules[id], schedules.get(id)]
    if (schedule) next.consider(nextDue(schedule, at))
    if (!mine) continue
    const due = schedule ? lastDue(schedule, at) : -Infinity
    // While what it asks for is unknown, its time is not over, until it is missed.
    if (mine.scheduledAt !== null && due > mine.scheduledAt) next.consider(due + scheduleTolerance(rule) + 1)
    if (least !== undefined && mine.trueSince !== null) next.consider(mine.trueSince + least)
    if (cooldown !== undefined && mine.firedAt !== null) next.consider(mine.firedAt + cooldown)
  }
  for (const { name, interval, staleMs } of feeds) {
    const feed = own.feeds[name]
    if (interval !== null && feed && !skipsCloses) next.consider(feed.at + staleMs + 1)
  }
  const { clock, hours, fills } = readsOf(compiled)
  if (hours && Object.values(own.ladders).some(({ openedAt }) => openedAt !== null)) {
    refreshContext(state, compiled, own)
    const thresholds = thresholdsOf(compiled.programs, compiled.views.now).get(time)
    if (thresholds === null) next.consider(nextTick(at))
    for (const fromNow of thresholds ?? []) {
      // With one tick it may have come to a number, with the next it is beyond it.
      next.consider(nextTick(at + fromNow - 1))
      next.consider(nextTick(at + fromNow + 1))
    }
  }
  if (clock) next.consider(nextMinute(at))
  if (!fills) return
  for (const holding of Object.values(own.holdings))
    for (const fill of holding.fills) next.consider(fill.at + minuteMs)
}

/** What orders, ladders and limits wait for; it changes with what is decided and what fills. */
export function ordersHorizon(state: State, known: Known, tried: Tried): OrdersHorizon {
  const next = soonest(state.at)
  const bands = new Map<string, PriceBand>()
  const exits = { urgent: new Map<string, PriceBand>(), peaks: new Map<string, PriceBand>() }
  next.consider(state.pausedUntil ?? 0)
  for (const { status, withdrawing, withdrawAfter } of openOrdersOf(state).values()) {
    if (status === 'doubtful') next.consider(state.at + secondMs)
    if (status === 'resting' && !withdrawing) next.consider(withdrawAfter)
  }
  for (const name of state.running) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (compiled && own) considerOrders(next, state, compiled, own, { bands, exits, tried })
  }
  return { at: next.at, bands: within(bands, exits.urgent), ...exits }
}

function considerOrders(
  next: Soonest,
  state: State,
  compiled: Compiled,
  own: StrategyState,
  { bands, exits, tried }: { bands: Map<string, PriceBand>; exits: ExitBands; tried: Tried },
): void {
  const { at } = state
  next.consider(own.throttled.until)
  let isWanting = exitsWait(own)
  for (const ladder of compiled.ladders) {
    const mine = own.ladders[ladder.name]
    if (!mine) continue
    considerLadder(next, at, ladder, mine)
    if (mine.exits.leave !== null && !exitsFrozen(state, own)) next.consider(at + secondMs)
    // That nothing stands in the way any more is found as late as it is looked for.
    if (mine.blocked !== null) isWanting = true
    watchExits(ladder.symbol, mine, exits)
    if (!edgesOf(state, compiled, ladder, mine, bands)) continue
    isWanting = true
    // Limits that go by prices hold more back the farther they are: between two that were tried in vain, all are in vain. Where
    // the whole strategy waits, no price was tried.
    if (waitingFor(state, compiled, own) === null) tryBeyond(state, ladder.symbol, bands, tried)
  }
  if (isWanting) considerRoom(next, at, compiled, own)
  if (compiled.strategy.risk.daily_loss !== undefined) {
    // What the day began with is what was there just before it.
    const midnight = at - (at % dayMs) + dayMs
    next.consider(midnight - secondMs)
    next.consider(midnight)
  }
  for (const moment of pauseMoments(compiled.strategy.risk.drawdown.pause, own, at)) next.consider(moment)
  if (!ruinOf(state, compiled, own, exits.urgent)) next.consider(nextTick(at))
}

function considerLadder(
  next: Soonest,
  at: number,
  { follows, file }: CompiledLadder,
  own: LadderState,
): void {
  if (follows && own.laidAt !== null)
    next.consider(Math.max(own.laidAt, file.exit ? 0 : (own.filledAt ?? 0)) + follows.min_gap)
  next.consider(maxAgeReachedAt({ file }, own) ?? 0)
  next.consider(coolsUntil({ file }, own) ?? 0)
  for (const { until } of Object.values(own.exitWaits)) next.consider(until)
  // The soonest of them by itself: each number that is handed over takes memory.
  let soonest = Infinity
  // What has ended since the last tick is evaluated with the next one.
  const ticked = at - (at % secondMs)
  for (const { wait, crossed } of own.rungs) {
    if (wait.until > ticked && wait.until < soonest) soonest = wait.until
    if (crossed && crossed.until > ticked && crossed.until < soonest) soonest = crossed.until
  }
  next.consider(soonest)
}

/** Something is to be sent and may not leave: a limit that counts over time may have room then. */
function considerRoom(next: Soonest, at: number, { strategy }: Compiled, own: StrategyState): void {
  const { submit, risk } = strategy
  for (const sent of own.sends) {
    next.consider(sent.at + submit.rate.per)
    if (risk.order_rate) next.consider(sent.at + risk.order_rate.per)
  }
  for (const spent of own.spent) next.consider(spent.at + weekMs)
  next.consider(at - (at % dayMs) + dayMs)
}

/** What happens to orders is followed by news of its own; whatever else was done may let rules and ladders do more at once. */
export function isLookedAtAgain({ type }: BotEvent): boolean {
  return !/^(?:order|bulk|exit|fill)\b/.test(type)
}

function nextMinute(at: number): number {
  return at - (at % minuteMs) + minuteMs
}

type Soonest = ReturnType<typeof soonest>

function soonest(now: number) {
  return {
    at: Infinity,
    /** Rules, ladders and orders are evaluated with each tick, and what was due before this moment has been. */
    consider(at: number): void {
      const due = tickFrom(at)
      if (due > now && due < this.at) this.at = due
    },
  }
}

type Reads = { clock: boolean; hours: boolean; fills: boolean }
const readsByProgram = new WeakMap<Compiled, Reads>()

function readsOf(compiled: Compiled): Reads {
  let known = readsByProgram.get(compiled)
  if (!known) {
    const { programs } = compiled
    const { names, calls } = reads(everyProgram(programs), programs.lets)
    const calling = (wanted: string) => calls.some(({ name }) => name === wanted)
    known = { clock: names.has('clock'), hours: calling('open_hours'), fills: calling('net_fills') }
    readsByProgram.set(compiled, known)
  }
  return known
}
