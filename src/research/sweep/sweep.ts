import type { MarketColumns } from '#src/market/data/load/load-market.ts'
import { runWorkerPool } from './worker-pool.ts'
import { choicesOf, foldsOf, type Fold, type SearchSettings, type SweepPeriod } from './plan.ts'
import { agreementOf, warningsOf, rankOf, type RankMeasure, type VariantOutcome } from './ranking.ts'
import { variantsOf, type Choice, type Variation } from './variation.ts'
import type { Task, WorkerSetting } from './worker.ts'

export type SweepInput = {
  strategy: { path: string; text: string }
  columns: ReadonlyMap<string, MarketColumns>
  span: SweepPeriod
  variations: readonly Variation[]
  search: SearchSettings
  by: RankMeasure
  setting: Omit<WorkerSetting, 'path' | 'columns'>
  workers: number
  signal: AbortSignal
  /** Why a variant cannot be traded; undefined if it can. */
  faultOf: (text: string) => string | undefined
  /** Known outcomes by job. */
  known: ReadonlyMap<number, VariantOutcome>
  done: (job: number, outcome: VariantOutcome) => void
}

/** In-sample and out-of-sample outcome of one choice. */
type Row = { choice: Choice; learned: VariantOutcome; proved: VariantOutcome }
export type FoldResult = Fold & { rows: Row[]; agreement: number | null; doubts: string[] }
export type SweepResult = { variations: readonly Variation[]; by: RankMeasure; folds: FoldResult[] }

export type SweepPlan = { choices: readonly Choice[]; folds: readonly Fold[]; jobs: number }

export function planOf({
  variations,
  search,
  span,
}: Pick<SweepInput, 'variations' | 'search' | 'span'>): SweepPlan {
  const [choices, folds] = [choicesOf(variations, search), foldsOf(span, search)]
  return { choices, folds, jobs: choices.length * folds.length * 2 }
}

/** Undefined if the sweep was interrupted. */
export async function runSweep(input: SweepInput): Promise<SweepResult | undefined> {
  const plan = planOf(input)
  const { strategy, columns, setting, workers, signal } = input
  const outcomes = new Map(input.known)
  const done = (job: number, outcome: VariantOutcome) => {
    outcomes.set(job, outcome)
    input.done(job, outcome)
  }
  await runWorkerPool({
    workers: Math.min(workers, Math.max(1, plan.jobs - outcomes.size)),
    setting: { ...setting, path: strategy.path, columns },
    tasks: tasksOf(input, plan, new Set(outcomes.keys()), done),
    signal,
    done,
  })
  if (outcomes.size < plan.jobs) return undefined
  const { variations, by } = input
  return {
    variations,
    by,
    folds: plan.folds.map((fold, number) => foldResult(fold, number, plan, outcomes, by)),
  }
}

/** Texts of variants are made one by one: all of them at once could fill the memory. */
function* tasksOf(
  { strategy, variations, faultOf }: SweepInput,
  plan: SweepPlan,
  known: ReadonlySet<number>,
  done: (job: number, outcome: VariantOutcome) => void,
): Generator<Task> {
  const variant = variantsOf(strategy.text, variations)
  const faults = new Map<number, string | undefined>()
  for (let job = 0; job < plan.jobs; job++) {
    if (known.has(job)) continue
    // All choices of the first span, then all of the second one, and so on.
    const [choice, span] = [job % plan.choices.length, Math.floor(job / plan.choices.length)]
    const fold = plan.folds[Math.floor(span / 2)]
    const part = span % 2 === 0 ? fold?.learn : fold?.prove
    if (!part) continue
    const text = variant(plan.choices[choice] ?? [])
    if (!faults.has(choice)) faults.set(choice, faultOf(text))
    const refused = faults.get(choice)
    if (refused === undefined) yield { job, text, ...part }
    else done(job, { refused })
  }
}

function foldResult(
  fold: Fold,
  number: number,
  { choices }: SweepPlan,
  outcomes: ReadonlyMap<number, VariantOutcome>,
  by: RankMeasure,
): FoldResult {
  const [learned, proved] = [0, 1].map((side) =>
    choices.map((_, choice) => outcomes.get((2 * number + side) * choices.length + choice) ?? missing),
  )
  const rows = rankOf(learned ?? [], by).map((choice) => ({
    choice: choices[choice] ?? [],
    learned: learned?.[choice] ?? missing,
    proved: proved?.[choice] ?? missing,
  }))
  return {
    ...fold,
    rows,
    agreement: agreementOf(learned ?? [], proved ?? [], by),
    doubts: warningsOf(learned ?? [], proved ?? [], by),
  }
}

const missing: VariantOutcome = { refused: 'it was not tested' }
