import { Worker } from 'node:worker_threads'
import type { VariantOutcome } from './ranking.ts'
import type { Report, Task, WorkerSetting } from './worker.ts'

/**
 * Runs tasks on worker threads, one at a time each, and reports outcomes as they arrive. The workers share the columns of the
 * market data. The first error of a worker ends the pool.
 */
export async function runWorkerPool(about: {
  workers: number
  setting: WorkerSetting
  tasks: Iterator<Task>
  signal: AbortSignal
  done: (job: number, outcome: VariantOutcome) => void
}): Promise<void> {
  const { tasks, setting, signal, done } = about
  const threads = Array.from(
    { length: about.workers },
    () => new Worker(new URL(import.meta.resolve('#src/research/sweep/worker.ts')), { workerData: setting }),
  )
  try {
    await Promise.all(threads.map((worker) => runTasks(worker, tasks, signal, done)))
  } finally {
    await Promise.all(threads.map((worker) => worker.terminate()))
  }
}

function runTasks(
  worker: Worker,
  tasks: Iterator<Task>,
  signal: AbortSignal,
  done: (job: number, outcome: VariantOutcome) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = () => {
      const { value, done: isEnd } = signal.aborted ? { value: undefined, done: true } : tasks.next()
      if (isEnd === true || value === undefined) resolve()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin, windows do
      else worker.postMessage(value)
    }
    worker.on('message', (report: Report) => {
      if ('broken' in report) {
        reject(new Error(report.broken))
        return
      }
      try {
        done(report.job, report.outcome)
      } catch (error) {
        // The outcome could not be stored.
        reject(error instanceof Error ? error : new Error(String(error)))
        return
      }
      next()
    })
    worker.once('error', reject)
    signal.addEventListener('abort', () => resolve(), { once: true })
    next()
  })
}
