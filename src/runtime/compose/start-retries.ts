import type { Clock } from '#src/core/time/clock.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'

type PersistenceParts = {
  clock: Clock
  signal?: AbortSignal | undefined
  /** What is waited for, such as `the start`. */
  what: string
  alert: (message: string) => void
  /** Since when the venue does not answer, and why; null once it does. */
  onLost: (lost: Connectivity['lost']) => void
}

const pauseMs = { first: 1000, most: 15_000 }
/** The interval of alerts after the first one. */
const againMs = 600_000

/** Retries until the venue answers: after 1 s at first, and later every 15 s. */
export class StartRetries {
  readonly #parts: PersistenceParts
  #failures = 0
  #since = 0
  #toldAt = -Infinity

  constructor(parts: PersistenceParts) {
    this.#parts = parts
  }

  /** Waits after a failed try until the next one is due; throws when the process ends. */
  async failed(reason: string): Promise<void> {
    const { clock, signal, what, alert, onLost } = this.#parts
    signal?.throwIfAborted()
    if (this.#failures === 0) this.#since = clock.now()
    onLost({ since: this.#since, reason })
    const now = clock.monotonic()
    if (now - this.#toldAt >= againMs) {
      this.#toldAt = now
      alert(`${what} waits for the venue, and no request is sent meanwhile: ${reason}`)
    }
    const waitMs = Math.min(pauseMs.most, pauseMs.first * 2 ** this.#failures)
    this.#failures += 1
    await clock.sleep(waitMs, signal)
  }

  succeeded(): void {
    const { clock, what, alert, onLost } = this.#parts
    if (this.#failures === 0) return
    this.#failures = 0
    this.#toldAt = -Infinity
    onLost(null)
    alert(
      `the venue answers again after ${Math.round((clock.now() - this.#since) / 1000)} s: ${what} continues`,
    )
  }
}
