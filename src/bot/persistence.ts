import type { Clock } from '#src/time/clock.ts'
import type { Contact } from './contact.ts'

type PersistenceParts = {
  clock: Clock
  signal?: AbortSignal | undefined
  /** What is waited for, such as `the start`. */
  what: string
  alert: (message: string) => void
  /** Since when the venue does not answer, and why; null once it does. */
  onLost: (lost: Contact['lost']) => void
}

const pauseMs = { first: 1000, most: 15_000 }
/** A person is told at once, and then so often. */
const againMs = 600_000

/** Tries again what a venue does not answer, for as long as it takes: soon at first, and then every quarter of a minute. */
export class Persistence {
  readonly #parts: PersistenceParts
  #failures = 0
  #since = 0
  #toldAt = -Infinity

  constructor(parts: PersistenceParts) {
    this.#parts = parts
  }

  /** A try has failed: returns when the next one is due, and throws where nobody waits for it any more. */
  async failed(reason: string): Promise<void> {
    const { clock, signal, what, alert, onLost } = this.#parts
    signal?.throwIfAborted()
    if (this.#failures === 0) this.#since = clock.now()
    onLost({ since: this.#since, reason })
    const now = clock.monotonic()
    if (now - this.#toldAt >= againMs) {
      this.#toldAt = now
      alert(`${what} waits for the venue, and nothing is sent meanwhile: ${reason}`)
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
      `the venue answers again after ${Math.round((clock.now() - this.#since) / 1000)} s: ${what} goes on`,
    )
  }
}
