import { compileStrategy, type Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { State } from '#src/engine/state/state.ts'
import type { VenueFacts } from '#src/engine/events.ts'

/** Strategies by name. One whose text an older version wrote may be none any more. */
export type Known = ReadonlyMap<string, Compiled>

/** The strategies of a state beside those of the engine, read anew only when a text or the venue has changed. */
export class CompiledStrategies {
  readonly #compiled = new Map<string, { text: string; compiled: Compiled | null }>()
  #venue: VenueFacts | undefined

  of({ strategies, venue }: State): Known {
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
