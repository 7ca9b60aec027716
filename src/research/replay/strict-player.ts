import { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { NonceMemory } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OpenSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import type { Delivery, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { deliveryOf, json, requestOnTape } from '#src/research/recording/calls.ts'
import { changesBetween, isSame, isSameJson, likest, type Divergence, type Request } from './divergence.ts'
import {
  memoryOf,
  pricesOf,
  Sockets,
  tellAct,
  textOf,
  type Acts,
  type Of,
  type Playback,
} from './playback.ts'
import type { RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeEvent, TapeRun } from '#src/research/recording/tape.ts'

type Asked = Of<'call'> | Of<'unfinished'>
/** How many differences somebody wants to see, and who is told of each when it is found. */
export type Looking = { most: number; onDifference: (found: Divergence) => void }

/**
 * A run of ours, made again from its tape: what came from outside comes again, at the same moments and in the same order.
 * Each request has to be the one that was recorded. Where one is not, it ends; or, for whoever wants to see more than the first
 * difference, it goes on with the recorded answer, as long as it is the same request with other parameters.
 */
export class Player implements Playback {
  readonly standstill: VirtualTime
  requests = 0
  matched = 0
  divergence: Divergence | null = null
  readonly memory: NonceMemory
  readonly prices: Playback['prices']
  readonly #tape: RecordedTape
  /** By the number of the request. */
  readonly #asked = new Map<number, Asked>()
  readonly #waiting = new Map<number, (delivery: Delivery) => void>()
  readonly #sockets: Sockets
  /** Frames of ours, by stream. */
  readonly #frames = new Map<number, Of<'stream-frame'>[]>()
  /** What follows the last turn was told to nobody. */
  #isOver = false
  readonly #looking: Looking
  #differences = 0
  #isEnded = false

  constructor(tape: RecordedTape, run: TapeRun, looking: Looking = { most: 1, onDifference: () => {} }) {
    this.#tape = tape
    this.#looking = looking
    this.standstill = new VirtualTime({ now: tape.begin.at, monotonic: run.monotonic })
    this.memory = memoryOf(tape, this.standstill.clock)
    this.prices = pricesOf(tape)
    this.#sockets = new Sockets((stream, place, text) => this.#takeFrame(stream, place, text))
    for (const event of tape.events) {
      if (event.kind === 'unfinished') this.#asked.set(event.n, event)
      if (event.kind === 'call' && event.n !== undefined) this.#asked.set(event.n, event)
      if (event.kind !== 'stream-frame' || event.from !== 'us') continue
      const before = this.#frames.get(event.stream)
      if (before === undefined) this.#frames.set(event.stream, [event])
      else before.push(event)
    }
  }

  readonly transport: Transport = {
    send: (request) => this.#take(requestOnTape(request)),
    close: async () => {},
  }

  get openSocket(): OpenSocket {
    return this.#sockets.open
  }

  async play(acts: Acts): Promise<void> {
    const { clock } = this.standstill
    for (const event of this.#tape.events) {
      if (event.kind === 'turn') {
        await this.standstill.settle()
        if (this.#isEnded) return
        clock.turnTo({ now: event.at, monotonic: event.monotonic })
      } else this.#deliver(event, acts)
    }
    await this.standstill.settle()
    this.#isOver = true
    for (const asked of this.#asked.values()) if ((asked.n ?? 0) > this.requests) this.#miss(asked, true)
  }

  #deliver(event: TapeEvent, acts: Acts): void {
    switch (event.kind) {
      case 'call': {
        const deliver = this.#waiting.get(event.n ?? 0)
        if (deliver === undefined) this.#miss(event)
        deliver?.(deliveryOf(event.got))
        return
      }
      case 'stream-opened':
      case 'stream-closed':
      case 'stream-frame':
        if (this.#sockets.tell(event)) return
        this.#diverge({ request: null, kind: 'stream', recorded: null, made: null, changes: [] })
        return
      default:
        tellAct(event, acts)
    }
  }

  #take(made: Request): Promise<Delivery> {
    if (this.#isOver || this.#isEnded) return never
    const n = this.requests + 1
    const recorded = this.#asked.get(n)
    // What was on its way when a recording was cut off left nothing behind.
    if (recorded === undefined && !this.#tape.whole) return never
    this.requests = n
    if (recorded !== undefined && isSame(recorded, made)) this.matched += 1
    else this.#differ(n, made)
    if (this.#isEnded) return never
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve)
    })
  }

  #differ(n: number, made: Request): void {
    const ahead = [...this.#asked.values()].filter((asked) => (asked.n ?? 0) >= n)
    const like = likest(
      made,
      ahead.sort((a, b) => (a.n ?? 0) - (b.n ?? 0)),
    )
    const [here] = ahead
    if (like === undefined || here === undefined) {
      this.#diverge({ request: n, kind: 'additional', recorded: null, made, changes: [] })
    } else if (isSame(like, made)) {
      this.#diverge({ request: n, kind: 'early', recorded: requestOf(here), made, changes: [] })
    } else {
      const changes = changesBetween(like, made)
      const found = { request: n, kind: 'changed' as const, recorded: requestOf(like), made, changes }
      this.#diverge(found, like.n === n)
    }
  }

  #miss(asked: Asked, goesOn = false): void {
    const { n = 0 } = asked
    const found = {
      request: n,
      kind: 'missing' as const,
      recorded: requestOf(asked),
      made: null,
      changes: [],
    }
    this.#diverge(found, goesOn)
  }

  #takeFrame(stream: number, place: number, text: string): void {
    if (this.#isOver) return
    const recorded = this.#frames.get(stream)?.[place]
    const [was, is] = [recorded && textOf(recorded), text]
    if (was === undefined && !this.#tape.whole) return
    if (was === is || isSameJson(was === undefined ? undefined : json(was), json(is))) return
    const path = `stream ${stream}`
    const frame = (body: unknown): Request => ({ method: 'send', path, query: '', body })
    const [one, other] = [was === undefined ? null : frame(json(was) ?? was), frame(json(is) ?? is)]
    const changes = one === null ? [] : changesBetween(one, other)
    this.#diverge({ request: null, kind: 'stream', recorded: one, made: other, changes }, one !== null)
  }

  /** It can go on where whatever follows still has its place on the tape. */
  #diverge(found: Omit<Divergence, 'at'>, goesOn = false): void {
    if (this.#isEnded) return
    const divergence = { at: this.standstill.clock.now(), ...found }
    this.divergence ??= divergence
    this.#differences += 1
    this.#isEnded = !goesOn || this.#differences >= this.#looking.most
    this.#looking.onDifference(divergence)
  }
}

function requestOf({ method, path, query, body }: Request): Request {
  return { method, path, query, body }
}

/** A call that nobody answers any more. */
const never = new Promise<Delivery>(() => {})
