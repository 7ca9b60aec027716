import { parentPort, workerData } from 'node:worker_threads'
import { summarySchema } from '#src/research/backtest/result/result-schema.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { sharedMarket, type MarketColumns } from '#src/market/data/load/load-market.ts'
import type { VariantOutcome } from './ranking.ts'

export type WorkerSetting = Omit<BacktestInput, 'strategies' | 'markets' | 'from' | 'to'> & {
  path: string
  columns: ReadonlyMap<string, MarketColumns>
}
export type Task = { job: number; text: string; from: number; to: number }

/** Message of a worker after each task. */
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
    // Keys in the order of the schema, as in the results file of an interrupted sweep.
    return { job, outcome: { summary: summarySchema.parse(summary) } }
  } catch (error) {
    return { job, broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
