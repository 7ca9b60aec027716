import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { medianOf } from './median.ts'

/** A backtest of these strategies. */
export type Job = { texts: readonly string[]; markets: BacktestInput['markets'] }
/** `ms`: CPU time. */
export type Timed = { ms: number; result: BacktestResult }

async function once({ texts, markets }: Job): Promise<Timed> {
  const before = process.cpuUsage()
  const result = await runBacktest({
    strategies: texts.map((text, place) => ({ path: `strategy-${place}.yaml`, text })),
    markets,
    latencyMs: 50,
    fill: 'through',
    seed: 'bench',
  })
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, result }
}

/** Medians of jobs in turns, so that a slow moment of the machine hits all of them. */
export async function inTurns(jobs: readonly Job[], rounds = 1): Promise<Timed[]> {
  const all: Timed[][] = jobs.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [place, job] of jobs.entries()) all[place]?.push(await once(job))
  return all.map((each) => ({ ms: medianOf(each.map(({ ms }) => ms)), result: each[0]!.result }))
}
