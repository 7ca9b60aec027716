import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { loadMarket } from '#src/market/data/load/load-market.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import { runSweep, type SweepInput } from '#src/research/sweep/sweep.ts'
import { readVariation } from '#src/research/sweep/variation.ts'
import { note, report } from './runner/report.ts'

/**
 * P10: a sweep on two workers against the same on one, over one copy of a week of bars, from the start of the first worker
 * to the last outcome. What comes of it must be the same, or no ratio is told. Each worker compiles the same code for
 * itself, some two seconds of it beside its work, so that the mark is about a sweep of minutes; what a short one comes to is
 * told as well.
 */
const workers = 2

// As the program runs: garbage is collected where it is made, and takes no second core from anybody; what was compiled
// once is kept.
setFlagsFromString('--no-parallel-scavenge')
process.env['NODE_COMPILE_CACHE'] = fileURLToPath(new URL('../../node_modules/.cache/rungs', import.meta.url))

const path = 'strategies/01-static-grid.yaml'
const columns = loadMarket('config/markets/BTC_USDT.csv')
const input: Omit<SweepInput, 'workers' | 'done' | 'variations'> = {
  strategy: { path, text: readFileSync(path, 'utf8') },
  columns: new Map([['BTC_USDT', columns]]),
  span: { from: columns.beginsAt, to: columns.seen?.endsAt ?? columns.beginsAt },
  search: { kind: 'grid', learnShare: 0.7 },
  by: 'profit',
  setting: { latencyMs: 50, fill: 'through', seed: 'bench' },
  signal: new AbortController().signal,
  faultOf: () => undefined,
  known: new Map(),
}

type Sweep = { told: string; ms: number; jobs: number }

/** Ten and twenty levels, and as many totals in quote as the step from 1 000 to 2 999 makes. */
async function sweepOn(workers: number, step: number): Promise<Sweep> {
  const outcomes = new Map<number, VariantOutcome>()
  const beganAt = performance.now()
  const result = await runSweep({
    ...input,
    variations: [
      'ladder.grid.levels=11,21',
      `ladder.grid.size.total=1000 quote..2999 quote:${step} quote`,
    ].map(readVariation),
    workers,
    done: (job, outcome) => void outcomes.set(job, outcome),
  })
  return { told: JSON.stringify(result), ms: performance.now() - beganAt, jobs: outcomes.size }
}

/** What each worker is worth, of a sweep that is made so many times on one and on all of them. */
async function worthOf(step: number, rounds: number): Promise<{ worth: number; jobs: number }> {
  let [onOne, onAll, jobs] = [0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    const [one, all] = [await sweepOn(1, step), await sweepOn(workers, step)]
    if (all.told !== one.told) throw new Error('two workers find something else than one')
    onOne += one.ms
    onAll += all.ms
    jobs = one.jobs
    const rate = (ms: number) => ((jobs * 1000) / ms).toFixed(1)
    note(`${jobs} backtests: ${rate(one.ms)} a second on one worker, ${rate(all.ms)} on ${workers}`)
  }
  return { worth: onOne / onAll / workers, jobs }
}

const short = await worthOf(100, 2)
const long = await worthOf(4, 1)
const of = (jobs: number) => ({ goal: 'P10', what: `sweep of ${jobs}, each of ${workers} workers` })
report({ ...of(long.jobs), ours: long.worth, unit: 'x one alone', atLeast: 0.8, wanted: 0.9 })
report({ ...of(short.jobs), ours: short.worth, unit: 'x one alone' })
