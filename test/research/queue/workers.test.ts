import { spawn, type ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database } from '#src/fleet/database.ts'
import { environment, programWords, rungs, temporaryFolder } from '#test/cli/support/process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { times } from '#test/properties/runs.ts'
import { minuteBars } from '#test/research/sweep/minute-bars.ts'
import { missingPostgres, startPostgres, type PostgresServer } from '#test/support/postgres.ts'

const grid = 'strategies/01-static-grid.yaml'
const folder = temporaryFolder()
const market = minuteBars(folder.file('four-hours.csv'))
const workers: ChildProcess[] = []
/** Workers that take the place of the killed one: two are enough for chunks of one sweep at several workers. */
const others = times(4, 8, 2)
let server: PostgresServer
let database: Database

beforeAll(async () => {
  if (missingPostgres !== undefined) return
  server = await startPostgres()
  database = await Database.open(server.url, { connectMs: 5000, queryMs: 5000 })
}, 60_000)

afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  await database?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** A worker process that is connected. */
async function startWorker(): Promise<ChildProcess> {
  const words = programWords(['worker', '--queue', server.url, '--workers', '1'])
  const child = spawn(process.execPath, words, { env: environment({}), stdio: ['ignore', 'ignore', 'pipe'] })
  workers.push(child)
  await heard(child, /Waits for sweeps/)
  return child
}

function heard(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (text: Buffer) => {
      said += text.toString()
      if (pattern.test(said)) resolve(said)
    })
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}: ${said}`)))
  })
}

const ended = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve))

async function count(from: string): Promise<number> {
  const { rows } = await database.query(`SELECT count(*) AS count FROM ${from}`).catch((error: unknown) => {
    // The first worker makes the tables.
    if (error instanceof Error && 'code' in error && error.code === '42P01') return { rows: [] }
    throw error
  })
  return Number(rows[0]?.['count'] ?? 0)
}

/** A file of what an exchange would show of BTC_PERP. */
async function simulated(what: string): Promise<string> {
  const path = folder.file(`${what}.csv`)
  const words = ['market', '--seeded', 'BTC_PERP', '--for', '15m', '--what', what, '--write', path]
  expect((await rungsHere(words)).code).toBe(0)
  return path
}

/** The output without the duration. */
const told = (stdout: string) => stdout.replace(/"elapsedMs":\d+/, '')
const sweepWords = (...vary: string[]) => [
  'sweep',
  grid,
  '--market',
  market,
  ...vary.flatMap((each) => ['--vary', each]),
  '--json',
]
const levels = 'ladder.grid.levels=11,21,201'
const totals = 'ladder.grid.size.total=1000 quote..1500 quote:100 quote'

describe.skipIf(missingPostgres !== undefined)('workers of a queue', () => {
  test('a killed worker loses one chunk, and others give the bytes of the local sweep', async () => {
    const words = sweepWords(levels, totals)
    const local = await rungsHere([...words, '--workers', '1'])
    expect(local.code, local.stderr).toBe(0)
    const first = await startWorker()
    const sweeping = rungs([...words, '--queue', server.url])
    await expect.poll(() => count('rungs_sweep.results')).toBeGreaterThan(0)
    first.kill('SIGKILL')
    await ended(first)
    const [before, lost] = [
      await count('rungs_sweep.results'),
      await count(`rungs_queue.job WHERE state = 'active'`),
    ]
    // As if the time had passed after which a worker counts as dead.
    await database.query(`UPDATE rungs_queue.job SET heartbeat_on = heartbeat_on - interval '1 minute'`)
    await Promise.all(Array.from({ length: others }, startWorker))
    const swept = await sweeping
    expect(swept.code, swept.stderr).toBe(0)
    expect(told(swept.stdout)).toBe(told(local.stdout))
    expect(swept.stderr).toMatch(/36 of 36 backtests, .* left, workers: \d/)
    // What was stored is not computed again, and what was lost is one chunk of the worker.
    const kept = await count(`rungs_sweep.results WHERE worker LIKE 'process ${first.pid} on %'`)
    expect(kept).toBeGreaterThanOrEqual(before)
    expect(await count('rungs_queue.job WHERE retry_count > 0')).toBeLessThanOrEqual(lost)
    expect(await count('rungs_sweep.results WHERE run = 1')).toBe(24)
  })

  test('a search in rounds, and random runs of its best variant, give the bytes of the local sweep', async () => {
    const tries = times(22, 22, 12)
    const search = ['--search', 'tpe', '--tries', String(tries), '--monte-carlo', '3']
    const words = [...sweepWords('ladder.grid.levels=11..41:2', totals), ...search]
    const local = await rungsHere([...words, '--workers', '1'])
    expect(local.code, local.stderr).toBe(0)
    const { code, stdout, stderr } = await rungsHere([...words, '--queue', server.url])
    expect(code, stderr).toBe(0)
    expect(told(stdout)).toBe(told(local.stdout))
    const all = 2 * tries + 9
    expect(stderr).toMatch(new RegExp(String.raw`${all} of ${all} backtests, .* left, workers: \d`))
    expect(await count(`rungs_queue.job WHERE data ? 'draw'`)).toBe(6)
  })

  test('files of order books and of futures go through the server', async () => {
    const files = await Promise.all(['trades', 'depth', 'futures'].map(simulated))
    const flags = ['--market', '--depth', '--futures'].flatMap((flag, place) => [flag, String(files[place])])
    const vary = ['--vary', 'feeds.deep.within=0.1%,0.15%', '--json']
    const words = ['sweep', 'strategies/standard/imbalance-skew.yaml', ...vary, ...flags]
    const local = await rungsHere([...words, '--workers', '1'])
    expect(local.code, local.stderr).toBe(0)
    expect(local.stdout).toMatch(/"fills":[1-9]/)
    const { code, stdout, stderr } = await rungsHere([...words, '--queue', server.url])
    expect(code, stderr).toBe(0)
    expect(told(stdout)).toBe(told(local.stdout))
  })

  test('a variant whose input is at fault is not retried, and is in the dead letter queue with its reason', async () => {
    const model = ['--fees', '-0.01%,0.05%', '--leverage', '5', '--seed', 'other', '--balance', '9000']
    const words = [...sweepWords('markets.btc.symbol=BTC_USDT,ETH_USDT', 'ladder.grid.levels=11'), ...model]
    const local = await rungsHere([...words, '--workers', '1'])
    const { code, stdout, stderr } = await rungsHere([...words, '--queue', server.url])
    expect(code, stderr).toBe(0)
    expect(told(stdout)).toBe(told(local.stdout))
    expect(stdout).toContain('"refused":"the strategies trade ETH_USDT, and there is no market file for it')
    // A worker stores the results of a chunk first, and the sweep can end before its jobs are in the dead letter queue.
    const dead = `rungs_queue.job WHERE name LIKE '%-dead'`
    await expect.poll(() => count(dead)).toBe(2)
    expect(await count(`rungs_queue.job WHERE data->>'choice' LIKE '%ETH%' AND retry_count > 0`)).toBe(0)
    const { rows } = await database.query(`SELECT data->>'refused' AS reason FROM ${dead}`)
    for (const { reason } of rows) expect(reason).toMatch(/^the strategies trade ETH_USDT/)
  })

  test('a wider sweep computes only what is new, and a repeated one needs no worker', async () => {
    const wide = sweepWords('ladder.grid.levels=11,21,31', 'ladder.grid.size.total=1000 quote,1100 quote')
    const local = await rungsHere([...wide, '--workers', '1'])
    const before = await count('rungs_sweep.results')
    const wider = await rungsHere([...wide, '--queue', server.url])
    expect(told(wider.stdout)).toBe(told(local.stdout))
    expect(wider.stderr).toMatch(/^8 of 12 backtests are known from earlier sweeps$/m)
    expect(await count('rungs_sweep.results')).toBe(before + 4)

    const last = workers.slice(1)
    const saying = last.map((worker) => heard(worker, /Ended after \d+ backtests/).catch(String))
    const ends = last.map(ended)
    for (const worker of last) worker.kill('SIGTERM')
    expect(await Promise.all(ends)).toEqual(last.map(() => 0))
    expect((await Promise.all(saying)).join('')).toContain('Ended after')
    const repeated = await rungsHere([...wide, '--queue', server.url])
    expect(told(repeated.stdout)).toBe(told(local.stdout))
    expect(repeated.stderr).toMatch(/^12 of 12 backtests are known from earlier sweeps$/m)
  })
})

test.each([
  ['--out', 'file.ndjson', '--out has no effect with --queue'],
  ['--workers', '2', '--workers has no effect with --queue'],
])('%s is refused with a queue', async (flag, value, message) => {
  const words = [...sweepWords('ladder.grid.levels=11'), '--queue', 'postgres://a@127.0.0.1:9/b']
  const { code, stderr } = await rungsHere([...words, flag, value])
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(message) })
})

test('a password in the address is refused, and a server that does not answer is named', async () => {
  for (const words of [sweepWords('ladder.grid.levels=11'), ['worker']]) {
    const shown = await rungsHere([...words, '--queue', 'postgres://a:hidden@127.0.0.1/b'])
    expect(shown).toMatchObject({ code: 64, stderr: expect.stringContaining('PGPASSWORD') })
    expect(shown.stderr).not.toContain('hidden')
    const away = await rungsHere([...words, '--queue', 'postgres://a@127.0.0.1:9/b'])
    expect(away.code).toBe(69)
    expect(away.stderr).toMatch(/^QUEUE_UNAVAILABLE: .*PostgreSQL at 127\.0\.0\.1:9\/b does not answer/m)
  }
})
