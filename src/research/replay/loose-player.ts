import { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { NonceMemory } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OpenSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import type { Delivery, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { withoutBearers } from '#src/research/recording/bearer-tokens.ts'
import { deliveryOf, requestOnTape } from '#src/research/recording/calls.ts'
import type { Request } from './divergence.ts'
import { memoryOf, pricesOf, Sockets, tellAct, type Acts, type Of, type Playback } from './playback.ts'
import type { RecordedTape } from '#src/research/recording/read-tape.ts'
import { overAt, type TapeEvent } from '#src/research/recording/tape.ts'

type Call = Of<'call'>

/** An answer that is older by so much is left aside, where there is a later one. */
const lateMs = 1000
/** Sums of milliseconds are not exact: by so much an answer may come early, that it does not miss its turn. */
const lateAtMostMs = 1e-3

/**
 * A run of today against what a tape holds, be it of another run or of another recorder. A request is answered with what
 * came of the same one, as late as it came; what is not on the tape is counted, and what would have been sent is told.
 */
export class LoosePlayer implements Playback {
  readonly standstill: VirtualTime
  requests = 0
  matched = 0
  readonly divergence = null
  readonly memory: NonceMemory
  readonly prices: Playback['prices']
  readonly #tape: RecordedTape
  readonly #onUnsent: (request: Request) => void
  readonly #answers = new Map<string, Call[]>()
  readonly #sockets = new Sockets(() => {})
  readonly #hasTurns: boolean

  constructor(tape: RecordedTape, onUnsent: (request: Request) => void) {
    const { at, run } = tape.begin
    this.#tape = tape
    this.#onUnsent = onUnsent
    const first = tape.events.find((event) => event.kind === 'turn')
    this.#hasTurns = first !== undefined
    this.standstill = new VirtualTime({ now: at, monotonic: run?.monotonic ?? first?.monotonic ?? 0 })
    this.memory = memoryOf(tape, this.standstill.clock)
    this.prices = pricesOf(tape)
    for (const event of tape.events) {
      if (event.kind !== 'call') continue
      const content = contentOf(event)
      const before = this.#answers.get(content)
      if (before === undefined) this.#answers.set(content, [event])
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
    for (const event of this.#tape.events) {
      await this.#passTo(event)
      if (event.kind === 'stream-opened' || event.kind === 'stream-frame' || event.kind === 'stream-closed')
        this.#sockets.tell(event)
      else tellAct(event, acts)
    }
    await this.standstill.settle()
  }

  async #passTo(event: TapeEvent): Promise<void> {
    const { clock } = this.standstill
    if (event.kind === 'turn') {
      await this.standstill.settle()
      clock.turnTo({ now: event.at, monotonic: event.monotonic })
    }
    if (this.#hasTurns) return
    // Nobody told when the clock was looked at: one sleeper after the other wakes up to what comes next.
    const monotonic = overAt(event) - this.#tape.begin.at
    for (;;) {
      await this.standstill.settle()
      const due = Math.min(clock.nextDue, monotonic)
      clock.turn(Math.max(0, due - clock.monotonic()))
      if (due >= monotonic) return
    }
  }

  async #take(made: Request): Promise<Delivery> {
    this.requests += 1
    const call = this.#answerTo(made)
    if (call !== undefined) {
      this.matched += 1
      await this.standstill.clock.sleep(Math.max(0, call.tookMs - lateAtMostMs))
      return deliveryOf(call.got)
    }
    const reason = 'The tape has no answer to this'
    if (!writes.has(`${made.method} ${made.path}`)) return { kind: 'unanswered', reason }
    this.#onUnsent(made)
    return { kind: 'not-sent', reason }
  }

  #answerTo(made: Request): Call | undefined {
    const answers = this.#answers.get(contentOf(made)) ?? []
    const now = this.standstill.clock.now()
    const timely = answers.findIndex((answer) => overAt(answer) >= now - lateMs)
    return answers.splice(0, timely === -1 ? answers.length : timely + 1).at(-1)
  }
}

/** Calls that change something at a venue. */
const writes = new Set(
  Object.values(contract)
    .filter(({ effect }) => effect === 'write')
    .map(({ path }) => `POST ${path}`),
)

/** The same for the same request, in whatever order its parameters stand. */
function contentOf({ method, path, query, body }: Request): string {
  const parameters = Object.fromEntries(new URLSearchParams(query))
  return JSON.stringify([method, path, ordered(parameters), ordered(withoutBearers(body))])
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return pairs.map(([name, inner]) => [name, ordered(inner)])
}
