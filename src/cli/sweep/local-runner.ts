import { availableParallelism } from 'node:os'
import { systemClock } from '#src/core/time/clock.ts'
import { keysOf } from '#src/research/sweep/backtest-key.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import { ResultsFile } from '#src/research/sweep/results-file.ts'
import type { SweepRunner } from '#src/research/sweep/variant-runs.ts'
import { WorkerPool } from '#src/research/sweep/worker-pool.ts'
import { subjectOf, type SweepInputs } from './sweep-inputs.ts'

/** Runs the backtests of a sweep on threads of this process, and stores their results in the file of `--out`. */
export function localRunner(
  inputs: SweepInputs,
  { workers, out }: { workers?: number; out?: string },
  signal: AbortSignal,
): SweepRunner & AsyncDisposable {
  const { strategy, columns, funding, futures, depth, signals, setting } = inputs
  const file = out === undefined ? undefined : new ResultsFile(out)
  const stored = file && {
    keyOf: keysOf(subjectOf(inputs)),
    read: async () => file.known,
    add: (key: string, outcome: VariantOutcome) => file.add(key, outcome),
  }
  const pool = new WorkerPool({
    crew: workers === undefined ? { most: availableParallelism() } : { exactly: workers },
    setting: {
      ...setting,
      funding,
      futures,
      depth,
      ...(signals && { signals }),
      path: strategy.path,
      columns,
    },
    clock: systemClock,
    signal,
  })
  return {
    ...(stored && { stored }),
    run: (tasks, leftMs, done) => pool.run(tasks, leftMs, done),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
