import { hostname } from 'node:os'
import type { Clock } from '#src/core/time/clock.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import { WorkerThread } from '#src/research/sweep/worker-thread.ts'
import { ChunkSize } from './chunk-size.ts'
import { OpenSweeps } from './shared-sweeps.ts'
import { storeResults } from './stored-results.ts'
import { beatMs, type SweepQueue, type TakenBacktest } from './sweep-queue.ts'

type LaneParts = {
  queue: SweepQueue
  sweeps: OpenSweeps
  /** Names the process for people. */
  worker: string
  clock: Clock
  signal: AbortSignal
  report: (problem: string) => void
}

/** Times between two looks into an empty queue without a notification: the first and the longest. */
const idleMs = { first: 125, longest: 1000 }
/** After an error of the server, such as a deadlock. */
const errorMs = 5000

type Finished = { taken: TakenBacktest; outcome: VariantOutcome } | { taken: TakenBacktest; reason: string }

/** Takes chunks of backtests from the queue, and runs them on one thread, until the signal. Returns how many it has run. */
async function runLane(parts: LaneParts): Promise<number> {
  const { queue, clock, signal, report } = parts
  const news = queue.news('rungs_backtests')
  await using lane = new Lane(parts)
  const size = new ChunkSize()
  let [run, waitMs] = [0, idleMs.first]
  while (!signal.aborted) {
    const { count } = news
    try {
      const chunk = await queue.untilAnswered(() => takeChunk(queue, size), signal)
      run += await lane.run(chunk, size)
      waitMs = chunk.length > 0 ? 0 : Math.min(idleMs.longest, Math.max(idleMs.first, 2 * waitMs))
    } catch (error) {
      // What it had begun runs again, on this worker or on another one.
      if (!signal.aborted) report(String(error))
      await clock.sleep(errorMs, signal).catch(() => {})
    }
    if (waitMs > 0) await news.wait(waitMs, count, signal)
  }
  return run
}

async function takeChunk(queue: SweepQueue, size: ChunkSize): Promise<TakenBacktest[]> {
  const waiting = await queue.waiting(size.countMost)
  return waiting === 0 ? [] : queue.take(size.of(waiting))
}

class Lane implements AsyncDisposable {
  readonly #parts: LaneParts
  #thread: WorkerThread | undefined

  constructor(parts: LaneParts) {
    this.#parts = parts
    // A backtest can take minutes. Another worker runs it again.
    parts.signal.addEventListener('abort', () => void this[Symbol.asyncDispose](), { once: true })
  }

  async run(chunk: readonly TakenBacktest[], size: ChunkSize): Promise<number> {
    const { queue, clock, signal } = this.#parts
    if (chunk.length === 0) return 0
    const beating = new AbortController()
    void this.#beat(
      chunk.map(({ id }) => id),
      beating.signal,
    )
    const beganAt = clock.monotonic()
    const finished: Finished[] = []
    for (const taken of chunk) {
      if (signal.aborted || size.isOver(clock.monotonic() - beganAt)) break
      const each = await this.#runOne(taken)
      if (each) finished.push(each)
    }
    size.measure(finished.length, clock.monotonic() - beganAt)
    try {
      await queue.untilAnswered(() => this.#store(chunk, finished), signal)
    } finally {
      beating.abort()
    }
    return finished.length
  }

  /** Undefined if the worker ends meanwhile. */
  async #runOne(taken: TakenBacktest): Promise<Finished | undefined> {
    const { queue, sweeps, signal, report } = this.#parts
    const { sweep, choice, from, to, draw } = taken.data
    try {
      const { setting, variant } = await queue.untilAnswered(() => sweeps.of(sweep), signal)
      if (this.#thread?.hasEnded !== false) this.#thread = new WorkerThread()
      return { taken, outcome: await this.#thread.run(setting, { text: variant(choice), from, to, draw }) }
    } catch (error) {
      if (signal.aborted) return undefined
      const reason = error instanceof Error ? error.message : String(error)
      report(`a backtest of ${choice.join(', ')} failed: ${reason}`)
      return { taken, reason }
    }
  }

  async #store(chunk: readonly TakenBacktest[], finished: readonly Finished[]): Promise<void> {
    const { queue, worker } = this.#parts
    const results = finished.flatMap((each) => {
      if ('reason' in each) return []
      const { key, run } = each.taken.data
      return [{ key, run, outcome: JSON.stringify(each.outcome), worker }]
    })
    await storeResults(queue.database, results)
    const completed: string[] = []
    for (const each of finished) {
      const { taken } = each
      if ('reason' in each) await queue.fail(taken.id, each.reason)
      else if ('refused' in each.outcome) await queue.bury(taken, each.outcome.refused)
      else completed.push(taken.id)
    }
    await queue.complete(completed)
    const begun = new Set(finished.map(({ taken }) => taken.id))
    await queue.giveBack(chunk.filter(({ id }) => !begun.has(id)))
  }

  async #beat(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { queue, clock, report } = this.#parts
    for (;;) {
      await clock.sleep(beatMs, signal).catch(() => {})
      if (signal.aborted) return
      await queue
        .untilAnswered(() => queue.beat(ids), signal)
        .catch((error: unknown) => {
          if (!signal.aborted) report(String(error))
        })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]()
  }
}

type ServiceParts = {
  queue: SweepQueue
  /** Number of parallel backtests. */
  lanes: number
  clock: Clock
  signal: AbortSignal
  report: (problem: string) => void
}

/** Runs the backtests of all sweeps until the signal. Its threads and markets stay, so that later sweeps begin at full speed. */
export async function runWorkerService({ queue, lanes, ...rest }: ServiceParts): Promise<number> {
  const worker = `process ${process.pid} on ${hostname()}`
  const sweeps = new OpenSweeps(queue.database)
  const runs = await Promise.all(
    Array.from({ length: lanes }, () => runLane({ queue, sweeps, worker, ...rest })),
  )
  return runs.reduce((sum, run) => sum + run, 0)
}
