import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import { loadMarket } from '#src/market/data/load/load-market.ts'
import { contentHash, factsText, packedBlocks, unpackMarket } from '#src/market/data/binary/packed-market.ts'
import { ChunkSize } from '#src/research/queue/chunk-size.ts'
import { NotifiedWait, type QueueChannel } from '#src/research/queue/notified-wait.ts'
import { QueueRun } from '#src/research/queue/queue-run.ts'
import { sharedMarketData, shareMarketData } from '#src/research/queue/shared-markets.ts'
import { readResults, storeResults } from '#src/research/queue/stored-results.ts'
import { SweepQueue, type TakenBacktest } from '#src/research/queue/sweep-queue.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import type { SweepJob } from '#src/research/sweep/variant-runs.ts'
import { missingPostgres, startPostgres, type PostgresServer } from '#test/support/postgres.ts'
import { won } from '#test/research/sweep/outcomes.ts'

let server: PostgresServer
let queue: SweepQueue
const reports: string[] = []

beforeAll(async () => {
  if (missingPostgres !== undefined) return
  server = await startPostgres()
  const [first, second] = await Promise.all([openQueue(), openQueue()])
  await second[Symbol.asyncDispose]()
  queue = first
}, 60_000)

afterAll(async () => {
  await queue?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

beforeEach(() => void reports.splice(0))

const report = (problem: string) => void reports.push(problem)

function openQueue(): Promise<SweepQueue> {
  return SweepQueue.open(server.url, { application: 'rungs test', clock: systemClock, report })
}

const jobsOf = (sweep: string, count: number): SweepJob[] =>
  Array.from({ length: count }, (_, job) => ({
    job,
    key: `${sweep}-${job}`,
    choice: [String(job)],
    from: 0,
    to: 60_000,
  }))

/** Begins a sweep, whose backtests the test itself runs. */
function begin(sweep: string, jobs: readonly SweepJob[]) {
  const ending = new AbortController()
  const outcomes = new Map<number, VariantOutcome>()
  const parts = { queue, sweep, clock: systemClock, signal: ending.signal, onWorkers: () => {} }
  const running = new QueueRun(parts).run(
    jobs.values(),
    ({ job }, outcome) => void outcomes.set(job, outcome),
  )
  running.catch(() => {})
  return { outcomes, running, ending }
}

/** Time stands still: only a notification ends a wait. */
const stillClock: Clock = { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(1e9, signal) }

const queuedAs = (key: string) => ({ key, sweep: 'alone', choice: [], from: 0, to: 1, run: 1 }) as const

async function takeAll(count: number): Promise<TakenBacktest[]> {
  const taken: TakenBacktest[] = []
  await expect
    .poll(async () => {
      taken.push(...(await queue.take(count)))
      return taken.length
    })
    .toBe(count)
  return taken
}

async function finish(taken: readonly TakenBacktest[], worker: string, profit: (key: string) => string) {
  await storeResults(
    queue.database,
    taken.map(({ data: { key, run } }) => ({ key, run, outcome: JSON.stringify(won(profit(key))), worker })),
  )
  await queue.complete(taken.map(({ id }) => id))
}

describe.skipIf(missingPostgres !== undefined)('a sweep on a queue', () => {
  test('ends when each backtest has a result, and its sample ran twice with the same result', async () => {
    const { outcomes, running } = begin('same', jobsOf('same', 120))
    const taken = await takeAll(121)
    expect(taken.filter(({ data }) => data.run === 2)).toHaveLength(1)
    await finish(taken, 'one', (key) => key.replace(/\D+/, ''))
    await running
    expect(outcomes.size).toBe(120)
    expect(outcomes.get(7)).toEqual(won('7'))
    expect(await queue.take(1)).toEqual([])
  })

  test('is refused if two runs of a backtest differ, and both results are forgotten', async () => {
    const { running } = begin('other', jobsOf('other', 60))
    const taken = await takeAll(61)
    const second = taken.filter(({ data }) => data.run === 2)
    await finish(
      taken.filter((each) => !second.includes(each)),
      'machine a',
      () => '1',
    )
    await finish(second, 'machine b', () => '2')
    await expect(running).rejects.toMatchObject({
      code: 'BACKTEST_FAILED',
      seen: expect.stringMatching(/^two runs of the backtest of 50 .*, on machine a and on machine b$/),
    })
    expect(await readResults(queue.database, ['other-50'])).toEqual([])
    expect(await readResults(queue.database, ['other-49'])).toHaveLength(1)
  })

  test('is refused with the reason of a backtest that fails again and again, and tries it again when repeated', async () => {
    const jobs = jobsOf('broken', 2)
    const { running } = begin('broken', jobs)
    const [first, second] = await takeAll(2)
    if (!first || !second) throw new Error('two backtests')
    await finish([second], 'one', () => '1')
    for (let attempt = 0; attempt < 3; attempt++) {
      await queue.fail(first.id, 'the thread of the backtest failed')
      if (attempt < 2) expect((await takeAll(1))[0]?.id).toBe(first.id)
    }
    await expect(running).rejects.toMatchObject({
      code: 'BACKTEST_FAILED',
      seen:
        'the backtest of 0 from 1970-01-01T00:00 to 1970-01-01T00:01 failed again and again, ' +
        'at last with: the thread of the backtest failed',
    })
    const again = begin('broken', jobs.slice(0, 1))
    await finish(await takeAll(1), 'one', () => '3')
    await again.running
    expect(again.outcomes.get(0)).toEqual(won('3'))
  })

  test('takes its backtests from the queue when it is interrupted', async () => {
    const { running, ending } = begin('interrupted', jobsOf('interrupted', 40))
    await takeAll(4)
    ending.abort()
    await running
    expect(await queue.take(40)).toEqual([])
  })

  test('two sweeps with the same backtests run each of them once', async () => {
    const [one, other] = [begin('twice', jobsOf('twice', 10)), begin('twice', jobsOf('twice', 10))]
    await finish(await takeAll(10), 'one', () => '1')
    await Promise.all([one.running, other.running])
    expect([one.outcomes.size, other.outcomes.size]).toEqual([10, 10])
  })

  test('what a worker gives back is taken by another, and does not count as an attempt', async () => {
    const { running } = begin('back', jobsOf('back', 5))
    let taken = await takeAll(5)
    for (let time = 0; time < 5; time++) {
      await queue.giveBack(taken)
      taken = await takeAll(5)
    }
    const [first, ...others] = taken
    if (!first) throw new Error('five backtests')
    await queue.fail(first.id, 'the first attempt')
    await finish([...others, ...(await takeAll(1))], 'one', () => '1')
    await running
  })

  test('waits while the server does not answer', async () => {
    const { running, outcomes } = begin('away', jobsOf('away', 3))
    const taken = await takeAll(3)
    await server.crash()
    await queue.untilAnswered(() => finish(taken, 'one', () => '1'), new AbortController().signal)
    await running
    expect(outcomes.size).toBe(3)
    expect(reports).toEqual([])
  })

  test.each<[QueueChannel, (number: number) => Promise<unknown>]>([
    ['rungs_backtests', (number) => queue.insert([queuedAs(`news-${number}`)])],
    [
      'rungs_results',
      (number) =>
        storeResults(queue.database, [{ key: `news-${number}`, run: 1, outcome: '{}', worker: '' }]),
    ],
  ])('a wait for %s ends when another process has stored some', async (channel, store) => {
    const ending = new AbortController()
    const news = new NotifiedWait(queue.database, channel, stillClock, ending.signal)
    let [hasEnded, number] = [false, 0]
    void news.wait(1, news.count, ending.signal).then(() => (hasEnded = true))
    // The first ones may be stored before the server knows of the wait.
    await expect.poll(() => store(number++).then(() => hasEnded)).toBe(true)
    await news.wait(1, 0, ending.signal)
    ending.abort()
    await queue.take(number)
  })

  test('the last chunks of a sweep are small, so that the workers end together', async () => {
    await queue.insert(Array.from({ length: 16 }, (_, number) => queuedAs(`last-${number}`)))
    const size = new ChunkSize()
    size.measure(30, 1000)
    expect([size.backtests, size.countMost]).toEqual([45, 360])
    expect([await queue.waiting(360), await queue.waiting(5)]).toEqual([16, 5])
    expect([360, 359, 100, 16, 9, 1].map((waiting) => size.of(waiting))).toEqual([45, 45, 13, 2, 2, 1])
    expect(await queue.take(16)).toHaveLength(16)
    expect(await queue.waiting(360)).toBe(0)
  })

  test('the market of a sweep is the same at each worker', async () => {
    const columns = loadMarket('config/markets/BTC_USDT.csv')
    const hash = contentHash(columns)
    await Promise.all([
      shareMarketData(queue.database, hash, columns),
      shareMarketData(queue.database, hash, columns),
    ])
    const { print, ...read } = await sharedMarketData(queue.database, hash)
    expect(print).toBe(hash)
    const { print: _, ...written } = columns
    expect(read).toEqual(written)
  })
})

test('a market that has changed on the way is refused', () => {
  const columns = loadMarket('config/markets/BTC_USDT.csv')
  const packed = [...packedBlocks(columns)].map((bytes) => bytes.slice())
  expect(unpackMarket(contentHash(columns), factsText(columns), packed).shared).toHaveLength(packed.length)
  const [first] = packed
  if (!first) throw new Error('a block')
  first[200] = (first[200] ?? 0) + 1
  expect(() => unpackMarket(contentHash(columns), factsText(columns), packed)).toThrow(/is damaged/)
})
