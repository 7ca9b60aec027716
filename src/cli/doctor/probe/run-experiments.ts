import {
  notFound,
  type Experiment,
  type ProbeResult,
  type ProbeTopic,
} from '#src/venues/whitebit/probe/experiment.ts'
import type { ProbePlace } from '#src/venues/whitebit/probe/probe-orders.ts'
import { experiments } from '#src/venues/whitebit/probe/experiments.ts'
import { awayIn, noDistance } from '#src/venues/whitebit/probe/order-experiments.ts'
import { NoProbeAnswer, type ProbeDriver } from './probe-driver.ts'

export type ProbeRun = {
  driver: ProbeDriver
  /** Or why no order can be placed. */
  place: ProbePlace | { why: string }
  startedAtMs: number
  /** Prints the question of an experiment before it starts. */
  tell: (question: string) => void
  /** Asks before each experiment whether to end. */
  isOver: () => boolean
}

/** Runs the table of experiments, and leaves no order open. */
export async function runExperiments(run: ProbeRun): Promise<ProbeResult[]> {
  const { driver, tell } = run
  const known = new Map<ProbeTopic, ProbeResult>()
  try {
    for (const experiment of experiments) {
      const why = reasonAgainst(experiment, run, known)
      if (why === undefined) tell(experiment.question)
      const results =
        why === undefined
          ? await resultsOf(experiment, run, known)
          : experiment.finds.map((about) => notFound(about, why))
      for (const result of results) known.set(result.about, result)
      const { value } = known.get('spelling') ?? {}
      if (value === 'camel' || value === 'spec') driver.spelling = value
      if (driver.isUnclear) await driver.clear()
    }
  } finally {
    if (driver.isUnfinished) await driver.clear()
  }
  return [...known.values()]
}

function reasonAgainst(
  experiment: Experiment,
  { place, isOver }: ProbeRun,
  known: ReadonlyMap<ProbeTopic, ProbeResult>,
): string | undefined {
  if (experiment.needs === 'never') return experiment.why
  if (isOver()) return 'the probe was interrupted'
  if (experiment.needs === 'reads') return undefined
  if ('why' in place) return place.why
  // An order whose id the venue ignores could be lost.
  if (known.get('spelling')?.value === null) return 'the name of the client order id is not known'
  return undefined
}

async function resultsOf(
  experiment: Experiment,
  { driver, place, startedAtMs }: ProbeRun,
  known: ReadonlyMap<ProbeTopic, ProbeResult>,
): Promise<ProbeResult[]> {
  try {
    if (experiment.needs === 'reads') return await driver.run(experiment.run(startedAtMs))
    if (experiment.needs === 'never' || 'why' in place) return []
    if (experiment.needs === 'orders') return await driver.run(experiment.run(place))
    const away = awayIn(known)
    if (away !== undefined) return await driver.run(experiment.run(place, away))
    return experiment.finds.map((about) => notFound(about, noDistance))
  } catch (error) {
    if (!(error instanceof NoProbeAnswer)) throw error
    return experiment.finds.map((about) => notFound(about, error.message))
  }
}
