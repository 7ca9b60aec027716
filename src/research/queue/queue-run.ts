import { BotError } from '#src/core/errors/bot-error.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import type { SweepJob } from '#src/research/sweep/variant-runs.ts'
import { connectedWorkers } from './connected-workers.ts'
import { forgetResults, outcomeOf, readResults, type StoredResult } from './stored-results.ts'
import type { QueuedBacktest, SweepQueue } from './sweep-queue.ts'

type QueueRunParts = {
  queue: SweepQueue
  /** Of `shareSweep`. */
  sweep: string
  clock: Clock
  signal: AbortSignal
  /** The number of workers that are connected. */
  onWorkers: (count: number) => void
}

type Done = (task: SweepJob, outcome: VariantOutcome) => void
/** A backtest without a result, and the jobs of the sweep that wait for it: their variants may be the same. */
type Pending = { queued: QueuedBacktest; jobs: SweepJob[] }
type Sample = { queued: QueuedBacktest; results: StoredResult[] }

const insertedAtOnce = 100
const cancelledAtOnce = 1000
/** Results come in the order of the queue, so that it is enough to read those of the first pending backtests. */
const readAtOnce = 500
/** Without a notification. */
const pollMs = 250
const checkMs = 2000
/** Another sweep, or an operator, can have removed a backtest from the queue. Then it is queued again. */
const repairMs = 30_000
/** One of so many backtests runs twice, and none of a short sweep, in which each one may take hours. */
const sampleEvery = 100

/** Runs the backtests of one sweep on the workers of a queue. */
export class QueueRun {
  readonly #parts: QueueRunParts
  readonly #pending = new Map<string, Pending>()
  /** Backtests that run twice, with the results so far. */
  readonly #sample = new Map<string, Sample>()
  readonly #queued: string[] = []
  #count = 0
  #done: Done = () => {}
  #checkedAt = -Infinity
  #repairedAt: number

  constructor(parts: QueueRunParts) {
    this.#parts = parts
    this.#repairedAt = parts.clock.monotonic()
  }

  /** A search runs its tasks in rounds. */
  async run(tasks: Iterator<SweepJob>, done: Done): Promise<void> {
    const { queue, signal } = this.#parts
    const news = queue.news('rungs_results')
    this.#done = done
    try {
      await this.#forgetFailures()
      await this.#queueAll(tasks)
      while (this.#pending.size + this.#sample.size > 0 && !signal.aborted) {
        const { count } = news
        const found = await this.#collect()
        await this.#check()
        if (!found) await news.wait(pollMs, count, signal)
      }
    } finally {
      await this.#cancel()
    }
  }

  /** A sweep that is repeated tries again what failed before. */
  async #forgetFailures(): Promise<void> {
    const { queue, sweep } = this.#parts
    const failures = await queue.failures(sweep)
    await queue.forgetFailures(failures.map(({ id }) => id))
  }

  async #queueAll(tasks: Iterator<SweepJob>): Promise<void> {
    const { sweep, signal } = this.#parts
    let group: QueuedBacktest[] = []
    while (!signal.aborted) {
      const { value: job, done } = tasks.next()
      if (done === true) break
      const { key, choice, from, to, draw } = job
      const before = this.#pending.get(key)
      if (before) {
        before.jobs.push(job)
        continue
      }
      const queued = { key, sweep, choice, from, to, ...(draw && { draw }), run: 1 } as const
      const again = { ...queued, run: 2 } as const
      if (this.#count++ % sampleEvery === sampleEvery / 2)
        this.#sample.set(key, { queued: again, results: [] })
      this.#pending.set(key, { queued, jobs: [job] })
      group.push(queued)
      if (group.length < insertedAtOnce) continue
      await this.#insert(group)
      group = []
      // The workers have begun.
      await this.#collect()
    }
    await this.#insert(group)
    await this.#insert([...this.#sample.values()].map(({ queued }) => queued))
  }

  async #insert(backtests: readonly QueuedBacktest[]): Promise<void> {
    const { queue, signal } = this.#parts
    if (backtests.length === 0) return
    for (const id of await queue.untilAnswered(() => queue.insert(backtests), signal)) this.#queued.push(id)
  }

  /** Returns whether there was a new result. */
  async #collect(): Promise<boolean> {
    const { queue, signal } = this.#parts
    const keys = [...first(readAtOnce, this.#pending.keys()), ...first(readAtOnce, this.#sample.keys())]
    const results = await queue.untilAnswered(() => readResults(queue.database, keys), signal)
    let found = false
    for (const result of results) {
      const pending = result.run === 1 ? this.#pending.get(result.key) : undefined
      if (pending) {
        const outcome = outcomeOf(result.outcome)
        for (const job of pending.jobs) this.#done(job, outcome)
        this.#pending.delete(result.key)
        found = true
      }
      const sample = this.#sample.get(result.key)
      if (sample && !sample.results.some(({ run }) => run === result.run)) sample.results.push(result)
      if (sample?.results.length === 2) await this.#compare(sample)
    }
    return found
  }

  async #compare({ queued, results }: Sample): Promise<void> {
    this.#sample.delete(queued.key)
    const [one, other] = results
    if (!one || !other || one.outcome === other.outcome) return
    await forgetResults(this.#parts.queue.database, queued.key)
    throw new BotError('BACKTEST_FAILED', {
      seen: `two runs of ${nameOf(queued)} gave different results, on ${one.worker} and on ${other.worker}`,
      fix: 'One of the machines computes wrong, or has another version of rungs: end its worker, and repeat the sweep',
    })
  }

  async #check(): Promise<void> {
    const { queue, sweep, clock, signal, onWorkers } = this.#parts
    const now = clock.monotonic()
    if (now - this.#checkedAt < checkMs) return
    this.#checkedAt = now
    onWorkers(await queue.untilAnswered(() => connectedWorkers(queue.database), signal))
    const [failure] = await queue.untilAnswered(() => queue.failures(sweep), signal)
    if (failure) {
      const seen = `${nameOf(failure.data)} failed again and again, at last with: ${failure.reason}`
      throw new BotError('BACKTEST_FAILED', { seen })
    }
    if (now - this.#repairedAt < repairMs) return
    this.#repairedAt = now
    const pending = first(readAtOnce, this.#pending.values()).map(({ queued }) => queued)
    const samples = first(readAtOnce, this.#sample.values())
    await this.#insert([...pending, ...samples.map(({ queued }) => queued)])
  }

  /** What the sweep needs no longer, because it was interrupted, or because another sweep had the same backtests. */
  async #cancel(): Promise<void> {
    for (let from = 0; from < this.#queued.length; from += cancelledAtOnce)
      await this.#parts.queue.cancel(this.#queued.slice(from, from + cancelledAtOnce))
    this.#queued.length = 0
  }
}

function nameOf({ choice, from, to }: QueuedBacktest): string {
  const [begin, end] = [from, to].map((at) => new Date(at).toISOString().slice(0, 16))
  return `the backtest of ${choice.join(', ')} from ${begin} to ${end}`
}

function first<Value>(count: number, values: Iterator<Value> & Iterable<Value>): Value[] {
  return [...Iterator.from(values).take(count)]
}
