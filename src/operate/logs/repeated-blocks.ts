import type { BotEvent } from '#src/core/log-events/vocabulary.ts'

/** A rung that a limit keeps back is reported once for each reason in this time. */
const quietMs = 600_000

/** Finds reports of a blocked order that repeat a recent one, also when two reasons alternate. */
export class BlockRepeats {
  /** When each report ends to count, by rung and reason. */
  readonly #until = new Map<string, number>()

  /** `now` is monotonic. */
  isRepeat(event: BotEvent, now: number): boolean {
    if (event.type !== 'risk-blocked') return false
    const { strategy, ladder, rung, reason } = event
    // Numbers in a reason move with each price.
    const key = JSON.stringify([strategy, ladder, rung, reason.replaceAll(/\d+(?:\.\d+)?/g, '#')])
    for (const [known, until] of this.#until) if (until <= now) this.#until.delete(known)
    if (this.#until.has(key)) return true
    this.#until.set(key, now + quietMs)
    return false
  }
}
