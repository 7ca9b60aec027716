import PQueue from 'p-queue'
import type { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { notSent, type NotSent } from '#src/venues/whitebit/client/answers/outcome.ts'
import { throttleMs } from './retry.ts'

/** So many calls may wait for their turn; a caller that outruns the venue is told so at once. */
export const laneCallsMax = 1000

export type QueuedCall<Result> = {
  window: RollingWindow | undefined
  /** What the venue may pause by itself. */
  path?: string
  /** Monotonic time after which it is not worth sending: its answer could not come in time. */
  dueAt: number
  /** The same for a reason of its own; its answer may come later. */
  sendBy?: number
  priority: number
  signal: AbortSignal | undefined
  /** Draws the nonce, signs and sends, without pause in between: order of turns is order of nonces. */
  start: (withinMs: number) => Promise<Result>
}

/** A call before it is sent. `go` sends it; `giveUp` tells its caller that it never will be. */
type Waiting = {
  /** The earlier one of `dueAt` and `sendBy`. */
  lateAt: number
  go(at: number): Promise<void>
  giveUp(outcome: NotSent): void
}

/** Calls of one priority under one limit: the oldest leaves first. */
type Line = {
  window: RollingWindow | undefined
  path: string
  priority: number
  calls: Waiting[]
  /** So many tasks of the queue will look at this line; calls beyond them wait for the alarm. */
  tickets: number
  readyAt: number
}

type CallQueueParts = {
  clock: Clock
  random: () => number
  concurrency: number
  /** Milliseconds until the nonces allow one more call. */
  nonceWait?: () => number
  /** Receives how long each call has waited, when it leaves. */
  onTurn?: ((waitedMs: number) => void) | undefined
}

/** Nothing leaves until then, and how often in a row the venue has said so. */
type Pause = { until: number; strikes: number }
/** The pause of all paths. */
const all = ''

/**
 * The way of one key to the venue: calls leave in order of priority, no more at once than allowed, and none
 * before the rate allows it. The queue holds tickets, not calls: a ticket lets the oldest call of its line leave,
 * so that waiting never changes the order. The rate is kept on the monotonic clock when a call leaves, not by
 * the queue, which reads the wall clock and starts its windows anew.
 */
export class CallQueue {
  readonly #parts: CallQueueParts
  readonly #queue: PQueue
  /** A call that left without a ticket. */
  #ahead: Promise<void> | undefined
  /** The most urgent first. */
  readonly #lines: Line[] = []
  #inside = 0
  #closed = false
  /** By path. */
  readonly #pauses = new Map<string, Pause>()
  #alarmAt = Infinity
  #alarm = new AbortController()

  constructor(parts: CallQueueParts) {
    this.#parts = parts
    this.#queue = new PQueue({ concurrency: parts.concurrency })
  }

  run<Result extends object>(turn: QueuedCall<Result>): Promise<Result | NotSent> {
    if (this.#closed) return Promise.resolve(closed)
    if (turn.signal?.aborted) return Promise.resolve(aborted)
    if (this.#inside >= laneCallsMax) {
      return Promise.resolve(notSent('queue-full', `the queue is full: ${laneCallsMax} calls wait`))
    }
    return new Promise((resolve, reject) => this.#enter(turn, resolve, reject))
  }

  /** Calls that wait for their turn, all of them or those under one limit, and how long nobody may leave. */
  waiting(window?: RollingWindow, path = all): { waiting: number; waitMs: number } {
    const at = this.#parts.clock.monotonic()
    let waiting = 0
    for (const line of this.#lines)
      if (window === undefined || line.window === window) waiting += line.calls.length
    const waitMs = Math.max(this.#pauseMs(path, at), window?.wait(at) ?? 0, this.#parts.nonceWait?.() ?? 0)
    return { waiting, waitMs: Math.ceil(waitMs) }
  }

  /** Pauses a path after a 429, or all paths if the 429 names none. Returns for how long. */
  throttled(retryAfterMs: number | undefined, path = all): number {
    const { until, strikes } = this.#pauses.get(path) ?? { until: -Infinity, strikes: 0 }
    const pauseMs = throttleMs(strikes, retryAfterMs, this.#parts.random)
    const at = this.#parts.clock.monotonic()
    this.#pauses.set(path, { until: Math.max(until, at + pauseMs), strikes: strikes + 1 })
    return Math.ceil(this.#pauseMs(path, at))
  }

  /** The venue let a call of this path through. */
  passed(path = all): void {
    for (const each of [path, all]) {
      const pause = this.#pauses.get(each)
      if (pause) pause.strikes = 0
    }
  }

  /** How long calls of this path may not leave. */
  #pauseMs(path: string, at: number): number {
    if (this.#pauses.size === 0) return 0
    const untilOf = (name: string) => this.#pauses.get(name)?.until ?? -Infinity
    return Math.max(0, untilOf(path) - at, untilOf(all) - at)
  }

  /** Takes back what waits; settles when nothing is in flight. */
  async close(): Promise<void> {
    this.#closed = true
    this.#alarm.abort()
    for (const { calls } of this.#lines) for (const call of calls.splice(0)) call.giveUp(closed)
    await this.#ahead
    await this.#queue.onIdle()
  }

  #enter<Result extends object>(
    { window, path = all, priority, dueAt, sendBy = dueAt, signal, start }: QueuedCall<Result>,
    resolve: (outcome: Result | NotSent) => void,
    reject: (error: unknown) => void,
  ): void {
    const line = this.#lineOf(window, path, priority)
    let waits = true
    let listens = false
    const enteredAt = this.#parts.onTurn === undefined ? 0 : this.#parts.clock.monotonic()
    const abort = () => {
      line.calls.splice(line.calls.indexOf(call), 1)
      call.giveUp(aborted)
    }
    const leave = () => {
      waits = false
      if (listens) signal?.removeEventListener('abort', abort)
    }
    const call: Waiting = {
      lateAt: Math.min(dueAt, sendBy),
      go: async (at) => {
        leave()
        try {
          this.#parts.onTurn?.(this.#parts.clock.monotonic() - enteredAt)
          resolve(await start(dueAt - at))
        } catch (error) {
          reject(error)
        }
        this.#inside -= 1
      },
      giveUp: (outcome) => {
        leave()
        this.#inside -= 1
        resolve(outcome)
      },
    }
    this.#inside += 1
    line.calls.push(call)
    this.#askFor(line)
    // Nearly every call has left by now.
    if (!waits) return
    listens = true
    signal?.addEventListener('abort', abort, { once: true })
    this.#wakeAt(call.lateAt)
  }

  #lineOf(window: RollingWindow | undefined, path: string, priority: number): Line {
    const known = this.#lines.find(
      (line) => line.window === window && line.path === path && line.priority === priority,
    )
    if (known) return known
    const line: Line = { window, path, priority, calls: [], tickets: 0, readyAt: -Infinity }
    this.#lines.push(line)
    this.#lines.sort((a, b) => b.priority - a.priority)
    return line
  }

  /** One more ticket for the line, unless the calls in it have one each: some calls end before their ticket. */
  #askFor(line: Line): void {
    if (line.calls.length <= line.tickets) return
    line.tickets += 1
    // Nobody is before it: it leaves at once, and needs a ticket only when somebody comes while it is in flight.
    if (this.#ahead === undefined && this.#queue.pending + this.#queue.size === 0) {
      let isAsked = false
      const sent = this.#redeem(line, () => (isAsked = true))
      if (sent === nothing) return
      this.#ahead = this.#goesAhead(sent)
      if (isAsked) this.#askFor(line)
      return
    }
    const ahead = this.#ahead
    this.#ahead = undefined
    if (ahead) void this.#queue.add(() => ahead)
    void this.#queue.add(() => this.#redeem(line, () => this.#askFor(line)), { priority: line.priority })
  }

  async #goesAhead(sent: Promise<void>): Promise<void> {
    await sent
    this.#ahead = undefined
  }

  /** Sends the oldest call, or lets the line rest until it may; only the ticket's own time in flight is awaited. */
  #redeem(line: Line, left: () => void): Promise<void> {
    line.tickets -= 1
    const at = this.#parts.clock.monotonic()
    const pause = this.#pauseMs(line.path, at)
    const wait = Math.max(pause, line.window?.wait(at) ?? 0, this.#parts.nonceWait?.() ?? 0)
    endLate(line, at + wait, pause)
    if (wait > 0) {
      // It rests outside of the queue, so that calls under other limits pass by.
      line.readyAt = at + wait
      if (line.calls.length > 0) this.#wakeAt(line.readyAt)
      return nothing
    }
    const call = line.calls.shift()
    if (!call) return nothing
    line.window?.count(at)
    const sent = call.go(at)
    left()
    return sent
  }

  /** Rings at the earliest of all times asked for. */
  #wakeAt(at: number): void {
    if (this.#closed || !(at < this.#alarmAt)) return
    this.#alarm.abort(earlier)
    this.#alarm = new AbortController()
    this.#alarmAt = at
    void this.#ring(at, this.#alarm.signal)
  }

  async #ring(at: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#parts.clock.sleep(Math.max(0, Math.ceil(at - this.#parts.clock.monotonic())), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    if (signal.aborted) return
    this.#alarmAt = Infinity
    const now = this.#parts.clock.monotonic()
    let next = Infinity
    for (const line of this.#lines) {
      endLate(line, now, this.#pauseMs(line.path, now))
      // One call of each line; if it leaves, it asks for the one behind it.
      if (line.readyAt <= now) this.#askFor(line)
      else if (line.calls.length > 0) next = Math.min(next, line.readyAt)
      for (const { lateAt } of line.calls) if (lateAt < next) next = lateAt
    }
    this.#wakeAt(next)
  }
}

/** Made once, since an exception with a trace for each earlier alarm is slow. */
const earlier = new Error('An earlier alarm replaces this one')

/** Ends the calls that are late at `at` with the time for which their path is paused. */
function endLate(line: Line, at: number, pauseMs: number): void {
  if (!line.calls.some(({ lateAt }) => lateAt <= at)) return
  const ended = line.calls.filter(({ lateAt }) => lateAt <= at)
  line.calls = line.calls.filter(({ lateAt }) => !(lateAt <= at))
  const outcome = pauseMs > 0 ? { ...late, waitMs: Math.ceil(pauseMs) } : late
  for (const call of ended) call.giveUp(outcome)
}

const nothing = Promise.resolve()
const aborted = notSent('aborted', 'Cancelled in the queue, before it was sent')
const closed = notSent('aborted', 'The client was closed before the call was sent')
const late = notSent('late', 'Rate limit or slow venue: the call could not be sent in time')
