/** Wall time in Unix milliseconds for what the venue sees, monotonic milliseconds for every span and deadline. */
export type Clock = {
  now(): number
  monotonic(): number
  /** Never shorter than this, by `monotonic`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A timer that is set for longer rings at once. */
const timerMsMax = 2 ** 31 - 1

// Since the machine started, so that one run can say to the next when it was.
const monotonic = () => Number(process.hrtime.bigint()) / 1e6

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const dueAt = monotonic() + ms
      let timer: NodeJS.Timeout
      wait(ms)
      function wait(left: number) {
        timer = setTimeout(look, Math.min(Math.ceil(left), timerMsMax))
      }
      /** Timers count in milliseconds of their own, and ring up to one of ours too soon. */
      function look() {
        const left = dueAt - monotonic()
        if (left > 0) return wait(left)
        signal?.removeEventListener('abort', aborted)
        resolve()
      }
      function aborted() {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      if (signal?.aborted) aborted()
      else signal?.addEventListener('abort', aborted, { once: true })
    }),
}

type Sleeper = { due: number; wake: () => void }

/** A clock that stands still until it is turned by hand: sleepers wake in the order of their times. */
export class ManualClock implements Clock {
  #now: number
  #monotonic: number
  /** The next one first; of equal ones the one that fell asleep first. */
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

  /** The monotonic time at which the next sleeper wants to wake; Infinity where nobody sleeps. */
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

  /** Lets time pass: both clocks move, and whoever slept long enough wakes. */
  turn(ms: number): void {
    this.turnTo({ now: this.#now + ms, monotonic: this.#monotonic + ms })
  }

  /** The same, to what another clock shows. */
  turnTo({ now, monotonic }: { now: number; monotonic: number }): void {
    this.#now = now
    this.#monotonic = monotonic
    while (this.nextDue <= monotonic) this.#sleepers.shift()?.wake()
  }

  /** Steps the wall clock alone, as a time server or an operator would. */
  step(ms: number): void {
    this.#now += ms
  }
}
