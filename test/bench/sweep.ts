import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { queueRunner } from '#src/cli/sweep/queue-runner.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { loadMarket } from '#src/market/data/load/load-market.ts'
import { SweepQueue } from '#src/research/queue/sweep-queue.ts'
import { runSweep, type SweepInput } from '#src/research/sweep/sweep.ts'
import { readVariation } from '#src/research/sweep/variation.ts'
import { WorkerPool, type Crew } from '#src/research/sweep/worker-pool.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * P10: a sweep on two threads against the same on one, over one copy of a week of bars, from the start of the first thread
 * to the last outcome; and a sweep on two warm workers of a queue against the same on one. The results must be the same, or
 * no ratio is reported. Each thread compiles the same code for itself, so that a short sweep must run on one thread. The
 * ratio is for each thread that runs.
 */
const workers = 2

// As the program runs: garbage is collected where it is made, and takes no second core from anybody; what was compiled
// once is kept.
setFlagsFromString('--no-parallel-scavenge')
process.env['NODE_COMPILE_CACHE'] = fileURLToPath(new URL('../../node_modules/.cache/rungs', import.meta.url))

const path = 'strategies/01-static-grid.yaml'
const columns = loadMarket('config/markets/BTC_USDT.csv')
const markets = new Map([['BTC_USDT', columns]])
const setting = { latencyMs: 50, fill: 'through', seed: 'bench' } as const
const input: Omit<SweepInput, 'done' | 'variations' | 'runner'> = {
  strategy: { path, text: readFileSync(path, 'utf8') },
  span: { from: columns.beginsAt, to: columns.seen?.endsAt ?? columns.beginsAt },
  search: { kind: 'grid', split: { learnShare: 0.7 } },
  by: ['profit'],
  faultOf: () => undefined,
  begin: () => {},
  found: () => {},
}

type Sweep = { told: string; ms: number; jobs: number; threads: number }

const variationsOf = (step: number) =>
  ['ladder.grid.levels=11,21', `ladder.grid.size.total=1000 quote..2999 quote:${step} quote`].map(
    readVariation,
  )

/** Ten and twenty levels, and as many totals in quote as the step from 1 000 to 2 999 makes. */
async function sweepOn(crew: Crew, step: number): Promise<Sweep> {
  let jobs = 0
  const beganAt = performance.now()
  await using pool = new WorkerPool({
    crew,
    setting: { ...setting, path, columns: markets, depth: new Map() },
    clock: systemClock,
    signal: new AbortController().signal,
  })
  const result = await runSweep({
    ...input,
    variations: variationsOf(step),
    runner: { run: (tasks, leftMs, done) => pool.run(tasks, leftMs, done) },
    done: () => (jobs += 1),
  })
  return { told: JSON.stringify(result), ms: performance.now() - beganAt, jobs, threads: pool.size }
}

type Worth = { worth: number; jobs: number; threads: number }

/** What each thread of a crew is worth, of a sweep that is made so many times on one and on the crew. */
async function worthOf(crew: Crew, step: number, rounds: number): Promise<Worth> {
  let [onOne, onAll, jobs, threads] = [0, 0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    const [one, all] = [await sweepOn({ exactly: 1 }, step), await sweepOn(crew, step)]
    if (all.told !== one.told) throw new Error('a crew finds something else than one thread')
    onOne += one.ms
    onAll += all.ms * all.threads
    ;({ jobs } = one)
    ;({ threads } = all)
    const rate = (ms: number) => ((jobs * 1000) / ms).toFixed(1)
    note(`${jobs} backtests: ${rate(one.ms)} a second on one worker, ${rate(all.ms)} on ${threads}`)
  }
  return { worth: onOne / onAll, jobs, threads }
}

/** A worker process with one thread that waits for backtests. */
async function startWorker(address: string): Promise<ChildProcess> {
  const words = ['src/rungs.mjs', 'worker', '--queue', address, '--workers', '1']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  await once(child.stderr, 'data')
  return child
}

/** The rate of a single worker differs from sweep to sweep, so both are measured in turn. */
const rounds = 5

/** What each of two warm workers of a queue is worth. The server and the sweep itself share the machine with them. */
async function worthOfQueue(step: number): Promise<{ worth: number; jobs: number }> {
  await using server = await startPostgres()
  await using queue = await SweepQueue.open(server.url, {
    application: 'rungs bench',
    clock: systemClock,
    report: note,
  })
  const sweepOnQueue = async (): Promise<Omit<Sweep, 'threads'>> => {
    await queue.database.query('TRUNCATE rungs_sweep.results')
    let jobs = 0
    const beganAt = performance.now()
    const about = {
      variations: variationsOf(step),
      signal: new AbortController().signal,
      onWorkers: () => {},
    }
    const { strategy, span } = input
    const inputs = {
      strategy,
      span,
      columns: markets,
      funding: new Map(),
      futures: new Map(),
      depth: new Map(),
      setting,
    }
    const result = await runSweep({
      ...input,
      variations: variationsOf(step),
      runner: queueRunner(queue, inputs, about),
      done: () => (jobs += 1),
    })
    return { told: JSON.stringify(result), ms: performance.now() - beganAt, jobs }
  }
  const children: ChildProcess[] = []
  try {
    for (let worker = 0; worker < workers; worker++) {
      children.push(await startWorker(server.url))
      // The first one compiles the program, and each worker its own machine code.
      await sweepOnQueue()
      await sweepOnQueue()
    }
    const others = children.slice(1)
    const worths: number[] = []
    let jobs = 0
    for (let round = 0; round < rounds; round++) {
      // Between two sweeps no worker has a job, so a stopped one holds nothing back.
      for (const other of others) other.kill('SIGSTOP')
      const one = await sweepOnQueue()
      for (const other of others) other.kill('SIGCONT')
      const both = await sweepOnQueue()
      if (one.told !== both.told) throw new Error('two workers find something else than one')
      const rate = ({ ms, jobs }: Omit<Sweep, 'threads'>) => ((jobs * 1000) / ms).toFixed(1)
      note(`${one.jobs} backtests: ${rate(one)} a second on one warm worker, ${rate(both)} on ${workers}`)
      worths.push(one.ms / both.ms / workers)
      jobs = one.jobs
    }
    return { worth: medianOf(worths), jobs }
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

const short = await worthOf({ most: workers }, 100, 2)
const long = await worthOf({ most: workers }, 4, 1)
const of = ({ jobs, threads }: Worth) => ({
  goal: 'P10',
  what: `sweep of ${jobs}, each of ${threads} workers`,
})
report({ ...of(long), ours: long.worth, unit: 'x one alone', atLeast: 0.8, wanted: 0.9 })
report({ ...of(short), ours: short.worth, unit: 'x one alone', atLeast: 0.8 })
if (missingPostgres === undefined) {
  const { worth, jobs } = await worthOfQueue(20)
  const what = `sweep of ${jobs} on a queue, each of ${workers} warm workers`
  report({ goal: 'P10', what, ours: worth, unit: 'x one alone', atLeast: 0.9 })
} else note(missingPostgres)
