import type { Clock } from '#src/core/time/clock.ts'
import type { Venue } from '#src/venue/port.ts'

/** All timestamps must be behind the estimate for this time before the estimate is corrected. */
const lateMs = 60_000
/** A timestamp that is further ahead may be a mistake: it counts once the venue has repeated it for this time. */
const leapMs = 10_000
const leapLastsMs = 5000
/** Our estimate may be this far ahead of the last timestamp: timestamps arrive late and may be whole seconds. */
const sureMs = 2000

/**
 * Estimate of the venue's time: its last timestamp plus monotonic time. Timestamps arrive late and never early, so the latest
 * one counts. The estimate never goes back, so a single timestamp must not move it far ahead.
 */
export class VenueClock {
  readonly #clock: Clock
  /** Speed of the venue's time. */
  readonly speed: number
  #at: number
  #since: number
  /** Wall clock at `#since`, less unconfirmed sleep: before the first timestamp any time may have passed. */
  #wall = -Infinity
  #last = 0
  /** Whether the estimate has a timestamp of the venue: then the venue's time is never earlier. */
  #isTold = false
  #lastHeard: number | undefined
  /** The estimate at the last timestamp that agreed with it. */
  #confirmedAt = -Infinity
  /** The first of several timestamps that are far ahead, and its arrival. */
  #leap: { at: number; monotonic: number } | undefined
  /** The smallest lead of the estimate over a timestamp, since `#leadSince`. */
  #lead = Infinity
  #leadSince: number

  constructor(clock: Clock, speed: number, at: number) {
    this.#clock = clock
    this.speed = speed
    this.#at = at
    this.#since = clock.monotonic()
    this.#leadSince = this.#since
  }

  now(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#estimate()))
    return this.#last
  }

  /**
   * Whether the venue itself has confirmed this time, and did so after `since`: then nothing that happens there from `since`
   * on is dated earlier. Without a later word its clock may have stood still since.
   */
  isSure(since = -Infinity): boolean {
    const isTold = this.#isTold && this.#confirmedAt >= since
    return isTold && this.now() - this.#estimate() <= sureMs * this.speed
  }

  /**
   * Uses the clock of this machine for a venue that sends no timestamps. Ignored once the venue has sent one, since a step of
   * the machine's clock would be an error of the estimate.
   */
  guessed(at: number): void {
    if (!this.#isTold) this.#hear(at)
  }

  /**
   * The latest timestamp of the venue, late or not: whatever leaves this machine from now on happens there later. It does not
   * depend on the clock of this machine, as the estimate does.
   */
  get lastHeard(): number | undefined {
    return this.#lastHeard
  }

  /** Takes a timestamp of the venue. */
  heard(at: number): void {
    const lead = this.#hear(at)
    // A venue whose clock went back has the time of the corrected estimate.
    if (lead < Infinity)
      this.#lastHeard = Math.min(Math.max(this.#lastHeard ?? at, at), Math.floor(this.#estimate()))
    if (lead > sureMs * this.speed) return
    this.#isTold = true
    this.#confirmedAt = this.#estimate()
  }

  /** Returns by how much the estimate is ahead of this timestamp. */
  #hear(at: number): number {
    const monotonic = this.#clock.monotonic()
    const lead = this.#estimate() - at
    const isLeap = -lead > (leapMs + this.#sleptMs(monotonic)) * this.speed
    if (this.#wall === -Infinity) this.#wall = this.#clock.now() - (monotonic - this.#since)
    if (isLeap && !this.#isSaidAgain(at, monotonic)) return Infinity
    this.#leap = undefined
    this.#lead = Math.min(this.#lead, lead)
    const isLate = monotonic - this.#leadSince >= lateMs
    if (lead > 0 && !isLate) return lead
    const untoldMs = Math.max(0, this.#sleptMs(monotonic) - Math.max(0, -lead) / this.speed)
    // A timestamp ahead counts at once; if all are behind for a minute, the local clock runs faster than the venue's.
    this.#at = lead > 0 ? this.#estimate() - Math.max(0, this.#lead) : at
    this.#since = monotonic
    this.#wall = this.#clock.now() - untoldMs
    this.#lead = Infinity
    this.#leadSince = monotonic
    return this.#estimate() - at
  }

  /** Sleep of the machine since then: wall clock minus monotonic clock. */
  #sleptMs(monotonic: number): number {
    return Math.max(0, this.#clock.now() - this.#wall - (monotonic - this.#since))
  }

  /** Whether the venue has repeated the jump for long enough. */
  #isSaidAgain(at: number, monotonic: number): boolean {
    const first = this.#leap ?? { at: Infinity, monotonic }
    const lastsMs = monotonic - first.monotonic
    const goesOn = Math.abs(at - first.at - lastsMs * this.speed) <= leapMs * this.speed
    if (!goesOn) this.#leap = { at, monotonic }
    return goesOn && lastsMs >= leapLastsMs
  }

  #estimate(): number {
    return this.#at + (this.#clock.monotonic() - this.#since) * this.speed
  }
}

/**
 * Sets the venue clock to the time of the venue. Without an answer it is set to the time that the venue has told `before`, or
 * to local time if there is none: the date of an order that was sent by a guess proves nothing.
 */
export async function askTime(
  venue: Pick<Venue, 'time'>,
  venueClock: VenueClock,
  clock: Clock,
  before: number | null = null,
): Promise<void> {
  const at = (await venue.time()) ?? before
  if (at === null) venueClock.guessed(clock.now())
  else venueClock.heard(at)
}
