import type { Clock } from '#src/core/time/clock.ts'
import { ServerUnreachable, type Database } from '#src/fleet/database.ts'

/** After the connection of the channel was lost. */
const againMs = 5000

/** Of new backtests in the queue, and of new results. */
export type QueueChannel = 'rungs_backtests' | 'rungs_results'

/** Waits that end early when the server notifies their channel. If no notification can come, they take their whole time. */
export class NotifiedWait {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #waiting = new Set<AbortController>()
  #count = 0

  /** Listens until the signal. */
  constructor(database: Database, channel: QueueChannel, clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    void this.#listen(database, channel)
  }

  /** The notifications so far. Read it before the query whose empty answer is the reason to wait. */
  get count(): number {
    return this.#count
  }

  /** Ends at once if there was a notification after `count` was read, and with the signal. */
  async wait(ms: number, count: number, signal: AbortSignal): Promise<void> {
    if (count !== this.#count) return
    const waking = new AbortController()
    this.#waiting.add(waking)
    await this.#clock.sleep(ms, AbortSignal.any([signal, waking.signal])).catch(() => {})
    this.#waiting.delete(waking)
  }

  async #listen(database: Database, channel: QueueChannel): Promise<void> {
    const notified = () => {
      this.#count += 1
      for (const waking of this.#waiting) waking.abort()
    }
    while (!this.#signal.aborted) {
      // Queries report that the server is away. Without notifications, the waits take their whole time.
      await database.listen(channel, notified, this.#signal).catch(() => {})
      await this.#clock.sleep(againMs, this.#signal).catch(() => {})
    }
  }
}

export async function notify(database: Database, channel: QueueChannel): Promise<void> {
  await database.query('SELECT pg_notify($1, $2)', [channel, '']).catch((error: unknown) => {
    // What was stored before is stored. Others find it when their waits have taken their whole time.
    if (!(error instanceof ServerUnreachable)) throw error
  })
}
