import { choicesOf, foldsOf, seededChance, type Fold, type SearchSettings, type SweepPeriod } from './plan.ts'
import {
  agreementOf,
  frontOf,
  rankOf,
  scoreOf,
  scoresOf,
  warningsOf,
  type VariantOutcome,
} from './ranking.ts'
import { luckOf, type Luck } from './luck/luck.ts'
import {
  monteCarloOf,
  randomRuns,
  type MonteCarlo,
  type MonteCarloSettings,
  type RandomRun,
} from './luck/monte-carlo.ts'
import type { RankMeasure } from './measure-names.ts'
import { nextPoints, type Tried } from './search/tree-parzen.ts'
import { isOrdered, type Choice, type Variation } from './variation.ts'
import { VariantRuns, type RunsInput } from './variant-runs.ts'

export type SweepInput = RunsInput & {
  span: SweepPeriod
  search: SearchSettings
  /** With several measures, the best variants are those of the Pareto front. */
  by: readonly RankMeasure[]
  /** Further runs of the best variant of each step. */
  monteCarlo?: MonteCarloSettings | undefined
}

/** In-sample and out-of-sample outcome of one choice. */
type Row = {
  choice: Choice
  learned: VariantOutcome
  proved: VariantOutcome
  /** Of a sweep with several measures: whether no other variant surpasses it in all of them in-sample. */
  isOnFront?: boolean
}
export type FoldResult = Fold & {
  rows: Row[]
  agreement: number | null
  doubts: string[]
  /** Of the best variant; undefined if it cannot be computed. */
  luck: Luck | undefined
  monteCarlo: MonteCarlo | undefined
}
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
  const { variations, search, span, by, monteCarlo } = input
  const folds = foldsOf(span, search)
  const fixed = choicesOf(variations, search)
  const tries = fixed?.length ?? ('tries' in search ? search.tries : 0)
  const ms = folds.reduce((sum, { learn, prove }) => sum + learn.to - learn.from + prove.to - prove.from, 0)
  const further = folds.map(({ learn }) =>
    monteCarlo ? Object.values(randomRuns(learn, monteCarlo)).flat() : [],
  )
  const furtherMs = further.flat().reduce((sum, { period: { from, to } }) => sum + to - from, 0)
  const runs = new VariantRuns(input, {
    jobs: 2 * folds.length * tries + further.flat().length,
    ms: ms * tries + furtherMs,
  })
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
  if (monteCarlo) {
    const random = plans.flatMap(({ fold: { learn }, choices }, number) => {
      const choice = choices[bestOf(learn, choices, runs, by)] ?? []
      return further[number]?.map(({ period, draw }) => ({ choice, period, draw })) ?? []
    })
    if (!(await runs.run(random))) return undefined
  }
  return { variations, by, folds: plans.map(({ fold, choices }) => foldResult(fold, choices, runs, input)) }
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

/** The number of the best choice in-sample. */
function bestOf(
  learn: SweepPeriod,
  choices: readonly Choice[],
  runs: VariantRuns,
  by: readonly RankMeasure[],
): number {
  const outcomes = choices.map((choice) => runs.outcome(choice, learn))
  return rankOf(outcomes, by)[0] ?? 0
}

function foldResult(
  fold: Fold,
  choices: readonly Choice[],
  runs: VariantRuns,
  { by, monteCarlo }: SweepInput,
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
  const order = rankOf(learned, by)
  const [best = 0] = order
  const random = monteCarlo && monteCarloIn(fold, choices[best] ?? [], { runs, monteCarlo, by: first })
  return {
    ...fold,
    rows: order.flatMap((number) => rows[number] ?? []),
    agreement: agreementOf(learned, proved, first),
    doubts: warningsOf(learned, proved, first),
    luck: luckOf(learned, best, random),
    monteCarlo: random,
  }
}

type MonteCarloParts = { runs: VariantRuns; monteCarlo: MonteCarloSettings; by: RankMeasure }

function monteCarloIn(
  { learn }: Fold,
  choice: Choice,
  { runs, monteCarlo, by }: MonteCarloParts,
): MonteCarlo {
  const random = randomRuns(learn, monteCarlo)
  const outcomesOf = (all: readonly RandomRun[]) =>
    all.map(({ period, draw }) => runs.outcome(choice, period, draw))
  const score = scoreOf(runs.outcome(choice, learn), by)
  return monteCarloOf(
    {
      shuffled: outcomesOf(random.shuffled),
      paths: outcomesOf(random.paths),
      starts: outcomesOf(random.starts),
    },
    (outcome) => scoreOf(outcome, by) >= score,
  )
}
