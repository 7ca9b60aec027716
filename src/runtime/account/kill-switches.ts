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

type KillSwitchParts = {
  venue: Pick<Venue, 'deadman'>
  venueClock: VenueClock
  say: LogEvent
  onBroken: (error: unknown) => void
}

/** Refreshes the venue's kill switches while this process works. */
export class KillSwitches {
  readonly #parts: KillSwitchParts
  #isClosed = false
  readonly #setAt = new Map<string, number>()
  readonly #busy = new Set<string>()
  /** The last logged error of each market, to log it once. */
  readonly #logged = new Map<string, string>()

  constructor(parts: KillSwitchParts) {
    this.#parts = parts
  }

  /** Called with each tick. */
  refresh(watched: readonly KillSwitchMarket[]): void {
    const { venueClock, onBroken } = this.#parts
    for (const { market, heartbeatMs } of watched) {
      const { everyMs, silenceMs } = pulseOf(heartbeatMs, venueClock.speed)
      const due = (this.#setAt.get(market) ?? -Infinity) + everyMs
      if (venueClock.now() >= due && !this.#busy.has(market)) this.#set(market, silenceMs).catch(onBroken)
    }
  }

  /** Stops logging: an aborted heartbeat at shutdown is no error. */
  close(): void {
    this.#isClosed = true
  }

  async #set(market: string, silenceMs: number): Promise<void> {
    const { venue, venueClock, say } = this.#parts
    this.#busy.add(market)
    const outcome = await venue.deadman(market, silenceMs)
    this.#busy.delete(market)
    if (this.#isClosed) return
    // Counted from the answer: the next heartbeat must not follow a slow one at once.
    this.#setAt.set(market, venueClock.now())
    if (outcome.kind === 'done') {
      this.#logged.delete(market)
      say({ type: 'kill-switch-refreshed', market })
      return
    }
    const { reason } = outcome
    if (this.#logged.get(market) === reason) return
    this.#logged.set(market, reason)
    say({ type: 'alert', market, message: `the kill switch was not set: ${reason}` })
  }
}
