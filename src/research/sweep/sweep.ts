import { choicesOf, foldsOf, type Fold, type SearchSettings, type SweepPeriod } from './plan.ts'
import { agreementOf, warningsOf, rankOf, type RankMeasure, type VariantOutcome } from './ranking.ts'
import type { KeyOf } from './backtest-key.ts'
import { variantsOf, type Choice, type Variation } from './variation.ts'
import type { BacktestTask } from './worker.ts'

/** A backtest of a sweep. Its key is empty if no results are stored. */
export type SweepJob = SweepPeriod & { job: number; key: string; choice: Choice }
export type SweepTask = SweepJob & BacktestTask

/** Where the backtests of a sweep run, and where their results are stored. */
export type SweepRunner = {
  /** Outcomes of this and earlier sweeps; undefined if none are stored. */
  readonly stored?: StoredOutcomes
  /** Returns when all tasks are done, or earlier if the sweep is interrupted. `leftMs` is the simulated time of the others. */
  run(tasks: Iterator<SweepTask>, leftMs: () => number, done: Done): Promise<void>
}

type StoredOutcomes = {
  keyOf: KeyOf
  read(keys: readonly string[]): Promise<ReadonlyMap<string, VariantOutcome>>
  /** Undefined if the worker that runs a backtest stores its outcome. */
  add?(key: string, outcome: VariantOutcome): void
}

type Done = (task: SweepJob, outcome: VariantOutcome) => void

export type SweepInput = {
  strategy: { path: string; text: string }
  span: SweepPeriod
  variations: readonly Variation[]
  search: SearchSettings
  by: RankMeasure
  runner: SweepRunner
  /** Why a variant cannot be traded; undefined if it can. */
  faultOf: (text: string) => string | undefined
  /** Called once, before the first backtest, with the number of outcomes that are known. */
  begin: (jobs: number, known: number) => void
  /** Called with each outcome that was not known. */
  done: Done
}

/** In-sample and out-of-sample outcome of one choice. */
type Row = { choice: Choice; learned: VariantOutcome; proved: VariantOutcome }
export type FoldResult = Fold & { rows: Row[]; agreement: number | null; doubts: string[] }
export type SweepResult = { variations: readonly Variation[]; by: RankMeasure; folds: FoldResult[] }

type SweepPlan = { choices: readonly Choice[]; folds: readonly Fold[] }

/** Undefined if the sweep was interrupted. */
export async function runSweep(input: SweepInput): Promise<SweepResult | undefined> {
  const { variations, search, span, by, runner, begin } = input
  const plan = { choices: choicesOf(variations, search), folds: foldsOf(span, search) }
  const jobs = jobsOf(input, plan)
  const known = (await runner.stored?.read(jobs.map(({ key }) => key))) ?? new Map<string, VariantOutcome>()
  const outcomes = new Map<number, VariantOutcome>()
  const left: SweepJob[] = []
  for (const each of jobs) {
    const outcome = known.get(each.key)
    if (outcome) outcomes.set(each.job, outcome)
    else left.push(each)
  }
  begin(jobs.length, outcomes.size)
  let leftMs = left.reduce((sum, { from, to }) => sum + to - from, 0)
  const done: Done = (task, outcome) => {
    outcomes.set(task.job, outcome)
    leftMs -= task.to - task.from
    runner.stored?.add?.(task.key, outcome)
    input.done(task, outcome)
  }
  if (left.length > 0) await runner.run(tasksOf(input, left, done), () => leftMs, done)
  if (outcomes.size < jobs.length) return undefined
  return {
    variations,
    by,
    folds: plan.folds.map((fold, number) => foldResult(fold, number, plan, outcomes, by)),
  }
}

/** All choices of the first period, then all of the second one, and so on. */
function jobsOf({ strategy, variations, runner }: SweepInput, { choices, folds }: SweepPlan): SweepJob[] {
  const variant = variantsOf(strategy.text, variations)
  const periods = folds.flatMap(({ learn, prove }) => [learn, prove])
  const keyOf = runner.stored?.keyOf
  const keys = keyOf && choices.map((choice) => keysFor(variant(choice), periods, keyOf))
  return periods.flatMap((period, place) =>
    choices.map((choice, number) => {
      return { job: place * choices.length + number, key: keys?.[number]?.[place] ?? '', choice, ...period }
    }),
  )
}

function keysFor(text: string, periods: readonly SweepPeriod[], keyOf: KeyOf): string[] {
  return periods.map((period) => keyOf(text, period))
}

/** Texts of variants are made one by one: all of them at once could fill the memory. */
function* tasksOf(
  { strategy, variations, faultOf }: SweepInput,
  jobs: readonly SweepJob[],
  done: Done,
): Generator<SweepTask, void> {
  const variant = variantsOf(strategy.text, variations)
  const faults = new Map<Choice, string | undefined>()
  for (const each of jobs) {
    const text = variant(each.choice)
    if (!faults.has(each.choice)) faults.set(each.choice, faultOf(text))
    const refused = faults.get(each.choice)
    if (refused === undefined) yield { ...each, text }
    else done(each, { refused })
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
