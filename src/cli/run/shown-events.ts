import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'

/** The last of these events shows whether the bot trades, so none of them is a repeat. */
const alwaysShown = new Set<BotEvent['type']>(['alert', 'paused', 'stopped', 'flattened'])
const causesMost = 500
/** The fields that name the subject of a warning. Its sentences can differ in numbers and ids only. */
const subjects = ['type', 'strategy', 'ladder', 'market', 'feed', 'kind', 'code', 'target'] as const
const sentences = ['reason', 'message'] as const

function keyOf(event: object): string {
  const of = (name: string): unknown => Reflect.get(event, name)
  const words = sentences.map((name) =>
    JSON.stringify(of(name))
      ?.split(' ')
      .map((word) => (/\d/.test(word) ? '#' : word)),
  )
  return JSON.stringify([...subjects.map(of), ...words])
}

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
    if (row.level !== 'warn' || alwaysShown.has(event.type)) return 0
    const key = keyOf(event)
    const before = this.#warned.get(key)
    if (before !== undefined && before.until > now) {
      before.repeats += 1
      return undefined
    }
    this.#warned.delete(key)
    this.#warned.set(key, { until: now + quietMs, repeats: 0 })
    const [oldest] = this.#warned.keys()
    if (this.#warned.size > causesMost && oldest !== undefined) this.#warned.delete(oldest)
    return before?.repeats ?? 0
  }
}
