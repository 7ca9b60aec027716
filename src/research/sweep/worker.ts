import { parentPort } from 'node:worker_threads'
import { summarySchema } from '#src/research/backtest/result/result-schema.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { sharedMarkets, type MarketColumns } from '#src/market/data/load/load-market.ts'
import type { HistoricalBooks, HistoricalMarket } from '#src/market/data/historical-market.ts'
import { pieceReturns } from './luck/piece-returns.ts'
import { resampled, type PathDraw } from './luck/resampled-market.ts'
import type { SweepPeriod } from './plan.ts'
import type { VariantOutcome } from './ranking.ts'

export type WorkerSetting = Omit<BacktestInput, 'strategies' | 'markets' | 'depth' | 'from' | 'to'> & {
  path: string
  columns: ReadonlyMap<string, MarketColumns>
  depth: ReadonlyMap<string, MarketColumns<'depth'>>
}
export type BacktestTask = SweepPeriod & {
  text: string
  /** Set if the markets have a resampled path. */
  draw?: PathDraw | undefined
}

/** A setting is for all tasks after it. */
export type ThreadMessage = { setting: WorkerSetting } | { task: BacktestTask }
/** Message of a worker after each task. */
export type Report = { outcome: VariantOutcome } | { broken: string }

type Markets = ReadonlyMap<string, HistoricalMarket>
type Opened = Omit<WorkerSetting, 'columns' | 'depth'> & {
  markets: Markets
  depth: ReadonlyMap<string, HistoricalBooks>
}
let opened: Opened | undefined

parentPort?.on('message', (message: ThreadMessage) => {
  if ('setting' in message) opened = open(message.setting)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin, windows do
  else void answer(message.task).then((report) => parentPort?.postMessage(report))
})

function open({ columns, depth, ...setting }: WorkerSetting): Opened {
  return { ...setting, markets: sharedMarkets(columns), depth: sharedMarkets(depth) }
}

function drawn(markets: Opened['markets'], period: SweepPeriod, draw: PathDraw): Opened['markets'] {
  return new Map([...markets].map(([symbol, market]) => [symbol, resampled(market, period, draw)]))
}

async function answer({ text, from, to, draw }: BacktestTask): Promise<Report> {
  try {
    if (!opened) throw new Error('a task came before its setting')
    const { path, ...setting } = opened
    const markets = draw ? drawn(opened.markets, { from, to }, draw) : opened.markets
    const { summary, equity } = await runBacktest({
      ...setting,
      markets,
      strategies: [{ path, text }],
      from,
      to,
    })
    // Keys in the order of the schema, as in stored results.
    return {
      outcome: {
        summary: summarySchema.parse(summary),
        returns: pieceReturns(equity.value, Number(summary.startEquity)),
      },
    }
  } catch (error) {
    // The input is at fault, so that each further run would end with the same error.
    if (error instanceof BotError) return { outcome: { refused: error.seen } }
    return { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
