import { lossWait, lossWaitText } from '#src/engine/exits/share-to-close.ts'
import { laddersClosed } from '#src/strategy/file/rule-goals.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { LadderContext, StepContext } from '#src/engine/step-context.ts'
import type { Compiled } from './compiled-strategy.ts'

type Rule = Strategy['rules'][number]
/** A ladder of which a rule that is due closes no share, since `daily_loss` leaves too little, and why. */
export type LossWait = { ladder: LadderContext; why: string }

/** Of all ladders of which the rule would close a share; none if it can close one of them. */
export function lossWaitsOf(
  { do: actions }: Rule,
  compiled: Compiled,
  ladders: readonly LadderContext[],
): LossWait[] {
  const waits: LossWait[] = []
  for (const { close } of actions) {
    if (close?.daily_loss === undefined) continue
    const closed = laddersClosed(close.of, compiled.strategy.ladder)
    for (const each of ladders) {
      const { state, ladder, own } = each
      if (!closed.includes(ladder.name) || own.held.position === '0') continue
      const why = lossWait({ state, scene: compiled, ladder, own }, close)
      if (why === undefined) return []
      waits.push({ ladder: each, why })
    }
  }
  return waits
}

/** Reports the begin of each wait. A time of a schedule is a moment, so the rule does not wait after it. */
export function noteLossWaits(
  { notes, state }: StepContext,
  { id: rule, schedule, do: actions }: Rule,
  ladders: readonly LadderContext[],
  waits: readonly LossWait[],
): void {
  if (actions.every(({ close }) => close?.daily_loss === undefined)) return
  for (const each of ladders) {
    const { exits } = each.own
    const wait = waits.find(({ ladder }) => ladder === each)
    const others = exits.lossWaits?.filter((id) => id !== rule) ?? []
    const isKnown = exits.lossWaits !== undefined && others.length < exits.lossWaits.length
    if ((wait !== undefined) === isKnown) continue
    const rules = wait && schedule === undefined ? [...others, rule] : others
    if (rules.length > 0) exits.lossWaits = rules
    else delete exits.lossWaits
    if (wait === undefined) continue
    notes.push({
      type: 'risk-blocked',
      at: state.at,
      strategy: each.compiled.name,
      ladder: each.ladder.name,
      rung: wholeLabels.close,
      market: each.ladder.symbol,
      kind: 'close daily_loss',
      reason: lossWaitText(rule, wait.why),
      rule,
    })
  }
}
