import { compileStrategy, type Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { State } from '#src/engine/state/state.ts'
import type { VenueFacts } from '#src/engine/events.ts'

/** Strategies by name. A text of an older version may be invalid now; it is left out. */
export type CompiledByName = ReadonlyMap<string, Compiled>

/** Compiles the strategies of a state, separately from the engine, and only when a text or the venue changes. */
export class StrategyCache {
  readonly #compiled = new Map<string, { text: string; compiled: Compiled | null }>()
  #venue: VenueFacts | undefined

  of({ strategies, venue }: State): CompiledByName {
    if (venue !== this.#venue) this.#compiled.clear()
    this.#venue = venue
    const known = new Map<string, Compiled>()
    for (const [name, { text }] of Object.entries(strategies)) {
      let found = this.#compiled.get(name)
      if (found?.text !== text) {
        found = { text, compiled: compileStrategy(text, venue) }
        this.#compiled.set(name, found)
      }
      if (found.compiled) known.set(name, found.compiled)
    }
    return known
  }
}
