import type { BotEvent } from '#src/core/log-events/vocabulary.ts'

/** A rung that a limit blocks is reported once for each kind of limit in this time. */
const quietMs = 600_000

/** Finds reports of a blocked order that repeat a recent one, also when two limits alternate. */
export class RepeatedBlocks {
  /** End of the quiet time, by rung and kind. */
  readonly #until = new Map<string, number>()

  /** `now` is monotonic. */
  isRepeat(event: BotEvent, now: number): boolean {
    if (event.type !== 'risk-blocked') return false
    const { strategy, ladder, rung, kind } = event
    const key = JSON.stringify([strategy, ladder, rung, kind])
    for (const [known, until] of this.#until) if (until <= now) this.#until.delete(known)
    if (this.#until.has(key)) return true
    this.#until.set(key, now + quietMs)
    return false
  }
}
