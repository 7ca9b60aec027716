import type { SweepPeriod } from './plan.ts'

/**
 * What the start of a thread costs beside its backtests. It loads and compiles the program in 3 to 6 s of CPU time, and slows
 * down the other threads as long.
 */
const startMs = 10_000
/** The smallest share of the time of all threads that goes into backtests. */
const efficiencyMin = 0.8
/** The first backtests of a thread are slower: they compile. */
const coldTasks = 2

/** Decides how many threads the rest of a sweep pays for, from the speed of the backtests so far. */
export class CrewSize {
  readonly #most: number
  #finished = 0
  /** Time for one unit of simulated time; undefined before the first backtest without compilation. */
  #rate: number | undefined
  #rateBefore = Infinity

  constructor(most: number) {
    this.#most = most
  }

  finish({ from, to }: SweepPeriod, ms: number): void {
    this.#finished += 1
    if (this.#finished <= coldTasks) return
    const rate = ms / (to - from)
    // A single slow one can be an accident of the machine.
    this.#rate = Math.min(rate, this.#rateBefore)
    this.#rateBefore = rate
  }

  /** `leftMs` is simulated time. `running` are the backtests that run, which can be long, and the time since they began. */
  wanted(leftMs: number, running: readonly { period: SweepPeriod; ms: number }[]): number {
    const least = running.map(({ period: { from, to }, ms }) => (ms - startMs) / (to - from))
    const workMs = Math.max(0, this.#rate ?? 0, ...least) * leftMs
    // With n threads, the share is work / (work + (n - 1) × start): the first thread is needed anyway.
    const paid = 1 + Math.floor((workMs * (1 / efficiencyMin - 1)) / startMs)
    return Math.min(this.#most, paid)
  }
}
