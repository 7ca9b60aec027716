import type { Alert } from './alert.ts'

type Cause = { until: number; more: number; latest: Alert }

/** Further causes count as one, to bound the memory. */
export const causesMost = 500
const otherAlerts = 'of all other alerts'

/** Passes the first alert of a cause at once, and groups its repetitions. */
export class RepeatedAlerts {
  readonly #everyMs: number
  readonly #causes = new Map<string, Cause>()

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** Returns the alert if it is the first of its cause for some time; `now` is monotonic. */
  take(alert: Alert, now: number): Alert[] {
    const own = this.#causes.has(alert.cause) || this.#causes.size < causesMost ? alert.cause : otherAlerts
    const known = this.#causes.get(own)
    if (known === undefined) {
      this.#causes.set(own, { until: now + this.#everyMs, more: 0, latest: alert })
      return [alert]
    }
    known.more += 1
    known.latest = alert
    return []
  }

  /** Returns repetitions whose time has come: the latest alert of each cause, with the number of others. */
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

  /** Returns all repetitions, for the end of the process. */
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
