import { Decimal, isLess } from '#src/core/money/decimal.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { State, StrategyState, ProfitAndLoss } from '#src/engine/state/state.ts'
import { secondMs, tickFrom } from '#src/engine/state/ticks.ts'
import { evaluateAgain, reached } from '#src/engine/state/validity.ts'

type Pause = Strategy['risk']['drawdown']['pause']

const dayMs = 86_400_000
/** The steps of a rolling window: a best result counts until its whole step has left the window. */
const windowSteps = 24

/** The pause of `risk.drawdown` among the pauses of a strategy; those of rules have the ids of the rules. */
export const lossPause = 'drawdown'

/** The pause of `rungs pause`. No rule has this name. */
export const operatorPause = 'the operator'

/** A rule may be named like the pause of the limit. No id has a space. */
export function pauseOfRule(id: string): string {
  return id === lossPause ? `rule ${id}` : id
}

/** The best result that the loss of a pause is counted from; the halt counts from the best of all. */
export function pauseBest({ bests, peak }: ProfitAndLoss): string {
  return bests?.[0]?.result ?? peak
}

/** Records a result that may be the best one that a pause counts from. */
export function noteBest({ end }: Pause, worth: ProfitAndLoss, result: string, at: number): void {
  if (end.by !== 'within') {
    const [best] = worth.bests ?? []
    if (best && isLess(best.result, result)) best.result = result
    return
  }
  const stepMs = stepOf(end.ms)
  const step = Math.floor(at / stepMs)
  const bests = (worth.bests ??= [{ step, result: worth.peak }])
  while (bests[0] && expiryOf(bests[0].step, end.ms) <= at) bests.shift()
  while (bests.length > 0 && !isLess(result, bests.at(-1)!.result)) bests.pop()
  if (bests.at(-1)?.step !== step) bests.push({ step, result })
}

/** Ends a pause whose time has come, and counts its loss anew from the result of now. */
export function endPause(
  state: State,
  { name, risk }: Strategy,
  own: StrategyState,
  result: string,
): BotEvent[] {
  const { pause } = risk.drawdown
  const { worth } = own
  const isNewDay = Math.floor(state.at / dayMs) !== worth.day
  noteBest(pause, worth, result, state.at)
  if (pause.end.by === 'within') evaluateAround(state, stepOf(pause.end.ms))
  if (pause.end.by === 'daily') evaluateAround(state, dayMs)
  if (pause.end.by === 'daily' && isNewDay) worth.bests = [{ step: 0, result }]
  if (own.pauses[lossPause] === undefined) return []
  // A pause from 0.3.2 has no end.
  own.pausedUntil ??= pauseEnd(pause, worth, state.at)
  if (!reached(state, own.pausedUntil)) return []
  liftPause(own)
  evaluateAgain(state)
  if (pause.end.by === 'for') worth.bests = [{ step: 0, result }]
  const reason = 'the pause by drawdown has ended'
  return [{ type: 'resumed', at: state.at, strategy: name, reason }]
}

export function liftPause(own: StrategyState): void {
  delete own.pauses[lossPause]
  delete own.pausedUntil
}

/** When a pause that begins now ends: at a whole second. A fill between the time span and this second does not end it. */
export function pauseEnd({ end }: Pause, { bests }: ProfitAndLoss, at: number): number {
  if (end.by === 'for') return tickFrom(at + end.ms)
  if (end.by === 'daily') return at - (at % dayMs) + dayMs
  return tickFrom(expiryOf(bests?.[0]?.step ?? Math.floor(at / stepOf(end.ms)), end.ms))
}

/** The loss of a pause in words, with its reference. */
export function pauseSince({ end }: Pause, { bests }: ProfitAndLoss): string {
  if (end.by === 'within') return `since the best result of the last ${spanText(end.ms)}`
  if (end.by === 'daily') return 'since the best result of the day'
  return bests === undefined ? 'since the best result' : 'since the best result after the last pause'
}

export function timeText(at: number): string {
  return `${dateAndTime.format(at)} UTC`
}

/** Swedish dates are those of ISO 8601. */
const dateAndTime = new Intl.DateTimeFormat('sv-SE', {
  dateStyle: 'short',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

/** The last tick of a step counts, since its result is the last one of the step, and the first tick after it. */
export function evaluateAround(state: State, stepMs: number): void {
  const end = state.at - (state.at % stepMs) + stepMs
  if (reached(state, end - secondMs)) reached(state, end)
}

function stepOf(windowMs: number): number {
  return Math.ceil(windowMs / windowSteps / secondMs) * secondMs
}

function expiryOf(step: number, windowMs: number): number {
  return (step + 1) * stepOf(windowMs) + windowMs
}

function spanText(ms: number): string {
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000}h` : `${new Decimal(ms).div(60_000).toFixed()}m`
}
