import { nonceWindowMs } from '#src/contract/envelope.ts'
import { BotError } from '#src/errors/bot-error.ts'
import type { Clock } from '#src/time/clock.ts'

/** `strict`: rising in the order of sending. `window`: unique milliseconds close to now, in any order. */
export type NonceMode = 'strict' | 'window'

/** What a run leaves to the next one. */
export type NonceTrace = {
  /** No nonce above it was ever drawn. */
  ceiling: number
  /** How many calls were made shortly before; null if the run ended without saying so. */
  calls: number | null
  /** When this was written, by a clock that no time server steps; it begins anew when the machine does. */
  monotonicMs?: number | undefined
}

/** Where the trace is kept; `save` returns when it would survive a loss of power. */
export type NonceMemory = { load(): NonceTrace | undefined; save(trace: NonceTrace): void }

/** Nonces are reserved this far ahead, so that the memory is written once per second of use. */
const blockMs = 1000
/** A nonce beyond this would lock the key out for longer than anyone waits. */
const nonceAheadMsMax = 60_000
/** How far a refusal moves us: whoever else uses the key draws its nonces from the same clock. */
const leapMs = 1000
const leapAheadMsMax = 30_000
/** Of the venue's window, what is left after a wrong clock and a slow way took their share. */
const windowAheadMsMax = nonceWindowMs - 1000
/** Calls older than this cannot count in any rate limit of the contract. */
const callsRememberedMs = 10_000

type NonceClock = Pick<Clock, 'now' | 'monotonic'>

/** The nonces of one key: `max(now, last + 1)`, rising across restarts and steps of the clock. */
export class Nonces {
  readonly mode: NonceMode
  /** Calls of an earlier run that may still count at the venue, and how long ago the last of them was. */
  readonly recent: { calls: number; ageMs: number }
  readonly #clock: NonceClock
  readonly #memory: NonceMemory | undefined
  #last = 0
  #ceiling = 0
  #reservedAt = -Infinity
  #drawn = 0
  /** Others drew nonces for this key meanwhile, and nobody knows how many calls they made. */
  #shared = false

  constructor(about: { clock: NonceClock; mode: NonceMode; memory?: NonceMemory }) {
    this.mode = about.mode
    this.#clock = about.clock
    this.#memory = about.memory
    const trace = this.#memory?.load()
    const now = Math.floor(this.#clock.now())
    if (trace === undefined) {
      this.recent = { calls: 0, ageMs: Infinity }
      return
    }
    if (trace.ceiling > now + nonceAheadMsMax) {
      const seconds = Math.round((trace.ceiling - now) / 1000)
      throw new BotError('NONCE_AHEAD', { seen: `${seconds} s ahead of the clock` })
    }
    this.#last = trace.ceiling
    this.#ceiling = trace.ceiling
    const ageMs = this.#ageOf(trace, now)
    this.recent = { calls: ageMs >= callsRememberedMs ? 0 : (trace.calls ?? Infinity), ageMs }
  }

  /** Milliseconds until `next` gives a nonce that the venue takes. */
  wait(): number {
    if (this.mode === 'strict') return 0
    return Math.max(0, this.#last + 1 - windowAheadMsMax - this.#clock.now())
  }

  next(): string {
    let nonce = Math.max(Math.floor(this.#clock.now()), this.#last + 1)
    if (this.#memory && (nonce > this.#ceiling || this.#isOld())) nonce = this.#reserve(this.#memory, nonce)
    this.#last = nonce
    this.#drawn += 1
    return String(nonce)
  }

  /** After a refusal in strict mode: someone else draws nonces for this key, so go above what they can have. */
  leap(): void {
    if (this.mode === 'window') return
    const target = Math.max(this.#last, this.#memory?.load()?.ceiling ?? 0) + leapMs
    if (target <= this.#clock.now() + leapAheadMsMax) this.#last = target
  }

  /** Says how it ended, so that the next run need not assume the worst. */
  close(): void {
    if (this.#drawn === 0) return
    // Another ceiling is the word of another process that still uses the key.
    if (this.#memory?.load()?.ceiling !== this.#ceiling) return
    const known = Number.isFinite(this.recent.calls) && !this.#shared
    this.#save(this.#memory, this.#last, known ? this.recent.calls + this.#drawn : null)
    this.#ceiling = this.#last
  }

  #reserve(memory: NonceMemory, wanted: number): number {
    const elsewhere = memory.load()?.ceiling ?? 0
    if (elsewhere > this.#ceiling) this.#shared = true
    const nonce = elsewhere > this.#ceiling ? Math.max(wanted, elsewhere + 1) : wanted
    this.#ceiling = nonce + blockMs - 1
    this.#save(memory, this.#ceiling, null)
    this.#reservedAt = this.#clock.monotonic()
    return nonce
  }

  /** While the wall clock stands behind, a block lasts longer than it should, and its date would tell nothing. */
  #isOld(): boolean {
    return this.#clock.monotonic() - this.#reservedAt >= blockMs
  }

  #save(memory: NonceMemory, ceiling: number, calls: number | null): void {
    memory.save({ ceiling, calls, monotonicMs: Math.floor(this.#clock.monotonic()) })
  }

  /** How long ago the last call can have been, at least: a step of the wall clock must not make it look older. */
  #ageOf({ monotonicMs, ceiling }: NonceTrace, now: number): number {
    const elapsed = monotonicMs === undefined ? -1 : this.#clock.monotonic() - monotonicMs
    return Math.max(0, elapsed >= 0 ? elapsed - blockMs : now - ceiling)
  }
}
