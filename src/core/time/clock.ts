import { setTimeout } from 'node:timers/promises'

/** A clock: `now` in Unix milliseconds, `monotonic` in milliseconds that no change of the time affects, and `sleep`. */
export type Clock = {
  now(): number
  monotonic(): number
  /** Never shorter than `ms`, by `monotonic`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A timer with a longer span fires at once. */
const timerMsMax = 2 ** 31 - 1

// Counted from the start of the machine, so that a run can tell the next one when an event was.
const monotonic = () => Number(process.hrtime.bigint()) / 1e6

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic,
  async sleep(ms, signal) {
    const dueAt = monotonic() + ms
    let left = ms
    // Node's timers have their own milliseconds, and can fire up to one of ours too early.
    do {
      await setTimeout(Math.min(Math.ceil(left), timerMsMax), undefined, { signal }).catch(() => {})
      signal?.throwIfAborted()
      left = dueAt - monotonic()
    } while (left > 0)
  },
}

type Sleeper = { due: number; wake: () => void }

/** A clock that a test moves by hand: sleepers wake in the order of their times. */
export class ManualClock implements Clock {
  #now: number
  #monotonic: number
  /** The next one first; among equal times the earlier call first. */
  readonly #sleepers: Sleeper[] = []

  constructor(startMs: number, monotonicMs = 0) {
    this.#now = startMs
    this.#monotonic = monotonicMs
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#monotonic
  }

  /** The monotonic time at which the next sleeper wakes; Infinity without sleepers. */
  get nextDue(): number {
    return this.#sleepers[0]?.due ?? Infinity
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { due: this.#monotonic + ms, wake }
      const aborted = () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1)
        reject(signal?.reason)
      }
      function wake() {
        signal?.removeEventListener('abort', aborted)
        resolve()
      }
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const later = this.#sleepers.findIndex(({ due }) => due > sleeper.due)
      this.#sleepers.splice(later === -1 ? this.#sleepers.length : later, 0, sleeper)
      signal?.addEventListener('abort', aborted)
    })
  }

  /** Moves both clocks, and wakes the sleepers whose time has come. */
  advance(ms: number): void {
    this.turnTo({ now: this.#now + ms, monotonic: this.#monotonic + ms })
  }

  /** Moves both clocks to the times of another clock. */
  turnTo({ now, monotonic }: { now: number; monotonic: number }): void {
    this.#now = now
    this.#monotonic = monotonic
    while (this.nextDue <= monotonic) this.#sleepers.shift()?.wake()
  }

  /** Steps the wall clock alone, like a time server or an operator. */
  step(ms: number): void {
    this.#now += ms
  }
}
