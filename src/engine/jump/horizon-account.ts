import { programsIn } from '#src/strategy/expressions/condition.ts'
import { isProgram, type Price } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { State } from '#src/engine/state/state.ts'

/**
 * Whether a change of the equity by prices alone can change the decisions of the strategies: a rule or an exit reads it, a ladder
 * follows it, or a ladder that could not be placed is sized by it.
 */
export function equityMatters(state: State, known: ReadonlyMap<string, Compiled>): boolean {
  return state.running.some((name) => {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (!compiled || !own) return false
    const { always, laying } = readersOf(compiled)
    return always || laying.some((ladder) => own.ladders[ladder]?.missing !== null)
  })
}

/** Whether something always reads the equity, and the ladders that read it only when they are placed. */
type Readers = { always: boolean; laying: readonly string[] }
const readers = new WeakMap<Compiled, Readers>()

function readersOf(compiled: Compiled): Readers {
  let known = readers.get(compiled)
  if (!known) {
    const { programs, ladders } = compiled
    const readEquity = (...prices: (Price | undefined)[]) =>
      reads(prices.filter(isProgram), programs.lets).calls.some(({ name }) => name === 'equity')
    known = {
      always:
        readEquity(...[...programs.conditions.values()].flatMap(programsIn)) ||
        ladders.some(({ follows, programs: { anchor, exitAt } }) =>
          readEquity(exitAt, follows ? anchor : undefined),
        ),
      laying: ladders.flatMap(({ name, file: { size }, programs: { anchor, unit, scale } }) =>
        (size.total ?? size.first)?.of === 'equity' || readEquity(anchor, unit, scale) ? [name] : [],
      ),
    }
    readers.set(compiled, known)
  }
  return known
}
