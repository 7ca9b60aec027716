import { systemClock } from '#src/core/time/clock.ts'
import { keysOf } from '#src/research/sweep/backtest-key.ts'
import type { SweepRunner } from '#src/research/sweep/variant-runs.ts'
import type { Variation } from '#src/research/sweep/variation.ts'
import { QueueRun } from '#src/research/queue/queue-run.ts'
import { shareSweep } from '#src/research/queue/shared-sweeps.ts'
import { knownOutcomes } from '#src/research/queue/stored-results.ts'
import type { SweepQueue } from '#src/research/queue/sweep-queue.ts'
import { subjectOf, type SweepInputs } from './sweep-inputs.ts'

type About = { variations: readonly Variation[]; signal: AbortSignal; onWorkers: (count: number) => void }

/** Runs the backtests of a sweep on the workers of a queue, which store their results at the server. */
export function queueRunner(queue: SweepQueue, inputs: SweepInputs, about: About): SweepRunner {
  const { variations, signal, onWorkers } = about
  const { strategy, columns, funding, futures, depth, signals, setting } = inputs
  const subject = subjectOf(inputs)
  let opened: Promise<QueueRun> | undefined
  const open = async () => {
    const sweep = await shareSweep(
      queue.database,
      {
        strategy,
        places: variations.map(({ path }) => path),
        setting,
        funding: [...funding],
        ...(futures.size > 0 && { futures: [...futures] }),
        ...(subject.depth && { depth: subject.depth }),
        ...(signals && { signals }),
        markets: subject.markets,
      },
      { columns, depth },
    )
    return new QueueRun({ queue, sweep, clock: systemClock, signal, onWorkers })
  }
  return {
    stored: {
      keyOf: keysOf(subject),
      read: (keys) => knownOutcomes(queue.database, keys),
    },
    async run(tasks, _leftMs, done) {
      opened ??= open()
      await (await opened).run(tasks, done)
    },
  }
}
