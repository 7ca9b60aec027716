import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { loadMarket } from '#src/market/load-market.ts'
import type { Outcome } from '#src/sweep/ranking.ts'
import { runSweep, type SweepInput } from '#src/sweep/sweep.ts'
import { readVariation } from '#src/sweep/variation.ts'

/**
 * P10: a sweep on two workers against the same on one, over one copy of a week of bars, long enough that what a worker
 * needs to warm up is a small part of it. What comes of it must be the same, or no ratio is told.
 */
const rounds = 2
const workers = 2
const must = 0.8
const goal = 0.9

// As the program runs: garbage is collected where it is made, and takes no second core from anybody; what was compiled
// once is kept.
setFlagsFromString('--no-parallel-scavenge')
process.env['NODE_COMPILE_CACHE'] = fileURLToPath(new URL('../../node_modules/.cache/rungs', import.meta.url))

const path = 'strategies/01-static-grid.yaml'
const columns = loadMarket('config/markets/BTC_USDT.csv')
const input: Omit<SweepInput, 'workers' | 'done'> = {
  strategy: { path, text: readFileSync(path, 'utf8') },
  columns: new Map([['BTC_USDT', columns]]),
  span: { from: columns.beginsAt, to: columns.seen?.endsAt ?? columns.beginsAt },
  variations: ['ladder.grid.levels=11,21', 'ladder.grid.size.total=1000 quote..2900 quote:100 quote'].map(
    readVariation,
  ),
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

const ratios: number[] = []
for (let round = 0; round < rounds; round++) {
  const [one, more] = [await sweepOn(1), await sweepOn(workers)]
  if (more.told !== one.told) throw new Error('two workers find something else than one')
  ratios.push(one.ms / more.ms)
  const rate = (ms: number) => ((one.jobs * 1000) / ms).toFixed(1)
  process.stdout.write(
    `${one.jobs} backtests: ${rate(one.ms)} a second on one worker, ${rate(more.ms)} on ${workers}\n`,
  )
}
const ratio = ratios.reduce((sum, each) => sum + each, 0) / rounds
if (ratio < must * workers) process.exitCode = 1
const each = (ratio / workers).toFixed(2)
process.stdout.write(
  `P10 sweep   ${ratio.toFixed(2)} x one worker, ${each} for each of ${workers} (must ${must}, goal ${goal})\n`,
)
