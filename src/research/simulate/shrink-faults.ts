import type { FaultList, FaultKind } from './faults.ts'
import { simulate, type SimulationInput, type SimulationResult } from './run-simulation.ts'

/** The command repeats the failed seed at most so often. */
const runsMax = 200

type Fault = [site: string, kind: FaultKind]
type Outcome = Pick<SimulationResult, 'fired' | 'violations'>

/**
 * A short list of faults that breaks the same invariant, by delta debugging: the list is cut into parts, at first into two, and
 * a part alone or the list without a part takes its place if the failure stays. When no part can go, the parts become smaller.
 * Of each list, only what took place in its run is kept.
 */
export async function shrunk(
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
  // Without runs left, no list fails any more, and the parts come to single faults.
  for (let parts = 2; list.length > 0;) {
    const smaller = await smallerOf(list, Math.min(parts, list.length), failing)
    if (smaller === undefined && parts >= list.length) break
    list = smaller?.list ?? list
    parts = smaller === undefined ? 2 * parts : Math.max(2, smaller.parts)
  }
  return new Map(list)
}

/** The first that fails: one part alone, or all parts but one, those with the first faults first. */
async function smallerOf(
  list: readonly Fault[],
  parts: number,
  failing: (list: readonly Fault[]) => Promise<Fault[] | undefined>,
): Promise<{ list: Fault[]; parts: number } | undefined> {
  const bounds = Array.from({ length: parts + 1 }, (_, index) => Math.floor((index * list.length) / parts))
  const spans = bounds.slice(1).map((to, index) => [bounds[index] ?? 0, to] as const)
  // A single fault without the others, and a list without its only fault, is the same question.
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
