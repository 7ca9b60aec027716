import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'

type LogEvent = { type: BotEvent['type']; at: number }

/** A warning is shown again after this time. */
const quietMs = 600_000

/**
 * Chooses the events that a run shows to people: no event of the level debug, no routine event, and no warning that repeats
 * a recent one. The log contains all of them. With `isVerbose`, repeated and routine events are shown, too.
 */
export class ShownEvents {
  readonly #isVerbose: boolean
  /** By warning without its numbers: the end of its quiet time, and how often it was repeated since. */
  readonly #warned = new Map<string, { until: number; repeats: number }>()

  constructor(isVerbose = false) {
    this.#isVerbose = isVerbose
  }

  /** Undefined if the event is not shown, else how many repeats were not shown before it. `now` is monotonic. */
  take(event: LogEvent, now: number): number | undefined {
    const row: { level: string; isRoutine?: true } = vocabulary[event.type]
    if (row.level === 'debug') return undefined
    if (this.#isVerbose) return 0
    if (row.isRoutine === true) return undefined
    // An alert and a halt are for the operator, each time.
    if (row.level !== 'warn' || event.type === 'alert') return 0
    const { at: _at, ...about } = event
    const key = JSON.stringify({ ...about, rung: '', order: '', change: '' }).replaceAll(/\d[\d.]*/g, '#')
    const before = this.#warned.get(key)
    if (before !== undefined && before.until > now) {
      before.repeats += 1
      return undefined
    }
    this.#warned.set(key, { until: now + quietMs, repeats: 0 })
    return before?.repeats ?? 0
  }
}
