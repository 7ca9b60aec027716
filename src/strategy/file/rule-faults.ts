import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { scheduleOf, shortestGap } from './schedule.ts'
import type { StrategyFault, KeyPath } from './strategy-fault.ts'
import { laddersClosed, type CloseAction } from './rule-goals.ts'

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

/** Contradictions in an action that closes. A mirror sells the whole amount of its entry: no part of it is left to close. */
export function closeFaults(
  { of, share, slippage, how, post_for: span, daily_loss: daily }: CloseAction,
  ladders: Strategy['ladder'],
  path: KeyPath,
): StrategyFault[] {
  const faults: StrategyFault[] = []
  const fault = (key: string, message: string, hint: string, from?: KeyPath) => {
    faults.push({ path: [...path, key], ...(from && { from: [from] }), message, hint })
  }
  if (span !== undefined && how === 'ioc')
    fault('post_for', 'post_for has no effect without how: post', 'add how: post, or omit post_for', [
      ...path,
      'how',
    ])
  // It is also the price at which `daily_loss` counts.
  if (slippage !== undefined && how === 'post' && span === undefined && !daily) {
    const message = 'slippage has no effect with how: post without post_for'
    fault('slippage', message, 'add post_for, or omit slippage', [...path, 'how'])
  }
  if (share === undefined) {
    const lack =
      'daily_loss has no effect without share: the other closes continue until the position is zero'
    if (daily) fault('daily_loss', lack, 'add share, or omit daily_loss', [...path, 'share'])
    return faults
  }
  const mirrored = laddersClosed(of, ladders).find((name) => ladders[name]?.exit?.mirror !== undefined)
  if (mirrored !== undefined) {
    const message = `"${mirrored}" has mirrors, which sell all that was bought: a share cannot be closed`
    fault('share', message, 'omit share, or use tp instead of mirror', ['ladder', mirrored, 'exit'])
  }
  if (share.gte(1)) fault('share', 'must be less than 100%', 'omit share to close the whole position')
  return faults
}
