import { ManualClock } from '#src/core/time/clock.ts'

/** Time that stops while a bot processes an input: the run depends only on the inputs and their order. */
export class VirtualTime {
  readonly clock: ManualClock
  readonly #follow: () => Promise<void>
  #deferred: (() => void)[] = []

  /** `follow` waits until all promises have settled that wait only for each other. */
  constructor({ now, monotonic }: { now: number; monotonic: number }, follow = eventLoopTurn) {
    this.clock = new ManualClock(now, monotonic)
    this.#follow = follow
  }

  /** Defers an act within the same moment, in place of a turn of the event loop. */
  readonly defer = (act: () => void): void => {
    this.#deferred.push(act)
  }

  /** Settles when the bot waits for the next input. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#follow()
      if (this.#deferred.length === 0) return
      this.act()
    }
  }

  /** Runs the deferred acts: enough if no promise is pending. */
  act(): void {
    const acts = this.#deferred
    if (acts.length === 0) return
    this.#deferred = []
    for (const act of acts) act()
  }
}

/** Promises of a bot wait only for each other, so all of them have settled after a turn of the event loop. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
