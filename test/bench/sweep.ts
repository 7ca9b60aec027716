import { readFileSync } from 'node:fs'
import { loadMarket } from '#src/market/load-market.ts'
import type { Outcome } from '#src/sweep/ranking.ts'
import { runSweep, type SweepInput } from '#src/sweep/sweep.ts'
import { readVariation } from '#src/sweep/variation.ts'

/**
 * P10: a sweep on two workers against the same on one, over one copy of a week of bars. What comes of it must be the same
 * before anything is timed.
 */
const rounds = 3
const workers = 2
const must = 0.8
const goal = 0.9

const path = 'strategies/01-static-grid.yaml'
const columns = loadMarket('config/markets/BTC_USDT.csv')
const input: Omit<SweepInput, 'workers' | 'done'> = {
  strategy: { path, text: readFileSync(path, 'utf8') },
  columns: new Map([['BTC_USDT', columns]]),
  span: { from: columns.beginsAt, to: columns.seen?.endsAt ?? columns.beginsAt },
  variations: [
    'ladder.grid.levels=11,21,31,41',
    'ladder.grid.size.total=1000 quote..2000 quote:250 quote',
  ].map(readVariation),
  search: { kind: 'grid', learnShare: 0.7 },
  by: 'profit',
  setting: { latencyMs: 50, fill: 'through', seed: 'bench' },
  signal: new AbortController().signal,
  faultOf: () => undefined,
  known: new Map(),
}

async function sweepOn(workers: number): Promise<{ told: string; ms: number; jobs: number }> {
  const outcomes = new Map<number, Outcome>()
  const beganAt = performance.now()
  const result = await runSweep({
    ...input,
    workers,
    done: (job, outcome) => void outcomes.set(job, outcome),
  })
  return { told: JSON.stringify(result), ms: performance.now() - beganAt, jobs: outcomes.size }
}

const first = await sweepOn(1)
if ((await sweepOn(workers)).told !== first.told) throw new Error('two workers find something else than one')
const ratios: number[] = []
for (let round = 0; round < rounds; round++) {
  const [one, more] = [await sweepOn(1), await sweepOn(workers)]
  ratios.push(one.ms / more.ms)
  const rate = (ms: number) => ((first.jobs * 1000) / ms).toFixed(1)
  process.stdout.write(
    `${first.jobs} backtests of a week: ${rate(one.ms)} a second on one worker, ${rate(more.ms)} on ${workers}\n`,
  )
}
const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
const each = (ratio / workers).toFixed(2)
process.stdout.write(
  `P10 sweep   ${ratio.toFixed(2)} x one worker, ${each} for each of ${workers} (must ${must}, goal ${goal})\n`,
)
