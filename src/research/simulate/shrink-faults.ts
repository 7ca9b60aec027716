import type { FaultList, FaultKind } from './faults.ts'
import { simulate } from './run-simulation.ts'
import type { SimulationInput, SimulationResult } from './simulation.ts'

const runsMax = 200

type Fault = [site: string, kind: FaultKind]
type Outcome = Pick<SimulationResult, 'fired' | 'violations'>

/**
 * Finds a short list of faults that breaks the same invariant, by delta debugging: a part of the list, or the list without
 * a part, replaces the list if the failure stays; then the parts become smaller. Faults that did not happen are dropped.
 */
export async function shrinkFaults(
  input: SimulationInput,
  failed: Outcome,
  run: (input: SimulationInput) => Promise<Outcome> = simulate,
): Promise<FaultList> {
  const [invariant] = failed.violations[0]?.split(':') ?? []
  let runs = 0
  const failing = async (list: readonly Fault[]): Promise<Fault[] | undefined> => {
    if (runs >= runsMax) return undefined
    runs += 1
    const outcome = await run({ ...input, only: new Map(list) })
    return outcome.violations.some((each) => each.startsWith(`${invariant}:`)) ? faultsOf(outcome) : undefined
  }

  let list = faultsOf(failed)
  // After the last run `failing` returns undefined, so the parts shrink to single faults and the loop ends.
  for (let parts = 2; list.length > 0;) {
    const smaller = await smallerOf(list, Math.min(parts, list.length), failing)
    if (smaller === undefined && parts >= list.length) break
    list = smaller?.list ?? list
    parts = smaller === undefined ? 2 * parts : Math.max(2, smaller.parts)
  }
  return new Map(list)
}

/** The first list that fails: one part alone, or all parts but one. */
async function smallerOf(
  list: readonly Fault[],
  parts: number,
  failing: (list: readonly Fault[]) => Promise<Fault[] | undefined>,
): Promise<{ list: Fault[]; parts: number } | undefined> {
  const bounds = Array.from({ length: parts + 1 }, (_, index) => Math.floor((index * list.length) / parts))
  const spans = bounds.slice(1).map((to, index) => [bounds[index] ?? 0, to] as const)
  // With more than two parts, only complements are tried.
  for (const [from, to] of parts === 2 ? spans : []) {
    const found = await failing(list.slice(from, to))
    if (found !== undefined) return { list: found, parts: 2 }
  }
  for (const [from, to] of spans.toReversed()) {
    const found = await failing([...list.slice(0, from), ...list.slice(to)])
    if (found !== undefined) return { list: found, parts: parts - 1 }
  }
  return undefined
}

function faultsOf({ fired }: Outcome): Fault[] {
  return fired.map(({ site, kind }) => [site, kind])
}
