import type { FaultList, FaultKind } from './faults.ts'
import { simulate, type SimulationInput, type SimulationResult } from './run-simulation.ts'

/** The command repeats the failed seed at most so often. */
const runsMax = 80

/** A short list of faults that breaks the same invariant: parts are left out as long as the failure stays. */
export async function shrunk(input: SimulationInput, failed: SimulationResult): Promise<FaultList> {
  const invariant = invariantOf(failed)
  let list: [string, FaultKind][] = failed.fired.map(({ site, kind }) => [site, kind])
  let left = runsMax
  for (let size = list.length; size >= 1 && left > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    let from = 0
    while (from < list.length && left > 0) {
      const others = [...list.slice(0, from), ...list.slice(from + size)]
      left -= 1
      const result = await simulate({ ...input, only: new Map(others) })
      if (invariantOf(result) === invariant) list = others
      else from += size
    }
  }
  return new Map(list)
}

function invariantOf({ violations }: SimulationResult): string | undefined {
  return violations[0]?.split(':')[0]
}
