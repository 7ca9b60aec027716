import { hash } from 'node:crypto'
import { truthOf, type Truth } from '#src/strategy/expressions/condition.ts'
import { rungTexts } from '#src/strategy/check/rungs.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Explanation, RungExplanation } from './explanation.ts'
import { blockingLeaf, leavesOf, said } from './condition-leaves.ts'
import { equityOf } from '#src/engine/account/equity.ts'
import {
  draftOf,
  planEntries,
  waitingFor,
  type OrderPlan,
  type PlannedLadder,
} from '#src/engine/orders/order-plan.ts'
import { snapshotOf, type StateSnapshot } from './snapshot.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { Reason, RungStatus } from '#src/engine/ladder/reason.ts'
import type { LadderState, State, StrategyState } from '#src/engine/state/state.ts'
import type { LadderView, StepContext } from '#src/engine/step-context.ts'

/** Emits the status of each ladder and its reason, if it has changed. Called after all commands of the step. */
export function emitExplanations(context: StepContext, compiled: Compiled, own: StrategyState): void {
  const { state } = context
  // Goals and episodes may have changed since the rules were evaluated.
  refreshContext(state, compiled, own)
  const plan = planEntries(state, compiled, own)
  const truths = truthsOf(compiled)
  let seen: StateSnapshot | null | undefined
  for (const each of plan.ladders) {
    const rungs = verdictsOf(plan, each)
    const told = fingerprint(each.own, rungs, truths)
    if (told === each.own.told) continue
    each.own.told = told
    noteBlocked(context, compiled, each)
    seen = seen === undefined ? snapshotOf(state, compiled, own) : null
    context.decisions.push(decisionOf(each, rungs, truths, seen))
  }
}

/** Without explanations, blocking limits are reported all the same. */
export function emitBlocked(context: StepContext, compiled: Compiled, plan: OrderPlan): void {
  for (const each of plan.ladders) {
    if (plan.blocked.size === 0 && each.own.blocked === null) continue
    noteBlocked(context, compiled, each)
  }
}

/** A blocking limit is reported once, until another one blocks. */
function noteBlocked(
  { state, notes }: StepContext,
  { name: strategy }: Compiled,
  { ladder, own, held }: PlannedLadder,
): void {
  const news = held?.news ?? null
  if (news === own.blocked) return
  own.blocked = news
  if (!held?.reason) return
  const { kind, why: reason, change } = held.reason
  const { name, symbol: market } = ladder
  const about = { at: state.at, strategy, ladder: name, rung: held.level, market }
  notes.push({ type: 'risk-blocked', ...about, kind, reason, change })
}

/** Explains all ladders as of now, without the inputs; the state stays unchanged. */
export function explanationsNow(state: State, compiled: Compiled, own: StrategyState): Explanation[] {
  refreshContext(state, compiled, own)
  const plan = planEntries(state, compiled, own)
  const truths = truthsOf(compiled)
  return plan.ladders.map((each) => decisionOf(each, verdictsOf(plan, each), truths, null))
}

type Verdict = {
  rung: RungStatus['rung']
  order: string | null
  state: RungExplanation['state']
  reason: Reason | null
}

function verdictsOf({ blocked }: OrderPlan, planned: PlannedLadder): Verdict[] {
  return planned.standings.all.map((standing) => verdictOf(planned, blocked, standing))
}

function verdictOf(
  view: LadderView,
  blocked: OrderPlan['blocked'],
  { rung, order, reason }: RungStatus,
): Verdict {
  const { state, compiled, whole, own } = view
  if (order) {
    const isDoubtful = order.status === 'doubtful'
    const states = { sending: 'sent', resting: 'resting', doubtful: 'doubtful', ended: 'missing' } as const
    const doubt: Reason = {
      kind: 'doubtful',
      why: order.why ?? 'its outcome is unknown',
      change: `the bot proves the outcome, or rungs resolve ${order.id} sets it`,
    }
    return { rung, order: order.id, state: states[order.status], reason: isDoubtful ? doubt : reason }
  }
  if (own.filled.includes(rung.level)) return { rung, order: rung.order, state: 'filled', reason }
  const block = reason ? undefined : blocked.get(draftOf(view, rung).id)
  const gate = block ? { kind: 'risk' as const, block: block.kind, ...block.words() } : reason
  const next: Reason = {
    kind: 'waits',
    why: 'other orders go first',
    change: 'it is sent with one of the next chunks',
  }
  return { rung, order: null, state: 'missing', reason: gate ?? waitingFor(state, compiled, whole) ?? next }
}

function truthsOf({ strategy, programs, views }: Compiled): Map<string, Truth> {
  return new Map(
    strategy.rules.map(({ id }) => {
      const condition = programs.conditions.get(id)
      return [id, condition ? truthOf(condition, views) : 'true']
    }),
  )
}

/** The part of a reason that counts as a change. */
function newsOf(reason: Reason | null | undefined): string | undefined {
  return reason?.block === undefined ? reason?.kind : `risk ${reason.block}`
}

/** Identifies an explanation. Texts do not count, because their numbers change with each candle. */
function fingerprint(
  own: LadderState,
  rungs: readonly Verdict[],
  truths: ReadonlyMap<string, Truth>,
): string {
  const each = rungs.map(({ rung, order, state, reason }) => {
    return [rung.level, rung.price, rung.amount, order, state, newsOf(reason)]
  })
  const rest = rungs.length === 0 ? [...truths.values()] : each
  const missing = own.missing === null ? null : (own.missingPart ?? own.missing)
  return hash('sha1', JSON.stringify([own.episode, own.goal, missing, own.writtenOff, rest]), 'base64')
}

function decisionOf(
  view: LadderView,
  verdicts: readonly Verdict[],
  truths: ReadonlyMap<string, Truth>,
  seen: StateSnapshot | null,
): Explanation {
  const { state, compiled, whole, ladder, own } = view
  const { strategy, programs, views } = compiled
  const seeing = { views, lets: programs.lets }
  const calls = callsFor(view, truths)
  const rungs = verdicts.map(({ rung, order, state, reason }): RungExplanation => {
    const { level, side, price, amount } = rung
    const isGoal = reason?.kind === 'goal'
    return {
      level,
      side,
      price,
      amount,
      order,
      state,
      why: reason?.why ?? null,
      change: isGoal ? calls : (reason?.change ?? null),
    }
  })
  return {
    at: state.at,
    strategy: compiled.name,
    ladder: ladder.name,
    goal: own.goal,
    anchor: own.anchor,
    writtenOff: own.writtenOff,
    rules: strategy.rules.map(({ id }) => ({
      id,
      truth: truths.get(id) ?? 'unknown',
      fired: whole.rules[id]?.firedAt === state.at,
      leaves: leavesOf(programs.conditions.get(id), seeing),
    })),
    lets: programs.lets.map(({ name, program }) => ({ name, text: said(program, views.now) })),
    rungs: rungs.length > 0 ? rungs : imagined(view, calls),
    seen,
  }
}

/** What would make a rule ensure the ladder: for each rule that can, what it still waits for. */
function callsFor(
  { state: { at }, compiled, whole, ladder: { name } }: LadderView,
  truths: ReadonlyMap<string, Truth>,
): string {
  const { strategy, programs, views, schedules } = compiled
  const seeing = { views, lets: programs.lets }
  const calls = strategy.rules.filter((rule) => rule.do.some(({ ensure }) => ensure === name))
  return calls
    .map(({ id, cooldown, for: least, once, schedule }) => {
      const mine = whole.rules[id]
      if (once === 'ever' && mine?.firedAt) return `rule ${id} acts only once and has acted`
      const condition = programs.conditions.get(id)
      const leaf = truths.get(id) === 'true' ? undefined : condition && blockingLeaf(condition, seeing)
      if (leaf) return `rule ${id} needs ${leaf.text}, which is ${leaf.value}`
      const cool = cooldown === undefined || !mine?.firedAt ? 0 : mine.firedAt + cooldown - at
      if (cool > 0) return `rule ${id} is in cooldown for another ${cool} ms`
      if (schedules.has(id)) return `rule ${id} acts ${schedule}`
      const left = (least ?? 0) - (at - (mine?.trueSince ?? at))
      return left > 0
        ? `rule ${id} must stay true for another ${left} ms`
        : `rule ${id} must be the last to act`
    })
    .join('; or ')
}

/** For a ladder that is not placed: the rungs as they would be computed now, as far as possible. */
function imagined({ state, compiled, ladder, own }: LadderView, calls: string): RungExplanation[] {
  const { name, views } = compiled
  const { file, programs, market } = ladder
  const isWanted = own.goal === 'ensure'
  const why = isWanted
    ? `the ladder cannot be computed: ${own.missing ?? 'no data yet'}`
    : `the goal of the ladder is ${own.goal}`
  const change = isWanted ? `${name} places the ladder when this changes` : calls
  const rest = { order: null, state: 'missing' as const, why, change }
  const placed = market ? rungTexts(file, programs, views.now, market, () => equityOf(state)) : undefined
  if (placed && 'rungs' in placed)
    return placed.rungs.map(({ level, side, price, amount }) =>
      Object.assign({ level, side, price, amount }, rest),
    )
  const sides = file.side === 'both' ? (['buy', 'sell'] as const) : [file.side]
  const count = file.spacing.kind === 'range' && sides.length > 1 ? Math.floor(file.levels / 2) : file.levels
  return sides.flatMap((side) =>
    Array.from({ length: count }, (_, index) => {
      const level = `${sides.length > 1 ? side.charAt(0) : ''}${index + 1}`
      return Object.assign({ level, side, price: '', amount: '' }, rest)
    }),
  )
}
