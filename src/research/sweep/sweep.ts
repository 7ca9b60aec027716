import { choicesOf, foldsOf, seededChance, type Fold, type SearchSettings, type SweepPeriod } from './plan.ts'
import { agreementOf, frontOf, rankOf, scoresOf, warningsOf, type VariantOutcome } from './ranking.ts'
import type { RankMeasure } from './measure-names.ts'
import { nextPoints, type Tried } from './search/tree-parzen.ts'
import { isOrdered, type Choice, type Variation } from './variation.ts'
import { VariantRuns, type RunsInput } from './variant-runs.ts'

export type SweepInput = RunsInput & {
  span: SweepPeriod
  search: SearchSettings
  /** With several measures, the best variants are those of the Pareto front. */
  by: readonly RankMeasure[]
}

/** In-sample and out-of-sample outcome of one choice. */
type Row = {
  choice: Choice
  learned: VariantOutcome
  proved: VariantOutcome
  /** Of a sweep with several measures: whether no other variant surpasses it in all of them in-sample. */
  isOnFront?: boolean
}
export type FoldResult = Fold & { rows: Row[]; agreement: number | null; doubts: string[] }
export type SweepResult = {
  variations: readonly Variation[]
  by: readonly RankMeasure[]
  folds: FoldResult[]
}

/**
 * The number of backtests of a search that run together. It does not depend on the number of threads, so that these do not change
 * the result.
 */
const roundJobs = 10

/** Undefined if the sweep was interrupted. */
export async function runSweep(input: SweepInput): Promise<SweepResult | undefined> {
  const { variations, search, span, by } = input
  const folds = foldsOf(span, search.split)
  const fixed = choicesOf(variations, search)
  const tries = fixed?.length ?? ('tries' in search ? search.tries : 0)
  const ms = folds.reduce((sum, { learn, prove }) => sum + learn.to - learn.from + prove.to - prove.from, 0)
  const runs = new VariantRuns(input, { jobs: 2 * folds.length * tries, ms: ms * tries })
  const plans: { fold: Fold; choices: readonly Choice[] }[] = []
  for (const fold of folds) {
    const choices = fixed ?? (await searched(runs, input, fold))
    if (!choices) return undefined
    plans.push({ fold, choices })
  }
  // All choices of the first period, then all of the second one, and so on.
  const rest = plans.flatMap(({ fold: { learn, prove }, choices }) =>
    (fixed ? [learn, prove] : [prove]).flatMap((period) => choices.map((choice) => ({ choice, period }))),
  )
  if (!(await runs.run(rest))) return undefined
  return { variations, by, folds: plans.map(({ fold, choices }) => foldResult(fold, choices, runs, by)) }
}

/** The choices of a search by the results of the choices before. */
async function searched(
  runs: VariantRuns,
  { variations, search, by }: SweepInput,
  { learn }: Fold,
): Promise<Choice[] | undefined> {
  if (search.kind === 'grid') return []
  const dimensions = variations.map(({ values }) => {
    return { count: values.length, isOrdered: isOrdered(values) }
  })
  const chance = seededChance(search.seed)
  const tried: Tried[] = []
  const choices: Choice[] = []
  while (choices.length < search.tries) {
    const points = nextPoints(dimensions, tried, Math.min(roundJobs, search.tries - choices.length), chance)
    const round = points.map((point) =>
      variations.map(({ values }, index) => values[point[index] ?? 0] ?? ''),
    )
    if (!(await runs.run(round.map((choice) => ({ choice, period: learn }))))) return undefined
    for (const [index, choice] of round.entries())
      tried.push({ point: points[index] ?? [], scores: scoresOf(runs.outcome(choice, learn), by) })
    choices.push(...round)
  }
  return choices
}

function foldResult(
  fold: Fold,
  choices: readonly Choice[],
  runs: VariantRuns,
  by: readonly RankMeasure[],
): FoldResult {
  const [learned, proved] = [fold.learn, fold.prove].map((period) =>
    choices.map((choice) => runs.outcome(choice, period)),
  )
  if (!learned || !proved) throw new RangeError('two periods')
  const [first = 'profit'] = by
  const front = by.length > 1 ? new Set(frontOf(learned, by)) : undefined
  const rows = choices.map((choice, number): Row => {
    const [then, later] = [learned[number], proved[number]]
    if (!then || !later) throw new RangeError(`no outcome of ${choice.join(', ')}`)
    return { choice, learned: then, proved: later, ...(front && { isOnFront: front.has(number) }) }
  })
  return {
    ...fold,
    rows: rankOf(learned, by).flatMap((number) => rows[number] ?? []),
    agreement: agreementOf(learned, proved, first),
    doubts: warningsOf(learned, proved, first),
  }
}
