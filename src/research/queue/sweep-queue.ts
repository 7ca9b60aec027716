import type { PgBoss } from 'pg-boss'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { Database, ServerUnreachable, sqlState } from '#src/fleet/database.ts'
import type { PathDraw } from '#src/research/sweep/luck/resampled-market.ts'
import type { SweepPeriod } from '#src/research/sweep/plan.ts'
import type { Choice } from '#src/research/sweep/variation.ts'
import { NotifiedWait, notify, type QueueChannel } from './notified-wait.ts'
import { makeSweepTables } from './queue-tables.ts'

/** A backtest in the queue. `sweep` names what it has in common with the others of its sweep. */
export type QueuedBacktest = SweepPeriod & {
  key: string
  run: 1 | 2
  sweep: string
  choice: Choice
  draw?: PathDraw | undefined
}
/** A backtest that a worker has taken. */
export type TakenBacktest = { id: string; data: QueuedBacktest }
/** A backtest that will not run again, and why. */
type DeadBacktest = QueuedBacktest & { /** Of a fault in its input. */ refused?: string }

/** Workers take only what their engine computes in the same way. The number before it is that of the form of the jobs. */
const queueName = `backtests-3-${engineVersion}`
const deadName = `${queueName}-dead`
const schema = 'rungs_queue'

/** A worker that is alive reports its backtests as often as `beatMs`. After this time without, others compute them. */
const heartbeatSeconds = 15
export const beatMs = 4000
const superviseSeconds = 5
const daySeconds = 86_400
const retries = 2
const limits = { connectMs: 5000, queryMs: 60_000 }
const awayMs = 1000
const uniqueViolation = '23505'

type Parts = { application: string; clock: Clock; report: (problem: string) => void }

/** The queue of backtests at a PostgreSQL server. */
export class SweepQueue implements AsyncDisposable {
  readonly database: Database
  readonly #boss: PgBoss
  readonly #clock: Clock
  readonly #ending = new AbortController()
  readonly #news = new Map<QueueChannel, NotifiedWait>()

  private constructor(database: Database, boss: PgBoss, clock: Clock) {
    this.database = database
    this.#boss = boss
    this.#clock = clock
  }

  /** Loads the client libraries only now: few users need them. */
  static async open(address: string, { application, clock, report }: Parts): Promise<SweepQueue> {
    const database = await Database.open(address, limits, { code: 'QUEUE_UNAVAILABLE', application })
    try {
      const { PgBoss } = await import('pg-boss').catch((cause: unknown) => {
        throw new BotError('QUEUE_UNAVAILABLE', {
          seen: 'the package pg-boss is not installed',
          fix: 'Run npm install pg-boss@12.34.0 in the folder of rungs',
          cause,
        })
      })
      await makeSweepTables(database)
      const boss = new PgBoss({
        db: { executeSql: (text, values) => database.query(text, values) },
        schema,
        schedule: false,
        superviseIntervalSeconds: superviseSeconds,
        monitorIntervalSeconds: superviseSeconds,
      })
      boss.on('error', (error) => {
        if (!(error instanceof ServerUnreachable)) report(String(error))
      })
      await boss.start().catch((error: unknown) => {
        // Another process has made the tables of pg-boss at the same time.
        if (sqlState(error) !== uniqueViolation) throw error
        return boss.start()
      })
      const queue = new SweepQueue(database, boss, clock)
      await queue.#makeQueues()
      return queue
    } catch (error) {
      await database[Symbol.asyncDispose]()
      throw error
    }
  }

  async #makeQueues(): Promise<void> {
    await this.#boss.createQueue(deadName)
    await this.#boss.createQueue(queueName, {
      // A backtest that waits or runs for another sweep is not queued again.
      policy: 'exclusive',
      retryLimit: retries,
      heartbeatSeconds,
      expireInSeconds: daySeconds,
      deleteAfterSeconds: daySeconds,
      deadLetter: deadName,
    })
  }

  /** Repeats a query while the server does not answer. */
  async untilAnswered<Value>(act: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    for (;;) {
      try {
        return await act()
      } catch (error) {
        if (!(error instanceof ServerUnreachable) || signal.aborted) throw error
        await this.#clock.sleep(awayMs, signal).catch(() => {})
      }
    }
  }

  /** Waits that end with new backtests, or with new results. */
  news(channel: QueueChannel): NotifiedWait {
    const known = this.#news.get(channel)
    if (known) return known
    const news = new NotifiedWait(this.database, channel, this.#clock, this.#ending.signal)
    this.#news.set(channel, news)
    return news
  }

  /** Returns the ids of those that were not in the queue. */
  async insert(backtests: readonly QueuedBacktest[]): Promise<string[]> {
    const jobs = backtests.map((data) => ({ data, singletonKey: singletonOf(data) }))
    const ids = (await this.#boss.insert(queueName, jobs, { returnId: true })) ?? []
    if (ids.length > 0) await notify(this.database, 'rungs_backtests')
    return ids
  }

  /** How many backtests wait for a worker, counted up to this number. */
  async waiting(most: number): Promise<number> {
    const { rows } = await this.database.query(
      `SELECT count(*) AS waiting FROM
         (SELECT FROM ${schema}.job WHERE name = $1 AND state < 'active' AND NOT blocked LIMIT $2) AS counted`,
      [queueName, most],
    )
    return Number(rows[0]?.['waiting'])
  }

  async take(count: number): Promise<TakenBacktest[]> {
    const jobs = await this.#boss.fetch<QueuedBacktest>(queueName, { batchSize: count })
    return jobs.map(({ id, data }) => ({ id, data }))
  }

  async beat(ids: readonly string[]): Promise<void> {
    await this.#boss.touch(queueName, [...ids])
  }

  async complete(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.complete(queueName, [...ids])
  }

  /** Another worker, or this one, runs it again, but not more often than `retries` says. */
  async fail(id: string, reason: string): Promise<void> {
    await this.#boss.fail(queueName, id, { message: reason })
  }

  /** The input is at fault: it is not run again. */
  async bury({ id, data }: TakenBacktest, refused: string): Promise<void> {
    await this.#boss.send(deadName, { ...data, refused }, { singletonKey: singletonOf(data) })
    await this.complete([id])
  }

  /** For backtests that were taken, and not begun. They are the next ones, and this was no attempt to run them. */
  async giveBack(backtests: readonly TakenBacktest[]): Promise<void> {
    if (backtests.length === 0) return
    await this.#boss.deleteJob(
      queueName,
      backtests.map(({ id }) => id),
    )
    const jobs = backtests.map(({ data }) => ({ data, singletonKey: singletonOf(data), priority: 1 }))
    await this.#boss.insert(queueName, jobs)
    await notify(this.database, 'rungs_backtests')
  }

  async cancel(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.cancel(queueName, [...ids])
  }

  /** Backtests of a sweep that failed too often, with the last reason. */
  async failures(sweep: string): Promise<{ id: string; data: QueuedBacktest; reason: string }[]> {
    const dead = await this.#boss.findJobs<DeadBacktest>(deadName, { data: { sweep } })
    return dead
      .filter(({ data }) => data.refused === undefined)
      .map(({ id, data, output }) => ({ id, data, reason: reasonOf(output) }))
  }

  async forgetFailures(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.deleteJob(deadName, [...ids])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.#boss.stop({ graceful: false })
    await this.database[Symbol.asyncDispose]()
  }
}

/** The queue has each backtest once. */
function singletonOf({ key, run }: QueuedBacktest): string {
  return `${key} ${run}`
}

/** Reasons of pg-boss, such as a heartbeat that was missing, have another form than ours. */
function reasonOf(output: unknown): string {
  if (typeof output !== 'object' || output === null) return String(output)
  if ('message' in output) return String(output.message)
  return 'value' in output ? reasonOf(output.value) : JSON.stringify(output)
}
