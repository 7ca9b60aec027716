import type { Clock } from '#src/core/time/clock.ts'
import { CrewSize } from './crew-size.ts'
import type { SweepPeriod } from './plan.ts'
import type { VariantOutcome } from './ranking.ts'
import type { SweepTask } from './sweep.ts'
import type { WorkerSetting } from './worker.ts'
import { WorkerThread } from './worker-thread.ts'

/** How many threads run: always as many, or as many as the work pays for, but at most so many. */
export type Crew = { exactly: number } | { most: number }

type PoolParts = {
  crew: Crew
  setting: WorkerSetting
  tasks: Iterator<SweepTask>
  /** Simulated time of the tasks that are not done. */
  leftMs: () => number
  clock: Clock
  signal: AbortSignal
  done: (task: SweepTask, outcome: VariantOutcome) => void
}

const checkMs = 1000

/**
 * Runs tasks on worker threads, one at a time each, and reports outcomes as they arrive. The workers share the columns of the
 * market data. The first error of a worker ends the pool. Returns the number of threads.
 */
export async function runWorkerPool(parts: PoolParts): Promise<number> {
  const pool = new WorkerPool(parts)
  try {
    await pool.run()
    return pool.size
  } finally {
    await pool.end()
  }
}

class WorkerPool {
  readonly #parts: PoolParts
  readonly #threads: WorkerThread[] = []
  readonly #running = new Map<WorkerThread, { period: SweepPeriod; since: number }>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #crewSize: CrewSize | undefined
  #active = 0

  constructor(parts: PoolParts) {
    this.#parts = parts
    if ('most' in parts.crew) this.#crewSize = new CrewSize(parts.crew.most)
  }

  get size(): number {
    return this.#threads.length
  }

  async run(): Promise<void> {
    const { crew, signal } = this.#parts
    signal.addEventListener('abort', () => this.#ended.resolve(), { once: true })
    for (let thread = 0; thread < ('most' in crew ? 1 : crew.exactly); thread++) this.#begin()
    const timer = setInterval(() => this.#grow(), checkMs)
    await this.#ended.promise.finally(() => clearInterval(timer))
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread[Symbol.asyncDispose]()))
  }

  #begin(): void {
    this.#active += 1
    void this.#work().catch(this.#ended.reject)
  }

  async #work(): Promise<void> {
    await this.#runTasks()
    this.#active -= 1
    if (this.#active === 0) this.#ended.resolve()
  }

  async #runTasks(): Promise<void> {
    const { tasks, setting, clock, signal, done } = this.#parts
    let thread: WorkerThread | undefined
    while (!signal.aborted) {
      const { value: task, done: isEnd } = tasks.next()
      if (isEnd === true) return
      thread ??= this.#startThread()
      const since = clock.monotonic()
      this.#running.set(thread, { period: task, since })
      const outcome = await thread.run(setting, task)
      this.#running.delete(thread)
      if (signal.aborted) return
      done(task, outcome)
      this.#crewSize?.finish(task, clock.monotonic() - since)
      this.#grow()
    }
  }

  #startThread(): WorkerThread {
    const thread = new WorkerThread()
    this.#threads.push(thread)
    return thread
  }

  #grow(): void {
    const { clock, leftMs } = this.#parts
    const now = clock.monotonic()
    const running = [...this.#running.values()].map(({ period, since }) => ({ period, ms: now - since }))
    const wanted = this.#crewSize?.wanted(leftMs(), running) ?? 0
    while (this.#active < wanted) this.#begin()
  }
}
