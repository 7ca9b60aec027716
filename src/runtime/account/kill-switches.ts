import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { Venue } from '#src/venue/port.ts'

/** A market whose orders the venue shall take back when we fall silent, and how often we give a sign (venue's time). */
export type KillSwitchMarket = { market: string; heartbeatMs: number }

/** What venues take, in seconds. */
const [timeoutLeast, timeoutMost] = [5, 600]
/** So many signs may be lost on their way before the venue acts. */
const signsLost = 3
/** By our own clock: we do not speak more often, and are not taken for dead any sooner, however fast the venue's time runs. */
const everyMsLeast = 1000
const silenceMsLeast = 10_000

/** How often a sign is given, and after how much silence the venue takes all back, in its own time. */
export function pulseOf(heartbeatMs: number, speed: number): { everyMs: number; silenceMs: number } {
  const often = Math.max(heartbeatMs, everyMsLeast * speed)
  // What the venue takes at most must outlast the signs that may be lost, however seldom we were to give one.
  const everyMs = Math.min(often, (timeoutMost * 1000) / (signsLost + 1))
  const seconds = Math.ceil(Math.max(everyMs * (signsLost + 1), silenceMsLeast * speed) / 1000)
  return { everyMs, silenceMs: Math.min(timeoutMost, Math.max(timeoutLeast, seconds)) * 1000 }
}

/** Keeps the venue's kill switches from falling, as long as this process lives and is well. */
export class KillSwitches {
  readonly #venue: Pick<Venue, 'deadman'>
  readonly #venueClock: VenueClock
  readonly #say: LogEvent
  readonly #onBroken: (error: unknown) => void
  #isClosed = false
  readonly #setAt = new Map<string, number>()
  readonly #busy = new Set<string>()
  /** Why a switch could not be set, as it was told last: a venue that is down would fill the log. */
  readonly #told = new Map<string, string>()

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

  /** To be called often, with all that is to be watched. */
  look(watched: readonly KillSwitchMarket[]): void {
    for (const { market, heartbeatMs } of watched) {
      const { everyMs, silenceMs } = pulseOf(heartbeatMs, this.#venueClock.speed)
      const due = (this.#setAt.get(market) ?? -Infinity) + everyMs
      if (this.#venueClock.now() >= due && !this.#busy.has(market))
        this.#set(market, silenceMs).catch(this.#onBroken)
    }
  }

  /** Nothing is said from now on: a sign that the end cuts off is no news. */
  close(): void {
    this.#isClosed = true
  }

  async #set(market: string, silenceMs: number): Promise<void> {
    this.#busy.add(market)
    const outcome = await this.#venue.deadman(market, silenceMs)
    this.#busy.delete(market)
    if (this.#isClosed) return
    // Counted from its end: one that took long must not be followed at once by the next.
    this.#setAt.set(market, this.#venueClock.now())
    if (outcome.kind === 'done') {
      this.#told.delete(market)
      this.#say({ type: 'kill-switch-refreshed', market })
      return
    }
    const { reason } = outcome
    if (this.#told.get(market) === reason) return
    this.#told.set(market, reason)
    this.#say({ type: 'alert', market, message: `the kill switch was not set: ${reason}` })
  }
}
