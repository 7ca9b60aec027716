import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { alertOf, conditionAlert, eventTypes, type Alert, type conditions } from './alert.ts'
import { beat } from './heartbeat.ts'
import { LastingConditions, type SeenEvent } from './lasting-conditions.ts'
import { Repeats } from './repeated-alerts.ts'
import type { AlertSettings, TargetSettings } from './alert-settings.ts'
import { AlertTarget } from './alert-target.ts'

/** What comes of all that at the end of the process may take so long, and no longer. */
const endMsMax = 3000

type Lost = { alerts: number; reason: string }

export type AlertsParts = {
  settings: AlertSettings
  clock: Clock
  random: () => number
  /** The machine, as its people know it. */
  host: string
  count: (target: string, outcome: 'told' | 'failed' | 'dropped') => void
  /** Somebody could not be told of so many alerts. */
  onLost: (target: string, lost: Lost) => void
}

/** Tells people what they should know. It stands outside of the bot: it listens, looks, and is never waited for. */
export class Alerts {
  readonly #parts: AlertsParts
  readonly #targets: { settings: TargetSettings; target: AlertTarget }[]
  readonly #repeats: Repeats
  readonly #lasting: LastingConditions
  /** Most of what happens is nobody's concern: that must cost next to nothing. */
  readonly #wanted: ReadonlySet<string>
  readonly #lost = new Map<string, Lost>()
  readonly #closing = new AbortController()
  #beating: Promise<void> = Promise.resolve()

  constructor(parts: AlertsParts) {
    const { settings, clock, random, host, count } = parts
    this.#parts = parts
    this.#wanted = new Set(
      eventTypes.filter((type) =>
        settings.targets.some(({ takes }) => takes({ type, level: vocabulary[type].level })),
      ),
    )
    this.#repeats = new Repeats(settings.repeatMs)
    this.#lasting = new LastingConditions(settings.after, clock.monotonic())
    this.#targets = settings.targets.map((each) => ({
      settings: each,
      target: new AlertTarget({
        ...each,
        host,
        clock,
        random,
        onOutcome: (outcome, reason) => {
          count(each.name, outcome)
          if (reason !== undefined) this.#lose(each.name, reason)
        },
      }),
    }))
  }

  /** From here on it is alive: whoever fails to begin, again and again, must not be taken for that. */
  begun(): void {
    const { settings, clock, count } = this.#parts
    if (settings.heartbeat === undefined) return
    this.#beating = beat({
      ...settings.heartbeat,
      clock,
      signal: this.#closing.signal,
      onOutcome: (isHeard) => {
        count('heartbeat', isHeard ? 'told' : 'failed')
        if (!isHeard) this.#lose('heartbeat', 'no valid answer')
      },
    })
  }

  /** How many alerts are still to be told, by target. */
  get waiting(): readonly { target: string; count: number }[] {
    return this.#targets.map(({ target }) => ({ target: target.name, count: target.waiting }))
  }

  /** To be told of all that happens; a line is an event as JSON without secrets. */
  take(events: readonly BotEvent[], lines: readonly string[]): void {
    const now = this.#parts.clock.monotonic()
    for (const [index, event] of events.entries()) {
      const line = lines[index] ?? '{}'
      if (event.type === 'stream-connected') this.#lasting.streamConnected()
      // One with a feed is a gap, after which the connection goes on.
      if (event.type === 'stream-lost' && event.feed === undefined)
        this.#lasting.streamLost(String(JSON.parse(line).reason), now)
      if (this.#wanted.has(event.type)) this.#tell(alertOf(event.type, line))
    }
  }

  /** To be called every few seconds; in what is seen stands no secret. */
  look(seen: SeenEvent | undefined): void {
    const now = this.#parts.clock.monotonic()
    if (seen) for (const alert of this.#lasting.look(seen, now)) this.#tell(alert)
    for (const alert of this.#repeats.due(now)) this.#send(alert)
    for (const [target, lost] of this.#lost) this.#parts.onLost(target, lost)
    this.#lost.clear()
  }

  /** What no event tells, such as the end of the process. */
  say(type: keyof typeof conditions, text: string): void {
    this.#tell(conditionAlert(type, '', text))
  }

  /** One last try for all that is left, within some seconds. */
  async end(): Promise<void> {
    this.#closing.abort()
    for (const alert of this.#repeats.rest()) this.#send(alert)
    await Promise.all([this.#beating, ...this.#targets.map(({ target }) => target.end(endMsMax))])
    this.look(undefined)
  }

  #tell(alert: Alert): void {
    for (const fresh of this.#repeats.take(alert, this.#parts.clock.monotonic())) this.#send(fresh)
  }

  #send(alert: Alert): void {
    for (const { settings, target } of this.#targets) if (settings.takes(alert)) target.tell(alert)
  }

  #lose(target: string, reason: string): void {
    const alerts = (this.#lost.get(target)?.alerts ?? 0) + 1
    this.#lost.set(target, { alerts, reason })
  }
}
