import { Worker } from 'node:worker_threads'
import type { VariantOutcome } from './ranking.ts'
import type { Report, Task, WorkerSetting } from './worker.ts'

/**
 * Gives tasks to workers, one at a time each, and tells what comes of them in whatever order they end. All of them look
 * at the same columns of the market. The first worker that breaks ends it all, since the others would break, too.
 */
export async function runWorkerPool(about: {
  workers: number
  setting: WorkerSetting
  tasks: Iterator<Task>
  signal: AbortSignal
  done: (job: number, outcome: VariantOutcome) => void
}): Promise<void> {
  const { tasks, setting, signal, done } = about
  const crew = Array.from(
    { length: about.workers },
    () => new Worker(new URL(import.meta.resolve('#src/research/sweep/worker.ts')), { workerData: setting }),
  )
  try {
    await Promise.all(crew.map((worker) => work(worker, tasks, signal, done)))
  } finally {
    await Promise.all(crew.map((worker) => worker.terminate()))
  }
}

function work(
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
        // What was found out can be kept no more.
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
