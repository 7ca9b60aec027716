import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'

/** By level, the id of its next order. */
const next = new WeakMap<CompiledLadder, Map<string, { generation: number; id: string }>>()

/** The same intent has the same id, before and after a crash. */
export function orderId(name: string, ladder: CompiledLadder, level: string, generation: number): string {
  const known = next.get(ladder)?.get(level)
  return known?.generation === generation ? known.id : orderIdOf(name, ladder.name, level, generation)
}

export function orderIdOf(name: string, ladder: string, level: string, generation: number): string {
  return `${name}.${ladder}.${level}.${generation}`
}

/**
 * Makes the ids of what may be placed next, while nobody waits. A text that was the name of a property before is found
 * again by its place in memory; a new one is put together, hashed and looked up among all names there are.
 */
function foresee({ name, ladders }: Compiled, states: Record<string, LadderState>): void {
  for (const ladder of ladders) {
    const own = states[ladder.name]
    if (!own) continue
    const ids = next.get(ladder) ?? new Map<string, { generation: number; id: string }>()
    next.set(ladder, ids)
    const names: Record<string, { level: string; generation: number }> = {}
    for (const { level } of own.rungs) {
      const generation = (own.generations[level] ?? 0) + 1
      if (ids.get(level)?.generation !== generation)
        names[orderIdOf(name, ladder.name, level, generation)] = { level, generation }
    }
    for (const id in names) {
      const { level, generation } = names[id]!
      ids.set(level, { generation, id })
    }
  }
}

/** Of all strategies that run. */
export function foreseeIds({ running, strategies }: State, known: ReadonlyMap<string, Compiled>): void {
  for (const name of running) {
    const [compiled, own] = [known.get(name), strategies[name]]
    if (compiled && own) foresee(compiled, own.ladders)
  }
}
