import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { pieceReturns } from '#src/research/sweep/luck/piece-returns.ts'
import { resampled } from '#src/research/sweep/luck/resampled-market.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import type { SweepRunner, SweepTask } from '#src/research/sweep/variant-runs.ts'

/** Runs the backtests of a sweep on BTC_USDT in this thread: for many short sweeps, each on another market. */
export function inProcessRunner(market: HistoricalMarket, fees?: BacktestInput['fees']): SweepRunner {
  return {
    async run(tasks, _leftMs, done) {
      for (let { value: task } = tasks.next(); task; { value: task } = tasks.next())
        done(task, await outcomeOf(task, market, fees))
    },
  }
}

export async function outcomeOf(
  { text, from, to, draw }: Pick<SweepTask, 'text' | 'from' | 'to' | 'draw'>,
  market: HistoricalMarket,
  fees?: BacktestInput['fees'],
): Promise<VariantOutcome> {
  const own = draw ? resampled(market, { from, to }, draw) : market
  const { summary, equity } = await runBacktest({
    strategies: [{ path: 'sweep.yaml', text }],
    markets: new Map([['BTC_USDT', own]]),
    from,
    to,
    latencyMs: 50,
    fill: 'through',
    seed: 'sweep',
    ...(fees && { fees }),
  })
  return { summary, returns: pieceReturns(equity.value, Number(summary.startEquity)) }
}
