type Timer = { at: number; tie: number; act: (() => void) | undefined }

/**
 * Time of a simulation. It jumps from timer to timer; timers of the same moment run in an order that depends on the seed.
 * Between two timers all resolved promises run.
 */
export class SimulatedTime {
  /** Milliseconds since the start. */
  elapsed = 0
  /** How often all resolved promises have run; after each time the deferred functions run. */
  turns = 0
  readonly #heap: Timer[] = []
  readonly #tie: (count: number) => number
  #count = 0
  #deferred: (() => void)[] = []

  constructor(tie: (count: number) => number) {
    this.#tie = tie
  }

  /** Returns a function that cancels the timer. */
  after(ms: number, act: () => void): () => void {
    this.#count += 1
    const timer: Timer = { at: this.elapsed + Math.max(0, ms), tie: this.#tie(this.#count), act }
    this.#push(timer)
    return () => {
      timer.act = undefined
    }
  }

  /** Runs the function at the current time, after all resolved promises. */
  defer(act: () => void): void {
    this.#deferred.push(act)
  }

  async runUntil(end: number): Promise<void> {
    await this.#settle()
    for (let timer = this.#heap[0]; timer !== undefined && timer.at <= end; timer = this.#heap[0]) {
      this.#pop()
      if (timer.act === undefined) continue
      this.elapsed = timer.at
      timer.act()
      await this.#settle()
    }
    this.elapsed = Math.max(this.elapsed, end)
  }

  async #settle(): Promise<void> {
    for (;;) {
      // The next tick comes after all resolved promises.
      await new Promise<void>((resolve) => {
        process.nextTick(resolve)
      })
      this.turns += 1
      if (this.#deferred.length === 0) return
      const acts = this.#deferred
      this.#deferred = []
      for (const act of acts) act()
    }
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let at = heap.push(timer) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(timer, heap[above])) break
      heap[at] = heap[above] ?? timer
      at = above
    }
    heap[at] = timer
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const below = isBefore(heap[left + 1], heap[left]) ? left + 1 : left
      const lower = heap[below]
      if (lower === undefined || !isBefore(lower, last)) break
      heap[at] = lower
      at = below
    }
    heap[at] = last
  }
}

function isBefore(one: Timer | undefined, other: Timer | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined
  return one.at < other.at || (one.at === other.at && one.tie < other.tie)
}
