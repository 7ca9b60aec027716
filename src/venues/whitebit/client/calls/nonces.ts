import { nonceWindowMs } from '#src/venues/whitebit/contract/wire/envelope.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { lookBackMs, RecentCalls, type CallsAgo } from './recent-calls.ts'

/** What the venue demands of nonces: that they rise (`strict`), or that each is new and near the current time (`window`). */
export type NonceMode = 'strict' | 'window'

/** What a run leaves to the next one. */
export type NonceTrace = {
  /** No nonce above it was ever drawn. */
  ceiling: number
  /** The calls that may have been made shortly before, at most; null if nobody can know. */
  recent: CallsAgo[] | null
  /** When this was written, by a clock that no time server steps; it begins anew when the machine does. */
  monotonicMs?: number | undefined
}

/** There is a trace, and it cannot be read: why. */
export type UnreadTrace = { unread: string }

/** Where nonces are stored between two runs; `save` returns when the value would survive a loss of power. */
export type NonceMemory = { load(): NonceTrace | UnreadTrace | undefined; save(trace: NonceTrace): void }

/** Nonces are reserved this far ahead, so that the memory is written once per second of use. */
const blockMs = 1000
/** So many calls are made between two writes at most: of a run that crashed, no more of them are unknown. */
const callsPerBlock = 250
/** A clock that differs by more than this from the venue's is wrong, and so is a nonce that is further ahead than this. */
const wrongMs = 60_000
/** In a window, a clock that differs by more than this would use up the window; the venue tells its time in whole seconds. */
const wrongInWindowMs = 1000
/** How far a refusal moves us: whoever else uses the key draws its nonces from the same clock. */
const leapMs = 1000
const leapAheadMsMax = 30_000
/** Of the venue's window, what is left after a wrong clock and a slow way took their share. */
const windowAheadMsMax = nonceWindowMs - 1000
/** A limit is raised several times within a lease. */
const limitedMs = 20
/** The lead over the clock if the last nonces are unknown: no run jumps or reserves further than this. */
export const unknownAheadMs = leapAheadMsMax + 2 * blockMs
type NonceClock = Pick<Clock, 'now' | 'monotonic'>

/**
 * The nonces of one key: `max(now, last + 1)`. They rise across restarts and changes of the clock. In mode `strict` a venue
 * accepts any nonce above the last one, so a start continues after the last stored one. In mode `window` it refuses nonces
 * that are far from its time, so a start continues near this time. A clock that is more than a minute ahead of the venue's
 * time is ignored, in mode `window` one that differs by a second.
 */
export class Nonces {
  readonly mode: NonceMode
  /** Calls of an earlier run that may still count at the venue. */
  readonly recent: CallsAgo[]
  /** For the operator, if the nonces do not begin at the clock. */
  readonly notice: string | undefined
  readonly #clock: NonceClock
  readonly #memory: NonceMemory | undefined
  #last = 0
  /** The highest nonce that a clock gave, and when: once that clock was ahead, it lies far above the time. */
  #byClock = { nonce: 0, monotonic: 0 }
  #ceiling = 0
  #limit = Infinity
  #reservedAt = -Infinity
  /** Since the memory was written last, by path. */
  readonly #drawn = new Map<string, number>()
  #drawnCalls = 0
  /** Those before. */
  readonly #calls: RecentCalls
  /** Another process drew nonces for this key: its number of calls is unknown. */
  #shared = false
  /** The time of the venue, and the monotonic time at which that was. */
  #venueTime: { at: number; monotonic: number } | undefined

  constructor(about: { clock: NonceClock; mode: NonceMode; memory?: NonceMemory }) {
    this.mode = about.mode
    this.#clock = about.clock
    this.#memory = about.memory
    const found = this.#memory?.load()
    const now = Math.floor(this.#clock.now())
    const isUnread = found !== undefined && 'unread' in found
    const trace = isUnread ? { ceiling: now + unknownAheadMs, recent: null } : found
    this.recent = trace ? this.#recentOf(trace, now) : []
    this.#calls = new RecentCalls(this.recent, this.#clock.monotonic())
    if (trace === undefined) return
    this.#last = trace.ceiling
    this.#ceiling = trace.ceiling
    if (isUnread) this.notice = `${found.unread}: nonces start ${unknownAheadMs / 1000} s ahead of the clock`
    else if (this.#isFarAhead(trace.ceiling)) {
      const seconds = Math.round((trace.ceiling - now) / 1000)
      const goOn = this.mode === 'strict' ? 'nonces continue from there' : 'nonces start near the clock again'
      this.#byClock = { nonce: trace.ceiling, monotonic: this.#clock.monotonic() }
      this.notice = `the last nonce is ${seconds} s ahead of the clock, which was wrong then or is wrong now: ${goOn}`
    }
  }

  /**
   * Takes a timestamp of the venue that has just come, and was under way for so long at most. A slow one, such as the answer to
   * a process that was frozen meanwhile, only bounds the time of the venue: what is known stays if it lies within.
   */
  setVenueTime(at: number, underwayMs = 0): void {
    const now = this.#now()
    const isSlow = underwayMs > wrongInWindowMs
    const isWithin = now >= at - wrongInWindowMs && now <= at + underwayMs + wrongInWindowMs
    this.#venueTime = { at: isSlow && isWithin ? now : at, monotonic: this.#clock.monotonic() }
  }

  /** From here on, another machine may continue above this nonce, and no nonce is above it. */
  limitTo(ceiling: number): void {
    this.#limit = ceiling
  }

  /** Milliseconds until `next` gives a nonce that the venue takes; until a higher limit is set, some milliseconds each time. */
  wait(): number {
    if (this.#limit < Math.max(Math.floor(this.#now()), this.#lastUsed() + 1)) return limitedMs
    if (this.mode === 'strict') return 0
    return Math.max(0, this.#lastUsed() + 1 - windowAheadMsMax - this.#now())
  }

  /** The nonce of a call of that path, which leaves now. */
  next(path: string): string {
    const now = Math.floor(this.#now())
    let nonce = Math.max(now, this.#lastUsed() + 1)
    if (this.#memory && (nonce > this.#ceiling || this.#isUsedUp()))
      nonce = this.#reserve(this.#memory, nonce)
    this.#last = nonce
    if (nonce === now) this.#byClock = { nonce, monotonic: this.#clock.monotonic() }
    this.#drawn.set(path, (this.#drawn.get(path) ?? 0) + 1)
    this.#drawnCalls += 1
    return String(nonce)
  }

  /**
   * After a refusal in strict mode: someone else draws nonces for this key, so go above what they can have. True if the next
   * nonce is higher by this: then the venue may accept it.
   */
  leap(): boolean {
    if (this.mode === 'window') return false
    const before = this.#last
    const elsewhere = this.#elsewhere()
    if (elsewhere > this.#ceiling) {
      this.#last = Math.max(before, elsewhere)
      return this.#last > before
    }
    // A clock that is behind, or was set back, would allow no leap: nonces of before its step are far above it.
    const now = Math.floor(Math.max(this.#clock.now(), this.#venueNow() ?? -Infinity))
    const target = Math.max(this.#last + leapMs, now)
    // That clock would show a later time now, so a later refusal has as much room as the first one.
    const ahead = this.#byClock.nonce + this.#clock.monotonic() - this.#byClock.monotonic
    if (target <= Math.max(now, ahead) + leapAheadMsMax) this.#last = target
    if (this.#last === now) this.#byClock = { nonce: now, monotonic: this.#clock.monotonic() }
    return this.#last > before
  }

  /**
   * For another machine that continues with this key, if this process calls for at most `ms` milliseconds more: no nonce is above
   * the ceiling. Of calls to come, as many count as this process has made in the time before: with those that an earlier process
   * foresaw, the number would double from take-over to take-over.
   */
  foresee(ms: number): Pick<NonceTrace, 'ceiling' | 'recent'> {
    const now = this.#clock.monotonic()
    const recent = this.#recentCalls(now)
    if (ms === 0) return { ceiling: this.#last, recent }
    // Room for two refusals. After more of them, a call waits until a higher ceiling is stored.
    const leadMs = this.mode === 'strict' ? 2 * leapMs : 0
    const ceiling = Math.max(
      Math.max(this.#last, this.#ceiling) + blockMs,
      Math.floor(this.#now()) + ms + blockMs + leadMs,
    )
    const toCome = this.#calls.own(now - ms).map(({ calls, path }) => ({ agoMs: -ms, calls, path }))
    return { ceiling, recent: recent && [...recent, ...toCome] }
  }

  /** Says how it ended, so that the next run need not assume the worst. */
  close(): void {
    if (this.#reservedAt === -Infinity) return
    // Another ceiling is the word of another process that still uses the key.
    if (this.#memory === undefined || this.#elsewhere() !== this.#ceiling) return
    this.#save(this.#memory, this.#last, 0)
    this.#ceiling = this.#last
  }

  #reserve(memory: NonceMemory, wanted: number): number {
    const elsewhere = this.#elsewhere()
    const isNews = elsewhere > this.#ceiling
    if (isNews) this.#shared = true
    const isUsable = isNews && (this.mode === 'strict' || !this.#isFarAhead(elsewhere))
    const nonce = isUsable ? Math.max(wanted, elsewhere + 1) : wanted
    this.#ceiling = nonce + blockMs - 1
    this.#save(memory, this.#ceiling, callsPerBlock)
    this.#reservedAt = this.#clock.monotonic()
    return nonce
  }

  /** The ceiling that is in the memory now: ours, or that of another process with the same key. */
  #elsewhere(): number {
    const found = this.#memory?.load()
    return found === undefined || 'unread' in found ? 0 : found.ceiling
  }

  /** The time of this machine, or of the venue where the machine is far from it in a way that matters. */
  #now(): number {
    const now = this.#clock.now()
    const there = this.#venueNow()
    if (there === undefined) return now
    const isWindow = this.mode === 'window'
    const most = isWindow ? wrongInWindowMs : wrongMs
    const isWrong = now > there + most || (isWindow && now < there - most)
    return isWrong ? there : now
  }

  /** Estimate of the venue's time; undefined before its first timestamp. */
  #venueNow(): number | undefined {
    if (this.#venueTime === undefined) return undefined
    return this.#venueTime.at + this.#clock.monotonic() - this.#venueTime.monotonic
  }

  #isFarAhead(nonce: number): boolean {
    return nonce > this.#now() + wrongMs
  }

  /**
   * The last nonce that the venue can have taken, or one above it. A nonce far from the venue's time was refused there; from
   * its discovery on, nonces count from the highest that the window then allowed.
   */
  #lastUsed(): number {
    if (this.mode === 'window' && this.#isFarAhead(this.#last))
      this.#last = Math.floor(this.#now()) + windowAheadMsMax
    return this.#last
  }

  /** While the wall clock stands behind, a block lasts longer than it should, and its date would tell nothing. */
  #isUsedUp(): boolean {
    return this.#drawnCalls >= callsPerBlock || this.#clock.monotonic() - this.#reservedAt >= blockMs
  }

  #save(memory: NonceMemory, ceiling: number, callsToCome: number): void {
    const now = this.#clock.monotonic()
    const recent = this.#recentCalls(now)
    this.#drawnCalls = 0
    // Made within the time of the block: as late as its end, and of any path.
    if (callsToCome > 0) recent?.push({ agoMs: -blockMs, calls: callsToCome })
    memory.save({ ceiling, recent, monotonicMs: Math.ceil(now) })
  }

  #recentCalls(now: number): CallsAgo[] | null {
    for (const [path, calls] of this.#drawn) this.#calls.add(now, calls, path)
    this.#drawn.clear()
    const recent = this.#calls.list(now)
    return !this.#shared && recent.every(({ calls }) => Number.isFinite(calls)) ? recent : null
  }

  /** Dated by how long ago that was at least: a step of the wall clock must not make a call look older than it is. */
  #recentOf({ monotonicMs, ceiling, recent }: NonceTrace, now: number): CallsAgo[] {
    const elapsed = monotonicMs === undefined ? -1 : this.#clock.monotonic() - monotonicMs
    const isDated = elapsed > -1
    const sinceMs = isDated ? elapsed : now - ceiling
    // A ceiling lies as far ahead as the calls to come.
    const calls: CallsAgo[] = recent ?? [{ agoMs: isDated ? -blockMs : 0, calls: Infinity }]
    return calls
      .map(({ agoMs, calls, path }) => ({ agoMs: Math.max(0, agoMs + sinceMs), calls, path }))
      .filter(({ agoMs }) => agoMs < lookBackMs)
  }
}
