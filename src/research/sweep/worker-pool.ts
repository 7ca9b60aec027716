import type { Clock } from '#src/core/time/clock.ts'
import { CrewSize } from './crew-size.ts'
import type { SweepPeriod } from './plan.ts'
import type { VariantOutcome } from './ranking.ts'
import type { SweepTask } from './variant-runs.ts'
import type { WorkerSetting } from './worker.ts'
import { WorkerThread } from './worker-thread.ts'

/** How many threads run: always as many, or as many as the work pays for, but at most so many. */
export type Crew = { exactly: number } | { most: number }

type PoolParts = { crew: Crew; setting: WorkerSetting; clock: Clock; signal: AbortSignal }
type Round = {
  tasks: Iterator<SweepTask>
  /** Simulated time of the tasks that are not done. */
  leftMs: () => number
  done: (task: SweepTask, outcome: VariantOutcome) => void
  ended: PromiseWithResolvers<void>
  /** Threads that ask for tasks. */
  active: number
}

const checkMs = 1000

/**
 * Runs tasks on worker threads, one at a time each, and reports outcomes as they arrive. The workers share the columns of the
 * market data. The first error of a worker ends a run. Threads stay for the next run.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #parts: PoolParts
  readonly #threads: WorkerThread[] = []
  readonly #idle: WorkerThread[] = []
  readonly #running = new Map<WorkerThread, { period: SweepPeriod; since: number }>()
  readonly #crewSize: CrewSize | undefined

  constructor(parts: PoolParts) {
    this.#parts = parts
    if ('most' in parts.crew) this.#crewSize = new CrewSize(parts.crew.most)
  }

  /** The number of threads. */
  get size(): number {
    return this.#threads.length
  }

  async run(tasks: Round['tasks'], leftMs: Round['leftMs'], done: Round['done']): Promise<void> {
    const { crew, signal } = this.#parts
    const round: Round = { tasks, leftMs, done, ended: Promise.withResolvers(), active: 0 }
    const end = () => round.ended.resolve()
    signal.addEventListener('abort', end, { once: true })
    const first = 'most' in crew ? Math.max(1, this.size) : crew.exactly
    for (let thread = 0; thread < first; thread++) this.#begin(round)
    const timer = setInterval(() => this.#grow(round), checkMs)
    try {
      await round.ended.promise
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', end)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread[Symbol.asyncDispose]()))
  }

  #begin(round: Round): void {
    round.active += 1
    void this.#work(round).catch(round.ended.reject)
  }

  async #work(round: Round): Promise<void> {
    await this.#runTasks(round)
    round.active -= 1
    if (round.active === 0) round.ended.resolve()
  }

  async #runTasks(round: Round): Promise<void> {
    const { setting, clock, signal } = this.#parts
    let thread: WorkerThread | undefined
    while (!signal.aborted) {
      const { value: task, done: isEnd } = round.tasks.next()
      if (isEnd === true) break
      thread ??= this.#idle.pop() ?? this.#startThread()
      const since = clock.monotonic()
      this.#running.set(thread, { period: task, since })
      const outcome = await thread.run(setting, task)
      this.#running.delete(thread)
      if (signal.aborted) return
      round.done(task, outcome)
      this.#crewSize?.finish(task, clock.monotonic() - since)
      this.#grow(round)
    }
    if (thread) this.#idle.push(thread)
  }

  #startThread(): WorkerThread {
    const thread = new WorkerThread()
    this.#threads.push(thread)
    return thread
  }

  #grow(round: Round): void {
    const { clock } = this.#parts
    const now = clock.monotonic()
    const running = [...this.#running.values()].map(({ period, since }) => ({ period, ms: now - since }))
    const wanted = this.#crewSize?.wanted(round.leftMs(), running) ?? 0
    while (round.active < wanted) this.#begin(round)
  }
}
