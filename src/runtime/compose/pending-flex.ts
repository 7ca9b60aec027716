import type { Clock } from '#src/core/time/clock.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'

type PendingFlexParts = {
  /** Whether the venue has flexible plans; null while that is unknown. */
  ask: () => Promise<boolean | null>
  clock: Pick<Clock, 'monotonic'>
  tell: (event: NewEvent) => void
  onBroken: (error: unknown) => void
}

/** Interval of attempts. */
const everyMs = 60_000

/** Asks the venue for its flexible plans until the answer is clear. */
export class PendingFlex {
  readonly #parts: PendingFlexParts
  #dueAt: number
  #isOver = false

  constructor(parts: PendingFlexParts) {
    this.#parts = parts
    this.#dueAt = parts.clock.monotonic() + everyMs
  }

  /** Called with each tick. */
  tick(): void {
    const { clock, onBroken } = this.#parts
    if (this.#isOver || clock.monotonic() < this.#dueAt) return
    this.#dueAt = Infinity
    this.#ask().catch(onBroken)
  }

  async #ask(): Promise<void> {
    const { ask, clock, tell } = this.#parts
    const has = await ask()
    this.#dueAt = clock.monotonic() + everyMs
    if (has === null) return
    this.#isOver = true
    tell({ kind: 'capability', capability: 'flex', has })
  }
}
