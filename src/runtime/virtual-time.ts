import { ManualClock } from '#src/core/time/clock.ts'

/**
 * Time that stands still while a bot does what follows from the last news, and goes on when it has nothing left to do:
 * all that the bot sees is then a matter of what comes in, and in which order.
 */
export class VirtualTime {
  readonly clock: ManualClock
  readonly #follow: () => Promise<void>
  #deferred: (() => void)[] = []

  /** With the way in which all promises are followed that wait for nothing but each other. */
  constructor({ now, monotonic }: { now: number; monotonic: number }, follow = eventLoopTurn) {
    this.clock = new ManualClock(now, monotonic)
    this.#follow = follow
  }

  /** For the parts of a bot: they do later, within the same moment, what other bots do a turn of the event loop later. */
  readonly defer = (act: () => void): void => {
    this.#deferred.push(act)
  }

  /** Until nothing more follows without news from outside. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#follow()
      if (this.#deferred.length === 0) return
      this.act()
    }
  }

  /** What was put off happens now: enough where no promise has to be followed. */
  act(): void {
    const acts = this.#deferred
    this.#deferred = []
    for (const act of acts) act()
  }
}

/** Promises of a bot wait for nothing but each other: with a turn of the event loop all of them have been followed. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
