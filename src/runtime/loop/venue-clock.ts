import type { Clock } from '#src/core/time/clock.ts'

/** For so long a venue must seem late, by all that it says, before we hold our own estimate to be early. */
const lateMs = 60_000
/** A word from further ahead than this may be a mistake: it counts once the venue has said the same for so long. */
const leapMs = 10_000
const leapLastsMs = 5000
/** Our estimate may be this far ahead of the last timestamp: timestamps arrive late and may be whole seconds. */
const sureMs = 2000

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
  /**
   * The time of this machine then, less what it has slept before that and no word has told of: before the first word of the
   * venue any span may have passed.
   */
  #wall = -Infinity
  #last = 0
  /** Whether the estimate rests on words of the venue: then the venue is never earlier than that. */
  #isTold = false
  /** Our estimate when a word of the venue last agreed with it. */
  #confirmedAt = -Infinity
  /** The first of the words that are far ahead, and when it was heard. */
  #leap: { at: number; monotonic: number } | undefined
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

  /** The venue says that it is this late there. */
  heard(at: number): void {
    if (this.#hear(at) > sureMs * this.speed) return
    this.#isTold = true
    this.#confirmedAt = this.#estimate()
  }

  /** Returns by how much the estimate is ahead of this word. */
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
    // Ahead of us it is right at once; behind us for a whole minute, our clock runs faster than the venue's.
    this.#at = lead > 0 ? this.#estimate() - Math.max(0, this.#lead) : at
    this.#since = monotonic
    this.#wall = this.#clock.now() - untoldMs
    this.#lead = Infinity
    this.#leadSince = monotonic
    return this.#estimate() - at
  }

  /** For how long this machine has slept since then, which its spans do not count while its time does. */
  #sleptMs(monotonic: number): number {
    return Math.max(0, this.#clock.now() - this.#wall - (monotonic - this.#since))
  }

  /** Whether what is far ahead goes on from the first word that was. */
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
