import { beginRule } from './initial-state.ts'
import { programsIn } from '#src/strategy/expressions/condition.ts'
import { endHalt, endStop } from '#src/engine/rules/halts.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { SessionStarted } from '#src/engine/events.ts'
import { quoteStaleMs } from './prices.ts'
import { reached } from './validity.ts'
import { lastDue } from '#src/strategy/file/schedule.ts'
import type { State, StrategyState } from './state.ts'

/**
 * Begins the session of a process, before the state takes the time of the event. A rule whose inputs became stale during the
 * downtime restarts its `for`; after a shorter downtime `for` continues.
 */
export function beginSession(
  state: State,
  known: ReadonlyMap<string, Compiled>,
  began: SessionStarted,
): void {
  const { at, strategies, readsFirst, heard, venue, tag } = began
  const awaySince = state.at
  if (tag !== undefined && awaySince === 0) state.tag = tag
  for (const { name } of strategies) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (compiled && own) missRules(compiled, own, state.running.includes(name) ? at - awaySince : Infinity)
  }
  state.ending = false
  if (state.isStoppedByFound) endStop(state)
  for (const own of Object.values(state.strategies)) if (own.isHaltedForExit) endHalt(own)
  delete state.session
  // The times and the numbers of trades of another venue say nothing about this one.
  if (venue.address !== state.venue.address) {
    delete state.heard
    delete state.trades
  }
  if (heard !== undefined) state.heard = heard
  if (!readsFirst) return
  state.session = { beganAt: at, awaySince, isAccountRead: false }
  forget(state)
}

function missRules(compiled: Compiled, own: StrategyState, awayMs: number): void {
  for (const { id } of compiled.strategy.rules) {
    const mine = own.rules[id]
    if (mine && awayMs > shortestStaleMs(compiled, id)) mine.trueSince = null
  }
}

/** The time after which the first input of a rule is stale; an input without a feed counts like a price. */
function shortestStaleMs(
  { programs, feeds, futures, depth, trades, signals }: Compiled,
  rule: string,
): number {
  const condition = programs.conditions.get(rule)
  if (!condition) return Infinity
  const { names } = reads(programsIn(condition), programs.lets)
  const ages = [
    ...feeds,
    ...futures,
    ...depth,
    ...trades,
    ...signals.map(({ name, feed }) => ({ name, staleMs: feed.stale_after })),
  ]
  const stale = ages.filter(({ name }) => names.has(name)).map(({ staleMs }) => staleMs)
  return Math.min(...(stale.length > 0 ? stale : [quoteStaleMs]))
}

/** Drops prices and the account of the previous process. */
function forget(state: State): void {
  state.quotes = {}
  delete state.futures
  state.account = null
  state.drift.suspect = null
  delete state.drift.shown
  // Stale, but not as if it had never been received: entries wait for it.
  for (const depth of Object.values(state.depth ?? {})) depth.at = 0
  for (const trades of Object.values(state.trades ?? {})) trades.at = 0
  // Indicators stay, and count again with the next candle of their feed: the last one again, or a newer one.
  for (const { feeds } of Object.values(state.strategies))
    for (const feed of Object.values(feeds)) feed.at = 0
}

/** From here on strategies are evaluated; a time of a schedule that passed while the account was read still counts. */
export function readAccount(
  { running, session, strategies }: State,
  known: ReadonlyMap<string, Compiled>,
): void {
  if (!session) return
  session.isAccountRead = true
  for (const name of running) {
    const own = strategies[name]
    for (const [id, schedule] of known.get(name)?.schedules ?? [])
      if (own) (own.rules[id] ??= beginRule()).scheduledAt ??= lastDue(schedule, session.beganAt - 1)
  }
}

/** Whether nothing may be decided yet. */
export function isAccountUnread({ session }: State): boolean {
  return session?.isAccountRead === false
}

/** Whether a rule may be unknown only because this session has not received its inputs yet. */
export function isBrieflyAway({ at, session }: State, compiled: Compiled, rule: string): boolean {
  return session !== undefined && at - session.awaySince <= shortestStaleMs(compiled, rule)
}

/** Whether this session continues an earlier one and has no price of this market yet: orders need a price of this session. */
export function awaitsPrice({ session, quotes }: State, market: string): boolean {
  return session !== undefined && session.awaySince > 0 && !Object.hasOwn(quotes, market)
}

/** Long enough for the first values of all feeds. */
const startMs = 60_000

/** Shortly after the start of the bot, values may be unknown only because they have not come yet. */
export function isStarting(state: State): boolean {
  return state.session !== undefined && !reached(state, state.session.beganAt + startMs)
}
