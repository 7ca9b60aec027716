import type { Alert } from './alert.ts'

type Cause = { until: number; more: number; latest: Alert }

/** So many causes are told apart; those beyond count as one, so that no crowd of names takes all memory. */
export const causesMost = 500
const rest = 'of all other alerts'

/** Tells an alert at once, and what comes after it of the same cause later, together. */
export class Repeats {
  readonly #everyMs: number
  readonly #causes = new Map<string, Cause>()

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** The alert if it is the first of its cause for some time; `now` is monotonic. */
  take(alert: Alert, now: number): Alert[] {
    const own = this.#causes.has(alert.cause) || this.#causes.size < causesMost ? alert.cause : rest
    const known = this.#causes.get(own)
    if (known === undefined) {
      this.#causes.set(own, { until: now + this.#everyMs, more: 0, latest: alert })
      return [alert]
    }
    known.more += 1
    known.latest = alert
    return []
  }

  /** What came again meanwhile: the latest, with how many more there were. To be asked often. */
  due(now: number): Alert[] {
    const alerts: Alert[] = []
    for (const [cause, known] of this.#causes) {
      if (known.until > now) continue
      if (known.more === 0) this.#causes.delete(cause)
      else {
        alerts.push(together(known))
        this.#causes.set(cause, { ...known, until: now + this.#everyMs, more: 0 })
      }
    }
    return alerts
  }

  /** All of it, whether its time has come or not. */
  rest(): Alert[] {
    const alerts = [...this.#causes.values()].filter(({ more }) => more > 0).map(together)
    this.#causes.clear()
    return alerts
  }
}

function together({ latest, more }: Cause): Alert {
  if (more === 1) return latest
  return { ...latest, text: `${latest.text}\nand ${more - 1} similar alerts` }
}
