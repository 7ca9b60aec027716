import { durationText } from '#src/strategy/schema/quantities.ts'
import { freshSignal } from '#src/engine/state/signals.ts'
import type { LadderView } from '#src/engine/step-context.ts'
import type { Reason } from './reason.ts'

/** Why a ladder places no entries: a signal that places it is unknown. The goal of a rule stays, although its signal is old. */
export function staleSignal({ state, whole, ladder }: LadderView): Reason | undefined {
  const stale = ladder.signals.find(({ name, feed }) => freshSignal(state, whole, name, feed) === null)
  if (!stale) return undefined
  const { name, feed } = stale
  return {
    kind: 'signal',
    why: `the signal ${name} is unknown: no value came within ${durationText(feed.stale_after)}`,
    change: `a value resolves it, such as from rungs signal ${name} VALUE`,
  }
}
