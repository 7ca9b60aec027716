import type { Clock } from '#src/time/clock.ts'

/** For so long a venue must seem late, by all that it says, before we hold our own estimate to be early. */
const lateMs = 60_000

/**
 * The time of the venue, by which strategies live: what it said of it last, carried on by a clock that nobody steps.
 * What it says reaches us late and never early, so the furthest word counts. It never goes back.
 */
export class VenueClock {
  readonly #clock: Clock
  /** How many times as fast as ours the venue's time runs. */
  readonly speed: number
  #at: number
  #since: number
  #last = 0
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
    this.#lead = Math.min(this.#lead, lead)
    const isLate = monotonic - this.#leadSince >= lateMs
    if (lead > 0 && !isLate) return
    // Ahead of us it is right at once; behind us for a whole minute, our clock runs faster than the venue's.
    this.#at = lead > 0 ? this.#estimate() - Math.max(0, this.#lead) : at
    this.#since = monotonic
    this.#lead = Infinity
    this.#leadSince = monotonic
  }

  #estimate(): number {
    return this.#at + (this.#clock.monotonic() - this.#since) * this.speed
  }
}
