import { limitUsageOf, type LimitUsage } from '#src/engine/risk/limit-usage.ts'
import { isFrozen } from '#src/engine/rules/halts.ts'
import { pairsOf } from '#src/engine/holdings/pair-matching.ts'
import { rungPairsOf, type RungPairs } from '#src/engine/holdings/pair-sums.ts'
import { driftText } from '#src/engine/state/drift.ts'
import { everyFeed, receivedAt } from '#src/engine/state/prices.ts'
import type { ExitsLeft, Order, State, StrategyState } from '#src/engine/state/state.ts'
import { mirrorKey } from '#src/strategy/schema/exit-labels.ts'
import { exitStatuses, type ExitStatus } from '#src/engine/exits/exit-reasons.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { heldPrice } from '#src/engine/holdings/profit-and-loss.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { ladderFields, strategyFields, type LadderFields, type StrategyFields } from './strategy-fields.ts'
import type { CompiledByName } from './strategy-cache.ts'

/** The data of `rungs status`. Ages are in venue time. */
export type BotStatus = {
  /** The running process; null if the status comes from the journal. */
  process: ({ pid: number; url: string; waiting: number } & Connectivity) | null
  at: number
  /** Why entries are stopped; null otherwise. */
  stopped: string | null
  /** Whether exits work during the stop. */
  exits: ExitsLeft
  capabilities: string[]
  /** Capabilities that are not known yet: orders and investments that need one wait. */
  pending: string[]
  equity: string | null
  /** How bot and venue disagree; null where they agree. */
  drift: string | null
  strategies: StrategyStatus[]
}

export type StrategyStatus = StrategyFields & {
  name: string
  /** Whether an operator or a halt has the positions closed, and whether that is done; null otherwise. */
  flattening: 'closing' | 'done' | null
  pauses: Record<string, string>
  /** When the pause by drawdown ends; null without one. */
  pausedUntil: number | null
  /** Matched pairs and open amount by rung. */
  rungPairs: RungPairs[]
  orders: { resting: number; sending: number; doubtful: string[] }
  holdings: { market: string; symbol: string; position: string; entry: string | null }[]
  ladders: (LadderFields & { name: string; exits: ExitStatus[] })[]
  feeds: { name: string; ageMs: number | null }[]
  margins: LimitUsage[]
}

export function statusOf(state: State, known: CompiledByName, running: BotStatus['process']): BotStatus {
  const orders = Map.groupBy(
    Object.values(state.orders).filter(({ status }) => status !== 'ended'),
    ({ strategy }) => strategy,
  )
  return {
    process: running,
    at: state.at,
    stopped: state.stopped,
    exits: isFrozen(state) ? 'frozen' : 'work',
    capabilities: state.venue.capabilities,
    pending: state.venue.pending ?? [],
    equity: state.account?.equity ?? null,
    drift: driftText(state.drift),
    strategies: Object.keys(state.strategies).map((name) =>
      ofStrategy(state, name, known.get(name), orders.get(name) ?? []),
    ),
  }
}

function ofStrategy(
  state: State,
  name: string,
  compiled: Compiled | undefined,
  orders: readonly Order[],
): StrategyStatus {
  const strategy = compiled?.strategy
  const known = state.strategies[name]
  if (known === undefined) throw new Error(`there is no strategy ${name}`)
  const count = (status: Order['status']) => orders.filter((order) => order.status === status).length
  const holdings = Object.entries(known.holdings)
  return {
    name,
    ...strategyFields(state, name, known),
    flattening: known.flatten === undefined ? null : known.flatten.isDone ? 'done' : 'closing',
    pauses: known.pauses,
    pausedUntil: known.pausedUntil ?? null,
    rungPairs: holdings.flatMap(([market, holding]) => {
      const symbol = strategy?.markets[market]?.symbol
      const price = strategy && symbol !== undefined ? heldPrice(state, strategy, symbol, holding) : undefined
      return [...rungPairsOf(pairsOf(holding), price).values()]
    }),
    orders: {
      resting: count('resting'),
      sending: count('sending'),
      doubtful: orders.filter(({ status }) => status === 'doubtful').map(({ id }) => id),
    },
    holdings: holdings.map(([market, { position, entry }]) => ({
      market,
      symbol: strategy?.markets[market]?.symbol ?? market,
      position,
      entry,
    })),
    ladders: Object.entries(known.ladders).map(([ladder, each]) => {
      const exits = compiled === undefined ? [] : positionExits(state, compiled, known, ladder)
      return Object.assign({ name: ladder, exits }, ladderFields(state, each))
    }),
    feeds: strategy === undefined ? [] : feedsOf(state, strategy),
    margins: strategy === undefined ? [] : limitUsageOf(state, strategy),
  }
}

/** Each mirror of a grid belongs to a pair of a rung; here are the exits of a whole position and its parts. */
function positionExits(state: State, scene: Compiled, whole: StrategyState, name: string): ExitStatus[] {
  const ladder = scene.ladders.find((each) => each.name === name)
  const own = whole.ladders[name]
  if (!ladder || !own || own.held.position === '0') return []
  refreshContext(state, scene, whole)
  const exits = exitStatuses({ state, scene, ladder, own })
  return exits.filter(({ label, price, amount, due }) => {
    return mirrorKey(label) === undefined && (price !== null || due !== undefined || amount === '0')
  })
}

function feedsOf(state: State, strategy: Strategy): StrategyStatus['feeds'] {
  const feeds = [...everyFeed(strategy).map(([feed]) => feed), ...Object.keys(strategy.signals)]
  return feeds.map((feed) => {
    const heard = receivedAt(state, strategy, feed)
    return { name: feed, ageMs: heard === null ? null : state.at - heard }
  })
}
