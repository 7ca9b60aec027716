import { parentPort, workerData } from 'node:worker_threads'
import { summarySchema } from '#src/research/backtest/result/result-lines.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { sharedMarket, type MarketColumns } from '#src/market/data/load/load-market.ts'
import type { VariantOutcome } from './ranking.ts'

/** What all tasks have in common. */
export type WorkerSetting = Omit<BacktestInput, 'strategies' | 'markets' | 'from' | 'to'> & {
  path: string
  columns: ReadonlyMap<string, MarketColumns>
}
export type Task = { job: number; text: string; from: number; to: number }

/** One message of a worker: the outcome of the task it was given last, or what broke it. */
export type Report = { job: number; outcome: VariantOutcome } | { job: number; broken: string }

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- worker-pool.ts has started this thread with it
const { path, columns, ...setting } = workerData as WorkerSetting
const markets = new Map([...columns].map(([symbol, each]) => [symbol, sharedMarket(each)]))

parentPort?.on('message', (task: Task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin, windows do
  void answer(task).then((report) => parentPort?.postMessage(report))
})

async function answer({ job, text, from, to }: Task): Promise<Report> {
  try {
    const { summary } = await runBacktest({ ...setting, strategies: [{ path, text }], markets, from, to })
    // In the order of the schema, as it comes back from the file of a sweep that was ended.
    return { job, outcome: { summary: summarySchema.parse(summary) } }
  } catch (error) {
    return { job, broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
