import { truthOf, type Truth } from '#src/strategy/expressions/condition.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { Compiled } from './compiled-strategy.ts'
import { laddersClosed, type CloseAction } from '#src/strategy/file/rule-goals.ts'
import { closePosition, closeShare, isUntouched, openEpisode, setGoal } from '#src/engine/ladder/episodes.ts'
import { haltStrategy } from './halts.ts'
import { lossWaitsOf, noteLossWaits, type LossWait } from './loss-waits.ts'
import { pauseOfRule } from './pauses.ts'
import { invest } from '#src/engine/account/idle-money.ts'
import { lastDue, nextDue } from '#src/strategy/file/schedule.ts'
import { isBrieflyAway } from '#src/engine/state/session.ts'
import type { LadderState, RuleState, State, StrategyState } from '#src/engine/state/state.ts'
import { beginRule } from '#src/engine/state/initial-state.ts'
import { evaluateAgain, evaluateAgainAt, reached } from '#src/engine/state/validity.ts'
import type { LadderContext, StepContext } from '#src/engine/step-context.ts'

type Rule = Strategy['rules'][number]
type RuleContext = {
  step: StepContext
  compiled: Compiled
  own: StrategyState
  ladders: readonly LadderContext[]
  rule: Rule
  mine: RuleState
  /** Why it does not act, if only `daily_loss` prevents it. */
  lossWaits: LossWait[]
}
type Goals = Map<
  string,
  {
    goal: LadderState['goal']
    rule: string
    close?: CloseAction | undefined
    isScheduled: boolean
    /** The first action of the rule since it became true. */
    isStart: boolean
  }
>

/** Without `missed`, an older time counts as missed. */
const punctualMs = 60_000

/**
 * Evaluates every rule in the order of the file and applies the actions of those that are true. Actions are goals: they stay
 * until another action changes them, and in one evaluation the last one counts. True if anything has changed.
 */
export function evaluateRules(
  step: StepContext,
  compiled: Compiled,
  own: StrategyState,
  ladders: readonly LadderContext[],
): boolean {
  let goals: Goals | undefined
  let changed = false
  const once: [Rule, RuleState][] = []
  for (const rule of compiled.strategy.rules) {
    const mine = (own.rules[rule.id] ??= beginRule())
    const context: RuleContext = { step, compiled, own, ladders, rule, mine, lossWaits: [] }
    const condition = compiled.programs.conditions.get(rule.id)
    const truth = condition ? truthOf(condition, compiled.views) : 'true'
    if (truth === 'false') mine.ended = true
    if (truth !== 'true') {
      const isKept = truth === 'unknown' && mine.trueSince !== null
      if (!isKept || !isBrieflyAway(step.state, compiled, rule.id)) mine.trueSince = null
    } else if (condition) mine.trueSince ??= step.state.at
    const isHeld = coolsDown(step.state, rule, mine) || (truth === 'true' && isActing(rule, mine))
    const fires = rule.schedule ? isDue(context, truth) : truth === 'true' && acts(context)
    noteLossWaits(step, rule, ladders, context.lossWaits)
    if (fires) {
      changed = act(context, (goals ??= new Map())) || changed
      if (rule.once) once.push([rule, mine])
    } else if (isHeld) hold(context, (goals ??= new Map()))
    if (truth === 'false') changed = endPause(context) || changed
  }
  if (!goals) return changed
  for (const context of ladders) {
    const { ladder, own: state } = context
    const wanted = goals.get(ladder.name)
    if (!wanted) continue
    const { goal, rule, isScheduled, isStart } = wanted
    const isNew =
      state.openedAt === null ||
      isScheduled ||
      (isStart && ladder.file.anchor.taken === 'rule_start' && isUntouched(context))
    if (goal === 'ensure' && isNew) {
      openEpisode(context)
      changed = true
    }
    changed = setGoal(context, goal, rule) || changed
    if (wanted.close) changed = closePosition(context, rule, wanted.close) || changed
  }
  // It has also fired in the episode that it has begun itself.
  for (const [rule, mine] of once) mine.firedIn = spanOf(compiled, own, rule)
  return changed
}

function coolsDown(state: State, { cooldown }: Rule, { firedAt }: RuleState): boolean {
  return cooldown !== undefined && firedAt !== null && !reached(state, firedAt + cooldown)
}

/** It has fired, and was not false since. A schedule is a moment, whatever is true after it. */
function isActing({ schedule }: Rule, { firedAt, ended }: RuleState): boolean {
  return schedule === undefined && firedAt !== null && !ended
}

/**
 * What it cancelled stays cancelled, although it does not fire again: no rule above it undoes that while it is true or cools
 * down.
 */
function hold({ compiled, rule }: RuleContext, goals: Goals): void {
  for (const { ladder, goal } of compiled.goals.get(rule.id) ?? [])
    if (goal !== 'ensure') goals.set(ladder, { goal, rule: rule.id, isScheduled: false, isStart: false })
}

function acts(context: RuleContext): boolean {
  const { rule, mine } = context
  const { state } = context.step
  return (
    reached(state, (mine.trueSince ?? state.at) + (rule.for ?? 0)) &&
    !hasActed(context) &&
    !coolsDown(state, rule, mine) &&
    !isOutOfLoss(context)
  )
}

/** Where it fires only once. */
function hasActed({ compiled, own, rule, mine }: RuleContext): boolean {
  return rule.once !== undefined && mine.firedIn === spanOf(compiled, own, rule)
}

/** It can close no share, as `daily_loss` requires. */
function isOutOfLoss(context: RuleContext): boolean {
  context.lossWaits = lossWaitsOf(context.rule, context.compiled, context.ladders)
  return context.lossWaits.length > 0
}

/** How long after its time a rule with a schedule may still fire. */
function scheduleTolerance({ missed }: Pick<Rule, 'missed'>): number {
  return missed?.run_once_within ?? punctualMs
}

/** Evaluated at its time, as soon as its inputs are known. */
function isDue(context: RuleContext, truth: Truth): boolean {
  const { compiled, rule, mine } = context
  const { state, notes } = context.step
  const schedule = compiled.schedules.get(rule.id)
  if (!schedule) return false
  const due = lastDue(schedule, state.at)
  evaluateAgainAt(state, () => nextDue(schedule, state.at))
  // A time before the start is not missed.
  mine.scheduledAt ??= lastDue(schedule, state.at - 1)
  if (due <= mine.scheduledAt) return false
  if (reached(state, due + scheduleTolerance(rule) + 1)) {
    mine.scheduledAt = due
    evaluateAgain(state)
    const reason = `it is ${state.at - due} ms late`
    notes.push({ type: 'rule-missed', at: state.at, strategy: compiled.name, rule: rule.id, reason })
    return false
  }
  if (truth === 'unknown') return false
  mine.scheduledAt = due
  if (truth !== 'true' || hasActed(context)) return false
  const { for: least, cooldown } = rule
  // Recurs at the times of its schedule, however late the evaluation is.
  const isCooling =
    cooldown !== undefined && mine.firedAt !== null && due - lastDue(schedule, mine.firedAt) < cooldown
  if (isCooling || isOutOfLoss(context)) return false
  return least === undefined || due - (mine.trueSince ?? due) >= least
}

/** The scope in which it fires once: an episode of the ladders that it names, or of all of them. */
function spanOf({ ladders, goals }: Compiled, own: StrategyState, rule: Rule): number {
  if (rule.once === 'ever') return -1
  const named = new Set(goals.get(rule.id)?.map(({ ladder }) => ladder))
  const some = ladders.filter(({ name }) => named.has(name))
  let episodes = 0
  for (const { name } of some.length > 0 ? some : ladders) episodes += own.ladders[name]?.episode ?? 0
  return episodes
}

function act({ step: context, compiled, own, ladders, rule, mine }: RuleContext, goals: Goals): boolean {
  const { at } = context.state
  const { name: strategy } = compiled
  // A rule that stays true keeps its goals, but is reported, and alerts a person, only once.
  const isNews = !isActing(rule, mine) || rule.cooldown !== undefined || rule.once !== undefined
  let changed = false
  for (const { ladder, goal, close } of compiled.goals.get(rule.id) ?? [])
    goals.set(ladder, {
      goal,
      close,
      rule: rule.id,
      isScheduled: rule.schedule !== undefined,
      isStart: !isActing(rule, mine),
    })
  for (const [step, action] of rule.do.entries()) {
    const pause = pauseOfRule(rule.id)
    if (action.pause_entries !== undefined && own.pauses[pause] === undefined) {
      own.pauses[pause] = action.pause_entries
      context.notes.push({ type: 'paused', at, strategy, reason: action.pause_entries, rule: rule.id })
      changed = true
    }
    if (!isNews) continue
    if (action.halt !== undefined && own.halted === null) {
      haltStrategy(context, strategy, { cause: 'rule', reason: action.halt, rule: rule.id })
      changed = true
    }
    if (action.alert !== undefined)
      context.notes.push({ type: 'alert', at, strategy, message: action.alert, rule: rule.id })
    const { close } = action
    if (close?.share !== undefined) {
      const closed = laddersClosed(close.of, compiled.strategy.ladder)
      for (const each of ladders.filter(({ ladder }) => closed.includes(ladder.name)))
        closeShare(each, rule.id, close)
      changed = true
    }
    if (action.flex_invest) invest(context, compiled, own, { rule: rule.id, step, ...action.flex_invest })
  }
  if (isNews) {
    mine.firedAt = at
    mine.ended = false
    evaluateAgain(context.state)
    context.notes.push({ type: 'rule-fired', at, strategy, rule: rule.id })
  }
  return changed
}

/** A pause of a rule ends when the rule is false; a rule that fires once leaves that to a person. */
function endPause({ step, compiled, own, rule }: RuleContext): boolean {
  const pause = pauseOfRule(rule.id)
  if (rule.once !== undefined || own.pauses[pause] === undefined) return false
  delete own.pauses[pause]
  const reason = `${rule.id} is no longer true`
  step.notes.push({ type: 'resumed', at: step.state.at, strategy: compiled.name, reason, rule: rule.id })
  return true
}
