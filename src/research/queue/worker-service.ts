import { hostname } from 'node:os'
import type { Clock } from '#src/core/time/clock.ts'
import { OpenSweeps } from './shared-sweeps.ts'
import type { SweepQueue } from './sweep-queue.ts'
import { runLane } from './worker-lane.ts'

type ServiceParts = {
  queue: SweepQueue
  /** Number of parallel backtests. */
  lanes: number
  clock: Clock
  signal: AbortSignal
  report: (problem: string) => void
}

/** Runs the backtests of all sweeps until the signal. Its threads and markets stay, so that later sweeps begin at full speed. */
export async function runWorkerService({ queue, lanes, ...rest }: ServiceParts): Promise<number> {
  const worker = `process ${process.pid} on ${hostname()}`
  const sweeps = new OpenSweeps(queue.database)
  const runs = await Promise.all(
    Array.from({ length: lanes }, () => runLane({ queue, sweeps, worker, ...rest })),
  )
  return runs.reduce((sum, run) => sum + run, 0)
}
