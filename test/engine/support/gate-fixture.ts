import type { OrderDraft } from '#src/engine/commands.ts'
import { approveOrders } from '#src/engine/risk/risk-gate.ts'
import type { State } from '#src/engine/state/state.ts'
import { stateAtWork, strategy } from './working-state.ts'

export type Risk = typeof strategy.risk
type Change = (state: State) => void

export const risking = (risk: Partial<Risk>) => ({ ...strategy, risk: { ...strategy.risk, ...risk } })
export const changing = (change: Change): Change => change

/** Why the gate blocks the order, as `why; change`; empty if it does not. */
export function blocks(
  draft: OrderDraft,
  risk: Partial<Risk> = {},
  change: Change = () => undefined,
): string {
  const state = stateAtWork()
  change(state)
  const { blocked } = approveOrders(state, risking(risk), [draft])
  return blocked
    .map(({ words }) => words())
    .map(({ why, change }) => `${why}; ${change}`)
    .join()
}
