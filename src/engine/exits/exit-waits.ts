import type { OrderDraft } from '#src/engine/commands.ts'
import type { LadderState, State, StrategyState } from '#src/engine/state/state.ts'
import { reached, readOthers } from '#src/engine/state/validity.ts'

/**
 * The exits that have waited long enough after their refusals. Of those that the account lacks money for, only the first one of
 * a ladder: if the venue refuses it again, it would refuse the others, too.
 */
export function dueExits(
  state: State,
  { ladders }: StrategyState,
  drafts: readonly OrderDraft[],
): OrderDraft[] {
  const tried = new Set<string>()
  return drafts.filter(({ ladder, level }) => {
    const own = ladders[ladder]
    if (!own || !lacksMoney(own, level)) return reached(state, own?.exitWaits[level]?.until ?? 0)
    if (tried.has(ladder) || !mayHaveMoney(state, own)) return false
    tried.add(ladder)
    return true
  })
}

export function lacksMoney({ exitWaits }: LadderState, label: string): boolean {
  return exitWaits[label]?.lacksMoneySince !== undefined
}

function mayHaveMoney(state: State, own: LadderState): boolean {
  const since = Math.max(...Object.values(own.exitWaits).map(({ lacksMoneySince = 0 }) => lacksMoneySince))
  readOthers()
  return (state.freedAt ?? 0) > since || reached(state, moneyRetryAt(own))
}

/** When the first exit that the account lacks money for is sent again. */
export function moneyRetryAt({ exitWaits }: LadderState): number {
  let at = 0
  for (const label in exitWaits) {
    const { lacksMoneySince, until } = exitWaits[label]!
    if (lacksMoneySince !== undefined) at = Math.max(at, until)
  }
  return at
}
