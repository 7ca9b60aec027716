import PQueue from 'p-queue'
import type { RollingWindow } from '#src/contract/rolling-window.ts'
import type { Clock } from '#src/time/clock.ts'
import { notSent, type NotSent } from './outcome.ts'
import { throttleMs } from './retry.ts'

/** So many calls may wait for their turn; a caller that outruns the venue is told so at once. */
export const laneCallsMax = 1000

export type Turn<Result> = {
  window: RollingWindow | undefined
  /** Monotonic time after which it is not worth sending. */
  dueAt: number
  priority: number
  signal: AbortSignal | undefined
  /** Milliseconds until the nonces allow one more call. */
  nonceWait(): number
  /** Draws the nonce, signs and sends, without pause in between: order of turns is order of nonces. */
  start(withinMs: number): Promise<Result>
}

/**
 * The way of one key to the venue: calls leave in order of priority, no more at once than allowed, and none
 * before the rate allows it. The rate is kept on the monotonic clock when a call leaves, not by the queue, which
 * reads the wall clock and starts its windows anew.
 */
export class Lane {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #queue: PQueue
  #inside = 0
  #pausedUntil = -Infinity
  #strikes = 0

  constructor(about: { clock: Clock; random: () => number; concurrency: number }) {
    this.#clock = about.clock
    this.#random = about.random
    this.#queue = new PQueue({ concurrency: about.concurrency })
  }

  run<Result extends object>(turn: Turn<Result>): Promise<Result | NotSent> {
    if (this.#inside >= laneCallsMax) {
      return Promise.resolve(notSent('queue-full', `${laneCallsMax} calls wait already`))
    }
    return turn.signal ? this.#abortable(turn, turn.signal) : this.#take(turn)
  }

  /** The venue said "too many": nobody leaves for a while. */
  throttled(retryAfterMs: number | undefined): void {
    const pauseMs = throttleMs(this.#strikes, retryAfterMs, this.#random)
    this.#strikes += 1
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + pauseMs)
  }

  /** The venue let a call through. */
  passed(): void {
    this.#strikes = 0
  }

  /** Settles when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    await this.#queue.onIdle()
  }

  async #take<Result extends object>(turn: Turn<Result>): Promise<Result | NotSent> {
    this.#inside += 1
    try {
      for (;;) {
        const taken = await this.#queue.add<Result | NotSent | number>(async () => this.#attempt(turn), {
          priority: turn.priority,
        })
        if (typeof taken !== 'number') return taken
        // It waits outside of the queue, so that calls under other limits pass by.
        await this.#sleep(Math.ceil(taken), turn.signal)
      }
    } finally {
      this.#inside -= 1
    }
  }

  /** Sends, or says why not, or how many milliseconds to wait before asking again. */
  #attempt<Result>(turn: Turn<Result>): Promise<Result> | NotSent | number {
    if (turn.signal?.aborted) return aborted
    const at = this.#clock.monotonic()
    const wait = Math.max(this.#pausedUntil - at, turn.window?.wait(at) ?? 0, turn.nonceWait(), 0)
    if (at + wait >= turn.dueAt) return late
    if (wait > 0) return wait
    turn.window?.count(at)
    return turn.start(turn.dueAt - at)
  }

  /** Answers an abort at once, also behind a call that takes its time; what is sent already runs to its end. */
  #abortable<Result extends object>(turn: Turn<Result>, signal: AbortSignal): Promise<Result | NotSent> {
    return new Promise((resolve, reject) => {
      let started = false
      const abort = () => {
        if (!started) resolve(aborted)
      }
      const start = (withinMs: number) => {
        started = true
        return turn.start(withinMs)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#take({ ...turn, start })
        .finally(() => signal.removeEventListener('abort', abort))
        .then(resolve, reject)
    })
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#clock.sleep(ms, signal)
    } catch (error) {
      // The next attempt sees the abort and says so.
      if (!signal?.aborted) throw error
    }
  }
}

const aborted = notSent('aborted', 'Taken back before its turn')
const late = notSent('late', 'Its deadline passes before its turn comes')
