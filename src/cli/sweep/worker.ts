import { availableParallelism } from 'node:os'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { workerApplication } from '#src/research/queue/connected-workers.ts'
import { runWorkerService } from '#src/research/queue/worker-service.ts'
import { openQueue } from './open-queue.ts'

/** `rungs worker --queue ADDRESS`: runs the backtests of sweeps, until it is ended. */
export async function worker(flags: { queue: string; workers?: number }): Promise<number> {
  const lanes = flags.workers ?? availableParallelism()
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  await using queue = await openQueue(flags.queue, workerApplication(process.pid))
  const kind = lanes === 1 ? 'backtest' : 'backtests'
  process.stderr.write(`Waits for sweeps at ${queue.database.name}, for ${lanes} parallel ${kind}.\n`)
  const run = await runWorkerService({
    queue,
    lanes,
    clock: systemClock,
    signal: ending.signal,
    report: (problem) => void process.stderr.write(`${printable(problem)}\n`),
  })
  process.stderr.write(`Ended after ${run} backtests.\n`)
  return exitCodes.ok
}
