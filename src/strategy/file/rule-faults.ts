import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { scheduleOf, shortestGap } from './schedule.ts'
import type { StrategyFault } from './strategy-fault.ts'

/** Contradictions in one rule whose parts are valid each. The paths start at the rule. */
export function* ruleFaults(rule: Strategy['rules'][number]): Generator<StrategyFault, void, undefined> {
  const { when, schedule, missed, for: least } = rule
  if (least !== undefined && when === undefined) {
    const hint = 'add when, or omit for'
    yield { path: ['for'], from: [['when']], message: 'for has no effect without when', hint }
  }
  if (missed === undefined) return
  const from = [['schedule']]
  if (schedule === undefined) {
    const message = 'missed has no effect without a schedule'
    yield { path: ['missed'], from, message, hint: 'add a schedule, or omit missed' }
  } else if (missed.run_once_within >= shortestGap(scheduleOf(schedule))) {
    const message = 'run_once_within is longer than the time to the next schedule, when the rule acts again'
    const hint = 'write the maximum delay, such as 2h'
    yield { path: ['missed', 'run_once_within'], from, message, hint }
  }
}
