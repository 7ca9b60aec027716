import type { CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import { changesAfter } from '#src/engine/state/open-orders.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'
import type { LadderView } from '#src/engine/step-context.ts'
import type { RungStatus } from './reason.ts'
import { placeOf } from './rung-places.ts'

/** Of one ladder. `resting`: how many of the settled rungs have an order. */
export type LadderStatuses = {
  all: readonly RungStatus[]
  /** The rungs whose status can change without a change of their order, in the order of `all`. */
  unsettled: readonly RungStatus[]
  resting: number
}

/** What a rung is between two evaluations: only a change of its order ends `rests` and `filled`. */
const phase = { unsettled: 0, rests: 1, filled: 2 } as const

type Kept = {
  all: RungStatus[]
  /** By index, as a number of `phase`. */
  phases: Uint8Array
  ladder: CompiledLadder
  orders: State['orders']
  /** How many changes of orders the statuses include. */
  changes: number
  filled: LadderState['filled']
  omitted: LadderState['omitted'] | undefined
}

const keptOf = new WeakMap<LadderState['rungs'], Kept>()

/**
 * The statuses of a ladder without a window, and whose orders all offer the amounts of their rungs. Most rungs have an order that
 * fits, or have filled: their statuses are kept until an order of the rung begins, fills, ends or changes in another way.
 */
export function keptStatuses(view: LadderView, statusOf: (index: number) => RungStatus): LadderStatuses {
  const { all, phases } = currentOf(view)
  const unsettled: RungStatus[] = []
  let resting = 0
  for (let index = 0; index < phases.length; index++) {
    if (phases[index] === phase.unsettled) {
      const status = statusOf(index)
      all[index] = status
      phases[index] = phaseOf(status)
      if (phases[index] === phase.unsettled) unsettled.push(status)
    }
    if (phases[index] === phase.rests) resting += 1
  }
  return { all, unsettled, resting }
}

function phaseOf({ rung, order, fits, reason }: RungStatus): number {
  // Other rungs may wait for a rung with a bound.
  if (rung.wait.bound !== undefined) return phase.unsettled
  if (order !== null) return fits && reason === null ? phase.rests : phase.unsettled
  return reason?.kind === 'filled' ? phase.filled : phase.unsettled
}

/** What is kept, without the statuses that have changed since. */
function currentOf({ state, ladder, own }: LadderView): Kept {
  const { rungs, filled, omitted } = own
  const { orders } = state
  const before = keptOf.get(rungs)
  const isSame = before?.orders === orders && before.ladder === ladder && before.omitted === omitted
  const { changed, count } = changesAfter(state, isSame ? before.changes : 0)
  if (!before || !isSame || !changed || before.phases.length !== rungs.length) {
    const phases = new Uint8Array(rungs.length)
    const kept: Kept = { all: [], phases, ladder, orders, changes: count, filled, omitted }
    keptOf.set(rungs, kept)
    return kept
  }
  before.changes = count
  for (const { role, level } of changed) if (role === 'entry') unsettle(before, rungs, level)
  // Mirrors have ended: their rungs may be placed again.
  if (before.filled !== filled)
    for (const level of new Set(before.filled).difference(new Set(filled))) unsettle(before, rungs, level)
  before.filled = filled
  return before
}

/** Orders of other ladders only cost another look at a rung. */
function unsettle({ phases }: Kept, rungs: LadderState['rungs'], level: string): void {
  const place = placeOf(rungs, level)
  if (place !== undefined) phases[place] = phase.unsettled
}
