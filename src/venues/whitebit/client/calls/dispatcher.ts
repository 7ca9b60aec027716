import { methodOf, type Endpoint, type ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import type { Signer } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { DirectAnswer } from '#src/venues/whitebit/contract/wire/wire.ts'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import { readAnswer, type Unclear, type AnswerVerdict } from '#src/venues/whitebit/client/answers/answer.ts'
import type { StopOnFailAnswer } from '#src/venues/whitebit/client/answers/bulk-answer.ts'
import { CallQueue } from './call-queue.ts'
import type { Nonces } from './nonces.ts'
import { notSent, type NotSent, type RefusedOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { windowAfter } from './recent-calls.ts'
import { readAttemptMsMax, readAttemptsMax, readPauseMs, retryAfterMsOf } from './retry.ts'
import { directCall, publicRequest, signedRequest } from './signed-request.ts'
import type { Delivery, Transport } from '#src/venues/whitebit/client/transport/transport.ts'

/** Who goes first when several calls wait for their turn. */
type Priority = 'exits' | 'entries' | 'reconciliation' | 'account'
const ranks: Record<Priority, number> = { exits: 3, entries: 2, reconciliation: 1, account: 0 }

/** Options of one call. */
export type CallOptions = {
  /** Cancels the call while it waits for its turn; a call that was sent runs to its end. */
  signal?: AbortSignal
  /** Which calls leave first when several wait: `exits`, then `entries`, `reconciliation` and `account`. */
  priority?: Priority
  /** Milliseconds until the whole answer must have arrived, including the wait for the rate limit and repeated reads. */
  deadlineMs?: number
  /** Milliseconds until the call must have left, if that is sooner. */
  sendWithinMs?: number
  /** Sends a read to the first address only. */
  homeOnly?: boolean
}

/** Options of a client. */
export type ClientOptions = {
  /** The first address. Writes go to this address only. */
  transport: Transport
  /** The second address, for reads that the first address did not answer. */
  secondTransport?: Transport
  /**
   * API key, secret and nonces; `concurrency` is the number of calls in flight (default 1; more need nonces of mode `window`).
   * Without a key the client makes public calls only.
   */
  key?: {
    credentials: Signer
    nonces: Nonces
    concurrency?: number
  }
  /** The clock of this machine by default; tests use a clock that they turn. */
  clock?: Clock
  /** Random numbers from 0 to 1 for the length of pauses; `Math.random` by default. */
  random?: () => number
  /** Names of fields that the client sends: `client_order_id` (`spec`, default) or `clientOrderId` (`camel`). It reads both. */
  spelling?: Spelling
  /** How the venue answers a bulk that `stopOnFail` has ended, if this is known. */
  stopOnFailAnswer?: StopOnFailAnswer | undefined
  /** For how long calls with the key may still be made; 0 once they may not. Without a limit by default. */
  mayCallMs?: () => number
  /** False for venues without rate limits, such as in benchmarks. */
  keepRates?: boolean
  /** Called when a call leaves, with the time that it has waited. */
  onTurn?: (lane: Way, waitedMs: number) => void
}

type Way = 'key' | 'public'

/** One queue of calls, or one rate limit, at this moment. */
export type QueueView = {
  /** `key` or `public`; or the path of the rate limit. */
  lane: string
  /** Calls that wait for their turn. */
  waiting: number
  /** Of a rate limit: calls that count now; `most` calls are allowed within `perMs` milliseconds. */
  used: number | null
  most: number | null
  perMs: number | null
  /** Milliseconds until one more call may leave. */
  waitMs: number
}

const writeDeadlineMs = 10_000
const readDeadlineMs = 15_000
const publicConcurrency = 4

type Attempt<Row extends Endpoint> = NotSent | AnswerVerdict<ReadOf<Row>>

/** Carries calls to the venue: once if they write, until answered if they read. */
export class Dispatcher {
  readonly #options: ClientOptions
  readonly #clock: Clock
  readonly #random: () => number
  readonly #spelling: Spelling
  readonly #keyLane: CallQueue
  readonly #publicLane: CallQueue
  readonly #windows = new Map<string, { window: RollingWindow; lane: CallQueue }>()
  readonly #startedAt: number
  readonly #closing = new AbortController()
  /** Whether the nonce was raised after its last refusal. */
  #isNonceRaised = false

  constructor(options: ClientOptions) {
    const concurrency = options.key?.concurrency ?? 1
    if (concurrency > 1 && options.key?.nonces.mode === 'strict') {
      throw new Error('Strict nonces must arrive in order, so their calls cannot overlap')
    }
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? Math.random
    this.#spelling = options.spelling ?? 'spec'
    const { onTurn } = options
    const shared = (lane: Way) => ({
      clock: this.#clock,
      random: this.#random,
      onTurn: onTurn && ((waitedMs: number) => onTurn(lane, waitedMs)),
    })
    this.#keyLane = new CallQueue({
      ...shared('key'),
      concurrency,
      nonceWait: () => options.key?.nonces.wait() ?? 0,
    })
    this.#publicLane = new CallQueue({ ...shared('public'), concurrency: publicConcurrency })
    this.#startedAt = this.#clock.monotonic()
  }

  /** Sends a call that acts: at most once, to the home address alone. */
  write<Row extends Endpoint>(
    row: Row,
    wire: Record<string, unknown>,
    options: CallOptions,
  ): Promise<Attempt<Row>> {
    const dueAt = this.#clock.monotonic() + (options.deadlineMs ?? writeDeadlineMs)
    return this.#attempt(row, wire, this.#options.transport, dueAt, options)
  }

  /** Asks until there is an answer or a refusal, or nothing is left of the budget; then the last word counts. */
  async read<Row extends Endpoint>(
    row: Row,
    wire: Record<string, unknown>,
    options: CallOptions,
  ): Promise<Attempt<Row>> {
    const { transport, secondTransport = transport } = this.#options
    const budgetEnd = this.#clock.monotonic() + (options.deadlineMs ?? readDeadlineMs)
    let failures = 0
    let last: Attempt<Row> | undefined
    for (let attempts = 1; ; attempts++) {
      const address = failures % 2 === 0 || options.homeOnly ? transport : secondTransport
      const attempt = await this.#attempt(row, wire, address, budgetEnd, options, readAttemptMsMax)
      if (attempt.kind === 'answer') return attempt
      if (isFinal(attempt)) return attempt.kind === 'not-sent' ? (last ?? attempt) : attempt
      last = attempt
      if (attempts === readAttemptsMax || options.signal?.aborted) return last
      // The queue waits for a rate limit, and a higher nonce need not wait; any other failure is the address's own.
      const throttle = attempt.kind === 'not-sent' ? undefined : attempt.throttle
      if (throttle === 'rate' || (throttle === 'nonce' && this.#isNonceRaised)) continue
      const pauseMs = readPauseMs(failures, this.#random)
      failures += 1
      if (this.#clock.monotonic() + pauseMs >= budgetEnd) return last
      // Once it is closed, nothing is asked again.
      await this.#clock.sleep(pauseMs, this.#closing.signal).catch(() => {})
    }
  }

  lanes(): QueueView[] {
    const at = this.#clock.monotonic()
    const ways = [['key', this.#keyLane] as const, ['public', this.#publicLane] as const]
    const rates = [...this.#windows].map(([lane, { window, lane: way }]) =>
      Object.assign({ lane }, way.waiting(window, lane), window.used(at)),
    )
    return [
      ...ways.map(([lane, way]) =>
        Object.assign({ lane, used: null, most: null, perMs: null }, way.waiting()),
      ),
      ...rates,
    ]
  }

  /** The venue has said, since that monotonic time, that it is this late there: nonces are held to it. */
  heardTime(at: number, askedAt: number): void {
    this.#options.key?.nonces.setVenueTime(at, this.monotonic() - askedAt)
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  /** From here on nothing leaves: what waits comes back, what is in flight runs to its end. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([this.#keyLane.close(), this.#publicLane.close()])
    await Promise.all([this.#options.transport.close(), this.#options.secondTransport?.close()])
    this.#options.key?.nonces.close()
  }

  #attempt<Row extends Endpoint>(
    row: Row,
    wire: Record<string, unknown>,
    transport: Transport,
    dueAt: number,
    options: CallOptions,
    attemptMsMax = Infinity,
  ): Promise<Attempt<Row>> {
    const lane = this.#laneOf(row)
    const key = methodOf(row) === 'GET' ? undefined : this.#options.key
    if (methodOf(row) === 'POST' && !key) {
      return Promise.resolve(notSent('no-key', 'This call needs an API key'))
    }
    return lane.run<Attempt<Row>>({
      window: this.#windowOf(row),
      path: row.path,
      dueAt,
      sendBy: this.#clock.monotonic() + (options.sendWithinMs ?? Infinity),
      priority: ranks[options.priority ?? usualPriority(row)],
      signal: options.signal,
      start: async (withinMs) => {
        // Last, beside the nonce: the call may have waited until another process got the right to call.
        const rightMs = (key && this.#options.mayCallMs?.()) ?? Infinity
        if (rightMs <= 0) return notSent('aborted', 'This process may no longer trade for its account')
        const delivery = await this.#send(row, wire, transport, Math.min(withinMs, attemptMsMax, rightMs))
        const verdict = this.#judge(row, wire, delivery)
        key?.credentials.secret.prepare?.()
        return verdict
      },
    })
  }

  /** Draws the nonce of a private call. */
  #send(
    row: Endpoint,
    wire: Record<string, unknown>,
    transport: Transport,
    withinMs: number,
  ): Promise<Delivery | DirectAnswer> {
    const { key } = this.#options
    if (!key || methodOf(row) === 'GET') return transport.send(publicRequest(row, wire), withinMs)
    const { credentials, nonces } = key
    const drawn = { nonce: nonces.next(row.path), nonceWindow: nonces.mode === 'window' }
    if (transport.call) return transport.call(directCall(row, wire, { key: credentials.key, ...drawn }))
    return transport.send(
      signedRequest(row, wire, { credentials, ...drawn, spelling: this.#spelling }),
      withinMs,
    )
  }

  /** Runs before the lane lets the next call go: it must already know of a pause or a leap. */
  #judge<Row extends Endpoint>(
    row: Row,
    wire: Record<string, unknown>,
    delivery: Delivery | DirectAnswer,
  ): Attempt<Row> {
    if ('value' in delivery) {
      this.#laneOf(row).passed(row.path)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the venue makes it by the schema of the row
      return { kind: 'answer', value: delivery.value as ReadOf<Row> }
    }
    if (delivery.kind === 'not-sent') return notSent('unreachable', delivery.reason)
    if (delivery.kind === 'unanswered') return { kind: 'unclear', reason: delivery.reason }
    const verdict = readAnswer(row, delivery.response, wire)
    const lane = this.#laneOf(row)
    if (verdict.kind === 'answer') lane.passed(row.path)
    else if (verdict.throttle === 'nonce') this.#isNonceRaised = this.#options.key?.nonces.leap() ?? false
    else if (verdict.throttle === 'rate') {
      const retryAfter = delivery.response.headers['retry-after']
      // The venue refuses a path. A gateway before it does not say what there is too much of.
      const path = verdict.kind === 'refused' ? row.path : undefined
      const waitMs = lane.throttled(retryAfterMsOf(retryAfter, this.#clock.now()), path)
      return { ...verdict, waitMs }
    } else lane.passed(row.path)
    return verdict
  }

  #laneOf(row: Endpoint): CallQueue {
    return methodOf(row) === 'GET' ? this.#publicLane : this.#keyLane
  }

  /** What an earlier run may have sent with this key counts under the limit of its path. */
  #windowOf(row: Endpoint): RollingWindow | undefined {
    if (this.#options.keepRates === false) return undefined
    const known = this.#windows.get(row.path)
    if (known) return known.window
    const window = windowAfter(this.#options.key?.nonces.recent ?? [], row, this.#startedAt)
    this.#windows.set(row.path, { window, lane: this.#laneOf(row) })
    return window
  }
}

/** Whether asking again could not tell more. */
function isFinal(attempt: NotSent | RefusedOutcome | Unclear): boolean {
  if (attempt.kind === 'refused') return attempt.throttle === undefined
  return attempt.kind === 'not-sent' && attempt.cause !== 'unreachable'
}

function usualPriority(row: Endpoint): Priority {
  if (row.effect === 'read') return 'reconciliation'
  return row.permission === 'trade' ? 'entries' : 'account'
}
