import type { Command } from '#src/engine/commands.ts'
import type { OrderAnswer, Progress } from '#src/engine/events.ts'
import type { Step } from '#src/engine/step-context.ts'
import { askingGrid, type EngineHarness, refusal, submitsOf } from './engine-harness.ts'

export const unknown = (): OrderAnswer => ({ kind: 'unknown', reason: 'no whole answer' })
export const used = (): OrderAnswer => ({
  kind: 'refused',
  code: 36,
  message: 'already used',
  alreadyUsed: true,
})
export const full = (): OrderAnswer => refusal(10, 'not enough')
export const notSent = (): OrderAnswer => ({
  kind: 'not-sent',
  cause: 'unreachable',
  reason: 'nothing listens',
})
export const placed: Progress = { venueId: '7', filled: '0', money: '0', fee: '0', ended: false }

export const first = 'sgrid.grid.b1.1'
export type UnknownOrderFacts = ConstructorParameters<typeof EngineHarness>[1]

/** A grid whose first chunk was sent and not answered for. */
export function doubtful(
  facts: UnknownOrderFacts = { clientIds: 'unproven' },
  answer = unknown,
): { harness: EngineHarness; step: Step; ids: string[] } {
  const { harness, step } = askingGrid(facts)
  const [submit] = submitsOf(step)
  if (!submit) throw new Error('nothing was sent')
  const ids = submit.orders.map(({ id }) => id)
  return {
    harness,
    ids,
    step: harness.tell({ kind: 'answered', chunk: submit.chunk, orders: submit.orders.map(answer) }),
  }
}

export function answer(harness: EngineHarness, step: Step, say: () => OrderAnswer): Step {
  const [submit] = submitsOf(step)
  if (!submit) throw new Error('nothing was sent')
  return harness.tell({ kind: 'answered', chunk: submit.chunk, orders: submit.orders.map(say) })
}

export const looksOf = ({ commands }: Step) => commands.filter((command: Command) => command.kind === 'look')
export const nothing = { found: {}, listed: false, freeze: null }
export const statuses = (harness: EngineHarness, ids: readonly string[]) =>
  new Set(ids.map((id) => harness.order(id).status))
