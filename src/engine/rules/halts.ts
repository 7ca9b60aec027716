import type { Operator } from '#src/engine/events.ts'
import type { ExitsLeft, State, StrategyState } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** Why a strategy halts, and what the halt leaves of its exits: a loss must be stopped whatever else is wrong. */
const causes = {
  drawdown: 'work',
  rule: 'work',
  operator: 'work',
  doubt: 'reduce',
  drift: 'reduce',
} as const satisfies Record<string, ExitsLeft>

const strictness: Record<ExitsLeft, number> = { work: 0, reduce: 1, frozen: 2 }

type Halt = {
  cause: keyof typeof causes
  reason: string
  /** Exits work, or immediate orders close all positions now, or exits are frozen, too. */
  after?: 'exits' | 'flatten' | 'freeze'
  rule?: string
}

/** The first reason stays. A later halt can only make the exits stricter. */
export function haltStrategy(
  { state, notes }: Pick<StepContext, 'state' | 'notes'>,
  strategy: string,
  { cause, reason, after = 'exits', rule }: Halt,
): void {
  const own = state.strategies[strategy]
  if (!own) return
  const wanted = after === 'freeze' ? 'frozen' : causes[cause]
  const before = own.haltedExits ?? 'work'
  if (own.halted === null || strictness[wanted] > strictness[before]) own.haltedExits = wanted
  if (after === 'flatten') own.flatten ??= { reason, isDone: false }
  if (own.halted !== null && cause !== 'operator') return
  own.halted = reason
  notes.push({ type: 'halted', at: state.at, strategy, reason, exits: own.haltedExits ?? 'work', rule })
}

/** Closing all positions is the last word of the operator: it ends a freeze of the exits. */
export function haltByOperator(
  context: Pick<StepContext, 'state' | 'notes'>,
  strategy: string,
  {
    reason,
    freeze,
    flatten,
    forExit,
  }: Pick<Extract<Operator, { act: 'halt' }>, 'reason' | 'freeze' | 'flatten' | 'forExit'>,
): void {
  const own = context.state.strategies[strategy]
  // An earlier halt lasts longer.
  if (forExit === true && own?.halted === null) own.isHaltedForExit = true
  if (flatten === true && own) {
    if (own.haltedExits === 'frozen') own.haltedExits = 'work'
    own.flatten = { reason, isDone: false }
  }
  haltStrategy(context, strategy, { cause: 'operator', reason, after: freeze === true ? 'freeze' : 'exits' })
}

/** For people. */
export function exitsText(left: ExitsLeft): string {
  return exitsTexts[left]
}

const exitsTexts: Record<ExitsLeft, string> = {
  work: 'Exits work',
  reduce: 'Exits only reduce positions that the venue lists',
  frozen: 'Exits are frozen, too',
}

export function endHalt(own: StrategyState): void {
  own.halted = null
  delete own.haltedExits
  delete own.isHaltedForExit
  // An exit that has begun still closes the whole position.
  delete own.flatten
}

export function stopAll(
  { state, notes }: Pick<StepContext, 'state' | 'notes'>,
  { reason, freeze }: Pick<Extract<Operator, { act: 'stop' }>, 'reason' | 'freeze'>,
): void {
  state.stopped = reason
  delete state.isStoppedByFound
  if (freeze === true) state.frozen = true
  notes.push({ type: 'stopped', at: state.at, reason, exits: state.frozen === true ? 'frozen' : 'work' })
}

export function endStop(state: State): void {
  state.stopped = null
  delete state.isStoppedByFound
  delete state.frozen
}

/** Why no order of this role may be sent, and how to resume; undefined if it may. */
export function stopReason(
  state: State,
  strategy: string,
  role: 'entry' | 'exit',
): { why: string; change: string } | undefined {
  const own = state.strategies[strategy]
  const [isStopped, isHalted] =
    role === 'entry'
      ? [state.stopped !== null, own?.halted !== null && own !== undefined]
      : [isFrozen(state), isFrozenIn(own)]
  const what = role === 'entry' ? '' : ', with exits'
  if (isStopped)
    return {
      why: `all strategies are stopped${what}: ${state.stopped}`,
      change: 'rungs resume resumes trading',
    }
  if (isHalted)
    return {
      why: `${strategy} is halted${what}: ${own?.halted}`,
      change: `rungs resume ${strategy} resumes it`,
    }
  return undefined
}

/** Whether a stop freezes everything: no order is sent or cancelled. */
export function isFrozen({ stopped, frozen }: State): boolean {
  return stopped !== null && frozen === true
}

/** Whether the exits of this strategy are neither placed nor cancelled. */
export function exitsFrozen(state: State, own: StrategyState): boolean {
  return isFrozen(state) || isFrozenIn(own)
}

function isFrozenIn(own: StrategyState | undefined): boolean {
  return own !== undefined && exitsLeft(own) === 'frozen'
}

/** What a halt leaves of the exits of a strategy; all of them if it is not halted. */
export function exitsLeft({ halted, haltedExits = 'work' }: StrategyState): ExitsLeft {
  return halted === null ? 'work' : haltedExits
}
