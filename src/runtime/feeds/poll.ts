import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { ReadResult } from '#src/venue/port.ts'

/** A source that the bot polls. */
export type PolledSource<Value> = {
  /** For messages, such as "the list of futures". */
  what: string
  /** It is read at each multiple of this interval of the venue's time. */
  everyMs: number
  /** Shortest pause between two polls by local time, which a fast embedded exchange would pass. */
  pauseMs: number
  read: () => Promise<ReadResult<Value>>
  /** Emits what was read, with the multiple of the interval; returns what is wrong with it. */
  take: (value: Value, at: number) => string | undefined
}

/** Reads one source of the venue at each multiple of an interval. */
export class Poll<Value> {
  readonly #source: PolledSource<Value>
  readonly #venueClock: Pick<VenueClock, 'now'>
  /** The number of the interval that was read last, and the pending read. */
  #readOf = -Infinity
  #reading: symbol | undefined
  #notBefore = -Infinity
  /** Error of the last read, to log it once. */
  #failure: string | undefined

  constructor(source: PolledSource<Value>, venueClock: Pick<VenueClock, 'now'>) {
    this.#source = source
    this.#venueClock = venueClock
  }

  /** Reads if that is due. Returns a message to log, unless the last read had the same error. */
  async poll(monotonic: number): Promise<string | undefined> {
    const { what, everyMs, pauseMs, read, take } = this.#source
    const interval = Math.floor(this.#venueClock.now() / everyMs)
    const isDue = interval > this.#readOf && monotonic >= this.#notBefore
    if (this.#reading !== undefined || !isDue) return undefined
    const reading = Symbol('reading')
    this.#reading = reading
    this.#notBefore = monotonic + pauseMs
    const answer = await read()
    // Dropped: the answer may be as old as the pause of the process.
    if (this.#reading !== reading) return undefined
    this.#reading = undefined
    if (answer.kind === 'read') this.#readOf = interval
    const failure = answer.kind === 'read' ? take(answer.value, interval * everyMs) : failureOf(what, answer)
    const isKnown = failure === this.#failure
    this.#failure = failure
    return isKnown ? undefined : failure
  }

  /** Drops a pending read after a pause of the process. */
  forget(): void {
    this.#reading = undefined
    this.#readOf = this.#notBefore = -Infinity
  }
}

function failureOf(what: string, answer: Exclude<ReadResult<unknown>, { kind: 'read' }>): string {
  const reason = 'reason' in answer ? answer.reason : 'it changed while it was read'
  return `${what} was not received: ${reason}`
}
