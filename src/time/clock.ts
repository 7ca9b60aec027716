/** Wall time in Unix milliseconds for what the venue sees, monotonic milliseconds for every span and deadline. */
export type Clock = {
  now(): number
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Since the machine started, so that one run can say to the next when it was.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(done, ms)
      function done() {
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

/** A clock that stands still until it is turned by hand: sleepers wake in the order of their times. */
export class ManualClock implements Clock {
  #now: number
  #elapsed = 0
  #sleepers: { due: number; wake: () => void }[] = []

  constructor(startMs: number) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#elapsed
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake, reject) => {
      const sleeper = { due: this.#elapsed + ms, wake }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        reject(signal.reason)
      })
    })
  }

  /** Lets time pass: both clocks move, and whoever slept long enough wakes. */
  turn(ms: number): void {
    this.#now += ms
    this.#elapsed += ms
    const due = this.#sleepers.filter((sleeper) => sleeper.due <= this.#elapsed)
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.due > this.#elapsed)
    for (const sleeper of due.sort((a, b) => a.due - b.due)) sleeper.wake()
  }

  /** Steps the wall clock alone, as a time server or an operator would. */
  step(ms: number): void {
    this.#now += ms
  }
}
