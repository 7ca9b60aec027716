import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { Venue } from '#src/venue/port.ts'

/** A market whose orders the venue must cancel when the bot is silent, and the interval of heartbeats in venue time. */
export type KillSwitchMarket = { market: string; heartbeatMs: number }

/** Limits of venues, in seconds. */
const [timeoutLeast, timeoutMost] = [5, 600]
/** Lost heartbeats before the venue acts. */
const signsLost = 3
/** In local time, independent of the speed of the venue. */
const everyMsLeast = 1000
const silenceMsLeast = 10_000

/** Interval of heartbeats, and silence after which the venue cancels, in venue time. */
export function pulseOf(heartbeatMs: number, speed: number): { everyMs: number; silenceMs: number } {
  const often = Math.max(heartbeatMs, everyMsLeast * speed)
  // The maximum timeout of the venue must exceed the lost heartbeats.
  const everyMs = Math.min(often, (timeoutMost * 1000) / (signsLost + 1))
  const seconds = Math.ceil(Math.max(everyMs * (signsLost + 1), silenceMsLeast * speed) / 1000)
  return { everyMs, silenceMs: Math.min(timeoutMost, Math.max(timeoutLeast, seconds)) * 1000 }
}

/** Refreshes the venue's kill switches while this process works. */
export class KillSwitches {
  readonly #venue: Pick<Venue, 'deadman'>
  readonly #venueClock: VenueClock
  readonly #say: LogEvent
  readonly #onBroken: (error: unknown) => void
  #isClosed = false
  readonly #setAt = new Map<string, number>()
  readonly #busy = new Set<string>()
  /** The last logged error of each market, to log it once. */
  readonly #logged = new Map<string, string>()

  constructor(about: {
    venue: Pick<Venue, 'deadman'>
    venueClock: VenueClock
    say: LogEvent
    onBroken: (error: unknown) => void
  }) {
    this.#venue = about.venue
    this.#venueClock = about.venueClock
    this.#say = about.say
    this.#onBroken = about.onBroken
  }

  /** Called with each tick. */
  refresh(watched: readonly KillSwitchMarket[]): void {
    for (const { market, heartbeatMs } of watched) {
      const { everyMs, silenceMs } = pulseOf(heartbeatMs, this.#venueClock.speed)
      const due = (this.#setAt.get(market) ?? -Infinity) + everyMs
      if (this.#venueClock.now() >= due && !this.#busy.has(market))
        this.#set(market, silenceMs).catch(this.#onBroken)
    }
  }

  /** Stops logging: an aborted heartbeat at shutdown is no error. */
  close(): void {
    this.#isClosed = true
  }

  async #set(market: string, silenceMs: number): Promise<void> {
    this.#busy.add(market)
    const outcome = await this.#venue.deadman(market, silenceMs)
    this.#busy.delete(market)
    if (this.#isClosed) return
    // Counted from the answer: the next heartbeat must not follow a slow one at once.
    this.#setAt.set(market, this.#venueClock.now())
    if (outcome.kind === 'done') {
      this.#logged.delete(market)
      this.#say({ type: 'kill-switch-refreshed', market })
      return
    }
    const { reason } = outcome
    if (this.#logged.get(market) === reason) return
    this.#logged.set(market, reason)
    this.#say({ type: 'alert', market, message: `the kill switch was not set: ${reason}` })
  }
}
