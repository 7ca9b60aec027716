import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { loadMarket } from '#src/market/load-market.ts'
import type { Outcome } from '#src/sweep/ranking.ts'
import { runSweep, type SweepInput } from '#src/sweep/sweep.ts'
import { readVariation } from '#src/sweep/variation.ts'

/**
 * P10: a sweep on two workers against the same on one, over one copy of a week of bars. What counts is its second half, as a
 * long sweep goes on: each worker compiles the same code for itself first, which is told as well, since a short sweep
 * consists of it. What comes of both must be the same, or no ratio is told.
 */
const workers = 2
const must = 0.8
const goal = 0.9

// As the program runs: garbage is collected where it is made, and takes no second core from anybody.
setFlagsFromString('--no-parallel-scavenge')

const path = 'strategies/01-static-grid.yaml'
const columns = loadMarket('config/markets/BTC_USDT.csv')
const input: Omit<SweepInput, 'workers' | 'done'> = {
  strategy: { path, text: readFileSync(path, 'utf8') },
  columns: new Map([['BTC_USDT', columns]]),
  span: { from: columns.beginsAt, to: columns.seen?.endsAt ?? columns.beginsAt },
  variations: ['ladder.grid.levels=11,21', 'ladder.grid.size.total=1000 quote..2900 quote:20 quote'].map(
    readVariation,
  ),
  search: { kind: 'grid', learnShare: 0.7 },
  by: 'profit',
  setting: { latencyMs: 50, fill: 'through', seed: 'bench' },
  signal: new AbortController().signal,
  faultOf: () => undefined,
  known: new Map(),
}

type Swept = { told: string; jobs: number; ms: number; warmMs: number }

async function sweepOn(workers: number): Promise<Swept> {
  const outcomes = new Map<number, Outcome>()
  const doneAt: number[] = []
  const beganAt = performance.now()
  const result = await runSweep({
    ...input,
    workers,
    done(job, outcome) {
      outcomes.set(job, outcome)
      doneAt.push(performance.now())
    },
  })
  const [jobs, endedAt] = [outcomes.size, performance.now()]
  const warmMs = endedAt - (doneAt[Math.floor(jobs / 2)] ?? beganAt)
  return { told: JSON.stringify(result), jobs, ms: endedAt - beganAt, warmMs }
}

const [one, more] = [await sweepOn(1), await sweepOn(workers)]
if (more.told !== one.told) throw new Error('two workers find something else than one')
const rate = ({ jobs, ms }: Swept) => ((jobs * 1000) / ms).toFixed(1)
const whole = one.ms / more.ms / workers
const warm = one.warmMs / more.warmMs / workers
process.stdout.write(
  `${one.jobs} backtests: ${rate(one)} a second on one worker, ${rate(more)} on ${workers}, ` +
    `${whole.toFixed(2)} x one for each of them\n` +
    `P10 sweep   ${warm.toFixed(2)} x one for each of ${workers} once they are warm (must ${must}, goal ${goal})\n`,
)
if (warm < must) process.exitCode = 1
