import type { Delivery } from '#src/venues/whitebit/client/transport/transport.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import { deliveryOf } from '#src/research/recording/calls.ts'
import {
  changesBetween,
  isSame,
  isSameJson,
  mostSimilar,
  type Divergence,
  type Request,
} from './divergence.ts'
import { applyInput, textOf, type BotInputs, type EventOf, Playback } from './playback.ts'
import type { RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeEvent, TapeRun } from '#src/research/recording/tape.ts'

type RecordedRequest = EventOf<'call'> | EventOf<'unfinished'>
type Found = Pick<Divergence, 'kind'> & Partial<Omit<Divergence, 'at'>>
/** Number of differences until the replay ends, and their receiver. */
export type DifferenceReport = { most: number; onDifference: (found: Divergence) => void }

/**
 * Replays a recorded run: the bot receives the recorded inputs at the same times in the same order, and each of its requests
 * must equal the recorded one. The replay ends at a difference, or continues with the recorded answer if only parameters
 * differ and more differences are wanted.
 */
export class StrictPlayer extends Playback {
  /** By number of the request. */
  readonly #recorded = new Map<number, RecordedRequest>()
  readonly #waiting = new Map<number, (delivery: Delivery) => void>()
  /** Recorded frames of the bot, by stream. */
  readonly #frames: ReadonlyMap<number, EventOf<'stream-frame'>[]>
  /** The tape has ended: it has no events after the last turn. */
  #isOver = false
  readonly #report: DifferenceReport
  #differences = 0
  #isEnded = false

  constructor(
    tape: RecordedTape,
    run: TapeRun,
    report: DifferenceReport = { most: 1, onDifference: () => {} },
  ) {
    super(tape, run.monotonic)
    this.#report = report
    for (const event of tape.events) {
      if (event.kind === 'unfinished') this.#recorded.set(event.n, event)
      if (event.kind === 'call' && event.n !== undefined) this.#recorded.set(event.n, event)
    }
    const frames = tape.events.filter((event) => event.kind === 'stream-frame')
    const sent = frames.filter(({ from }) => from === 'us')
    this.#frames = Map.groupBy(sent, ({ stream }) => stream)
  }

  override async play(acts: BotInputs): Promise<void> {
    const { clock } = this.virtualTime
    for (const event of this.tape.events) {
      if (event.kind === 'turn') {
        await this.virtualTime.settle()
        if (this.#isEnded) return
        clock.turnTo({ now: event.at, monotonic: event.monotonic })
      } else this.#deliver(event, acts)
    }
    await this.virtualTime.settle()
    this.#isOver = true
    for (const each of this.#recorded.values())
      if ((each.n ?? 0) > this.requests) this.#addMissing(each, true)
  }

  #deliver(event: TapeEvent, acts: BotInputs): void {
    switch (event.kind) {
      case 'call': {
        const deliver = this.#waiting.get(event.n ?? 0)
        if (deliver === undefined) this.#addMissing(event)
        deliver?.(deliveryOf(event.got))
        return
      }
      case 'stream-opened':
      case 'stream-closed':
      case 'stream-frame':
        if (this.sockets.deliver(event)) return
        this.#diverge({ kind: 'stream' })
        return
      default:
        applyInput(event, acts)
    }
  }

  protected override take(made: Request): Promise<Delivery> {
    if (this.#isOver || this.#isEnded) return never
    const n = this.requests + 1
    const recorded = this.#recorded.get(n)
    // A truncated tape has no trace of requests in flight.
    if (recorded === undefined && !this.tape.whole) return never
    this.requests = n
    if (recorded !== undefined && isSame(recorded, made)) this.matched += 1
    else this.#compare(n, made)
    if (this.#isEnded) return never
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve)
    })
  }

  #compare(n: number, made: Request): void {
    const ahead = [...this.#recorded.values()].filter((each) => (each.n ?? 0) >= n)
    const like = mostSimilar(
      made,
      ahead.sort((a, b) => (a.n ?? 0) - (b.n ?? 0)),
    )
    const [here] = ahead
    if (like === undefined || here === undefined) {
      this.#diverge({ request: n, kind: 'additional', made })
    } else if (isSame(like, made)) {
      this.#diverge({ request: n, kind: 'early', recorded: withoutAnswer(here), made })
    } else {
      const changes = changesBetween(like, made)
      const recorded = withoutAnswer(like)
      this.#diverge({ request: n, kind: 'changed', recorded, made, changes }, like.n === n)
    }
  }

  #addMissing(recorded: RecordedRequest, goesOn = false): void {
    this.#diverge({ request: recorded.n ?? 0, kind: 'missing', recorded: withoutAnswer(recorded) }, goesOn)
  }

  protected override takeFrame(stream: number, place: number, text: string): void {
    if (this.#isOver) return
    const recorded = this.#frames.get(stream)?.[place]
    const [was, is] = [recorded && textOf(recorded), text]
    if (was === undefined && !this.tape.whole) return
    if (was === is || isSameJson(was === undefined ? undefined : jsonIn(was), jsonIn(is))) return
    const path = `stream ${stream}`
    const frame = (body: unknown): Request => ({ method: 'send', path, query: '', body })
    const [one, other] = [was === undefined ? null : frame(jsonIn(was) ?? was), frame(jsonIn(is) ?? is)]
    const changes = one === null ? [] : changesBetween(one, other)
    this.#diverge({ kind: 'stream', recorded: one, made: other, changes }, one !== null)
  }

  /** `goesOn` if the following events still fit the tape. */
  #diverge(
    { request = null, kind, recorded = null, made = null, changes = [] }: Found,
    goesOn = false,
  ): void {
    if (this.#isEnded) return
    const divergence = { at: this.virtualTime.clock.now(), request, kind, recorded, made, changes }
    this.divergence ??= divergence
    this.#differences += 1
    this.#isEnded = !goesOn || this.#differences >= this.#report.most
    this.#report.onDifference(divergence)
  }
}

function withoutAnswer({ method, path, query, body }: Request): Request {
  return { method, path, query, body }
}

/** A call without an answer. */
const never = new Promise<Delivery>(() => {})
