import type { Clock } from '#src/time/clock.ts'

/** For so long a venue must seem late, by all that it says, before we hold our own estimate to be early. */
const lateMs = 60_000
/** A word from further ahead than this may be a mistake: it counts once the venue has said nothing else for so long. */
const leapMs = 10_000
const leapLastsMs = 5000

/**
 * The time of the venue, by which strategies live: what it said of it last, carried on by a clock that nobody steps.
 * What it says reaches us late and never early, so the furthest word counts. It never goes back, and so no single word
 * may send it far ahead.
 */
export class VenueClock {
  readonly #clock: Clock
  /** How many times as fast as ours the venue's time runs. */
  readonly speed: number
  #at: number
  #since: number
  /** The time of this machine then: before the first word of the venue any span may have passed. */
  #wall = -Infinity
  #last = 0
  /** Since when all that it says is far ahead. */
  #leapSince: number | undefined
  /** The smallest lead of our estimate over a word of the venue, since some moment. */
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

  /** The venue says that it is this late there. */
  heard(at: number): void {
    const monotonic = this.#clock.monotonic()
    const lead = this.#estimate() - at
    if (this.#isLeap(-lead, monotonic)) {
      this.#leapSince ??= monotonic
      if (monotonic - this.#leapSince < leapLastsMs) return
    }
    this.#leapSince = undefined
    this.#lead = Math.min(this.#lead, lead)
    const isLate = monotonic - this.#leadSince >= lateMs
    if (lead > 0 && !isLate) return
    // Ahead of us it is right at once; behind us for a whole minute, our clock runs faster than the venue's.
    this.#at = lead > 0 ? this.#estimate() - Math.max(0, this.#lead) : at
    this.#since = monotonic
    this.#wall = this.#clock.now()
    this.#lead = Infinity
    this.#leadSince = monotonic
  }

  /** Further ahead than a machine can have slept, whose spans do not count its sleep while its time does. */
  #isLeap(ahead: number, monotonic: number): boolean {
    if (ahead <= leapMs * this.speed) return false
    const sleptMs = this.#clock.now() - this.#wall - (monotonic - this.#since)
    return ahead > (leapMs + Math.max(0, sleptMs)) * this.speed
  }

  #estimate(): number {
    return this.#at + (this.#clock.monotonic() - this.#since) * this.speed
  }
}
