import type { KeyOf } from './backtest-key.ts'
import type { PathDraw } from './luck/resampled-market.ts'
import type { SweepPeriod } from './plan.ts'
import type { VariantOutcome } from './ranking.ts'
import { variantsOf, type Choice, type Variation } from './variation.ts'
import type { BacktestTask } from './worker.ts'

/** A backtest of a sweep. Its key is empty if no results are stored. */
export type SweepJob = SweepPeriod & {
  job: number
  key: string
  choice: Choice
  draw?: PathDraw | undefined
}
export type SweepTask = SweepJob & BacktestTask

/** Where the backtests of a sweep run, and where their results are stored. */
export type SweepRunner = {
  /** Outcomes of this and earlier sweeps; undefined if none are stored. */
  readonly stored?: StoredOutcomes
  /**
   * Returns when all tasks are done, or earlier if the sweep is interrupted. A search calls it again with the next tasks.
   * `leftMs` is the simulated time of all backtests of the sweep that are not done.
   */
  run(tasks: Iterator<SweepTask>, leftMs: () => number, done: Done): Promise<void>
}

type StoredOutcomes = {
  keyOf: KeyOf
  read(keys: readonly string[]): Promise<ReadonlyMap<string, VariantOutcome>>
  /** Undefined if the worker that runs a backtest stores its outcome. */
  add?(key: string, outcome: VariantOutcome): void
}

type Done = (task: SweepJob, outcome: VariantOutcome) => void

export type RunsInput = {
  strategy: { path: string; text: string }
  variations: readonly Variation[]
  runner: SweepRunner
  /** Why a variant cannot be traded; undefined if it can. */
  faultOf: (text: string) => string | undefined
  /** Called once, before the first backtest, with the number of backtests and of outcomes that are known. */
  begin: (jobs: number, known: number) => void
  /** Called with the number of further outcomes that are known. */
  found: (known: number) => void
  /** Called with each outcome that was not known. */
  done: Done
}

/** A variant in a period, on the path of the markets or on another one. */
export type VariantPeriod = { choice: Choice; period: SweepPeriod; draw?: PathDraw | undefined }

const missing: VariantOutcome = { refused: 'it was not tested' }

/** Runs the backtests of a sweep in one or several rounds, and keeps their outcomes. */
export class VariantRuns {
  readonly #input: RunsInput
  readonly #planned: number
  readonly #variant: (choice: Choice) => string
  readonly #outcomes = new Map<string, VariantOutcome>()
  #leftMs: number
  #jobs = 0

  constructor(input: RunsInput, planned: { jobs: number; ms: number }) {
    this.#input = input
    this.#planned = planned.jobs
    this.#leftMs = planned.ms
    this.#variant = variantsOf(input.strategy.text, input.variations)
  }

  /** Returns false if the sweep was interrupted. */
  async run(wanted: readonly VariantPeriod[]): Promise<boolean> {
    const { runner, begin, found } = this.#input
    const isFirst = this.#jobs === 0
    const jobs = this.#jobsOf(wanted)
    const known = (await runner.stored?.read(jobs.map(({ key }) => key))) ?? new Map<string, VariantOutcome>()
    const left = jobs.filter((each) => {
      const outcome = known.get(each.key)
      if (outcome) this.#take(each, outcome)
      return !outcome
    })
    const there = jobs.length - left.length
    if (isFirst) begin(this.#planned, there)
    else found(there)
    const done: Done = (task, outcome) => {
      this.#take(task, outcome)
      runner.stored?.add?.(task.key, outcome)
      this.#input.done(task, outcome)
    }
    if (left.length > 0) await runner.run(this.#tasksOf(left, done), () => this.#leftMs, done)
    return jobs.every((each) => this.#outcomes.has(idOf(each)))
  }

  outcome(choice: Choice, { from, to }: SweepPeriod, draw?: PathDraw): VariantOutcome {
    return this.#outcomes.get(idOf({ choice, from, to, draw })) ?? missing
  }

  #take(job: SweepJob, outcome: VariantOutcome): void {
    this.#outcomes.set(idOf(job), outcome)
    this.#leftMs -= job.to - job.from
  }

  /** Texts of variants are made one by one: all of them at once could fill the memory. */
  #jobsOf(wanted: readonly VariantPeriod[]): SweepJob[] {
    const keyOf = this.#input.runner.stored?.keyOf
    const keys = new Map<VariantPeriod, string>()
    if (keyOf) {
      for (const [choice, periods] of Map.groupBy(wanted, (each) => each.choice)) {
        const text = this.#variant(choice)
        for (const each of periods) keys.set(each, keyOf(text, each.period, each.draw))
      }
    }
    return wanted.map((each) => {
      const { choice, period, draw } = each
      const { from, to } = period
      return { job: this.#jobs++, key: keys.get(each) ?? '', choice, from, to, ...(draw && { draw }) }
    })
  }

  *#tasksOf(jobs: readonly SweepJob[], done: Done): Generator<SweepTask, void> {
    const faults = new Map<Choice, string | undefined>()
    for (const each of jobs) {
      const text = this.#variant(each.choice)
      if (!faults.has(each.choice)) faults.set(each.choice, this.#input.faultOf(text))
      const refused = faults.get(each.choice)
      if (refused === undefined) yield { ...each, text }
      else done(each, { refused })
    }
  }
}

function idOf({ choice, from, to, draw }: Pick<SweepJob, 'choice' | 'from' | 'to' | 'draw'>): string {
  return JSON.stringify([from, to, choice, draw])
}
