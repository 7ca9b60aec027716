import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { alertOf, conditionAlert, eventTypes, type Alert, type conditions } from './alert.ts'
import { attemptMsMax, isSuccess, ping } from './http-post.ts'
import { LastingConditions, type BotView } from './lasting-conditions.ts'
import { RepeatedAlerts } from './repeated-alerts.ts'
import type { AlertSettings, TargetSettings } from './alert-settings.ts'
import { AlertTarget } from './alert-target.ts'

/** Time for last attempts when the process ends. */
const endMsMax = 3000

type Lost = { alerts: number; reason: string }

export type AlertsParts = {
  settings: AlertSettings
  clock: Clock
  random: () => number
  /** Name of the machine, for the messages. */
  host: string
  count: (target: string, outcome: 'told' | 'failed' | 'dropped') => void
  /** This many alerts to the target were lost. */
  onLost: (target: string, lost: Lost) => void
}

/** Turns log events and lasting conditions into alerts, and sends them. The bot never waits for it. */
export class Alerts {
  readonly #parts: AlertsParts
  readonly #targets: { settings: TargetSettings; target: AlertTarget }[]
  readonly #repeats: RepeatedAlerts
  readonly #lasting: LastingConditions
  /** Event types that some target accepts: all others must cost next to nothing. */
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
    this.#repeats = new RepeatedAlerts(settings.repeatMs)
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

  /** Called after startup: a process that fails to start again and again must not count as alive. */
  startHeartbeat(): void {
    const { heartbeat } = this.#parts.settings
    if (heartbeat !== undefined) this.#beating = this.#sendHeartbeats(heartbeat)
  }

  /** Pings an external watchdog, which raises the alarm when pings stop: a dead process cannot send alerts. */
  async #sendHeartbeats({ url, everyMs }: NonNullable<AlertSettings['heartbeat']>): Promise<void> {
    const { clock, count } = this.#parts
    const { signal } = this.#closing
    while (!signal.aborted) {
      const answer = await ping(url, AbortSignal.any([signal, AbortSignal.timeout(attemptMsMax)]))
      if (signal.aborted) return
      const isHeard = isSuccess(answer)
      count('heartbeat', isHeard ? 'told' : 'failed')
      if (!isHeard) this.#lose('heartbeat', 'no valid answer')
      await clock.sleep(everyMs, signal).catch(() => {})
    }
  }

  /** Number of queued alerts by target. */
  get waiting(): readonly { target: string; count: number }[] {
    return this.#targets.map(({ target }) => ({ target: target.name, count: target.waiting }))
  }

  /** Each line is the event as JSON without secrets. */
  take(events: readonly BotEvent[], lines: readonly string[]): void {
    const now = this.#parts.clock.monotonic()
    for (const [index, event] of events.entries()) {
      const line = lines[index] ?? '{}'
      if (event.type === 'stream-connected') this.#lasting.streamConnected()
      // With a feed, the event reports a gap; the connection continues.
      if (event.type === 'stream-lost' && event.feed === undefined)
        this.#lasting.streamLost(String(JSON.parse(line).reason), now)
      if (this.#wanted.has(event.type)) this.#tell(alertOf(event.type, line))
    }
  }

  /** Called every few seconds. The view contains no secrets. */
  check(seen: BotView | undefined): void {
    const now = this.#parts.clock.monotonic()
    if (seen) for (const alert of this.#lasting.check(seen, now)) this.#tell(alert)
    for (const alert of this.#repeats.due(now)) this.#send(alert)
    for (const [target, lost] of this.#lost) this.#parts.onLost(target, lost)
    this.#lost.clear()
  }

  /** Reports a condition that no event reports, such as the end of the process. */
  report(type: keyof typeof conditions, text: string): void {
    this.#tell(conditionAlert(type, '', text))
  }

  /** Makes one last attempt for each waiting alert, within some seconds. */
  async end(): Promise<void> {
    this.#closing.abort()
    for (const alert of this.#repeats.rest()) this.#send(alert)
    await Promise.all([this.#beating, ...this.#targets.map(({ target }) => target.end(endMsMax))])
    this.check(undefined)
  }

  #tell(alert: Alert): void {
    for (const fresh of this.#repeats.take(alert, this.#parts.clock.monotonic())) this.#send(fresh)
  }

  #send(alert: Alert): void {
    for (const { settings, target } of this.#targets) if (settings.takes(alert)) target.enqueue(alert)
  }

  #lose(target: string, reason: string): void {
    const alerts = (this.#lost.get(target)?.alerts ?? 0) + 1
    this.#lost.set(target, { alerts, reason })
  }
}
