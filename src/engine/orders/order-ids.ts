import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'

/** The id of the next order by level. */
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
 * Prepares the ids of the next orders while no command waits. A string that was already used as a property name is found by its
 * address; a new one is built, hashed and looked up among all names.
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

/** The ids of all running strategies. */
export function foreseeIds({ running, strategies }: State, known: ReadonlyMap<string, Compiled>): void {
  for (const name of running) {
    const [compiled, own] = [known.get(name), strategies[name]]
    if (compiled && own) foresee(compiled, own.ladders)
  }
}
