import type { Delivery } from '#src/venues/whitebit/client/transport/transport.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { withoutBearers } from '#src/research/recording/bearer-tokens.ts'
import { deliveryOf } from '#src/research/recording/calls.ts'
import type { Request } from './divergence.ts'
import { applyInput, type BotInputs, type EventOf, Playback } from './playback.ts'
import type { RecordedTape } from '#src/research/recording/read-tape.ts'
import { endTime, type TapeEvent } from '#src/research/recording/tape.ts'

type Call = EventOf<'call'>

/** An answer that is older than this is skipped if there is a later one. */
const staleAnswerMs = 1000
/** Answers come earlier by this time, to compensate rounding of millisecond sums. */
const roundingMs = 1e-3

/**
 * Runs the current program against a tape of any run or recorder. A request gets the recorded answer to the same request
 * after the recorded time. Requests without an answer are counted, and writes among them are reported.
 */
export class LoosePlayer extends Playback {
  readonly #onUnsent: (request: Request) => void
  readonly #answers: ReadonlyMap<string, Call[]>
  readonly #hasTurns: boolean

  constructor(tape: RecordedTape, onUnsent: (request: Request) => void) {
    const first = tape.events.find((event) => event.kind === 'turn')
    super(tape, tape.begin.run?.monotonic ?? first?.monotonic ?? 0)
    this.#onUnsent = onUnsent
    this.#hasTurns = first !== undefined
    const calls = tape.events.filter((event) => event.kind === 'call')
    this.#answers = Map.groupBy(calls, contentOf)
  }

  override async play(acts: BotInputs): Promise<void> {
    for (const event of this.tape.events) {
      await this.#passTo(event)
      if (event.kind === 'stream-opened' || event.kind === 'stream-frame' || event.kind === 'stream-closed')
        this.sockets.deliver(event)
      else applyInput(event, acts)
    }
    await this.virtualTime.settle()
  }

  async #passTo(event: TapeEvent): Promise<void> {
    const { clock } = this.virtualTime
    if (event.kind === 'turn') {
      await this.virtualTime.settle()
      clock.turnTo({ now: event.at, monotonic: event.monotonic })
    }
    if (this.#hasTurns) return
    // Without recorded clocks, sleepers wake one after the other up to the next event.
    const monotonic = endTime(event) - this.tape.begin.at
    for (;;) {
      await this.virtualTime.settle()
      const due = Math.min(clock.nextDue, monotonic)
      clock.advance(Math.max(0, due - clock.monotonic()))
      if (due >= monotonic) return
    }
  }

  protected override async take(made: Request): Promise<Delivery> {
    this.requests += 1
    const call = this.#answerTo(made)
    if (call !== undefined) {
      this.matched += 1
      await this.virtualTime.clock.sleep(Math.max(0, call.tookMs - roundingMs))
      return deliveryOf(call.got)
    }
    const reason = 'The tape has no answer to this'
    if (!writes.has(`${made.method} ${made.path}`)) return { kind: 'unanswered', reason }
    this.#onUnsent(made)
    return { kind: 'not-sent', reason }
  }

  protected override takeFrame(): void {}

  #answerTo(made: Request): Call | undefined {
    const answers = this.#answers.get(contentOf(made)) ?? []
    const now = this.virtualTime.clock.now()
    const timely = answers.findIndex((answer) => endTime(answer) >= now - staleAnswerMs)
    return answers.splice(0, timely === -1 ? answers.length : timely + 1).at(-1)
  }
}

/** Calls with an effect at the venue. */
const writes = new Set(
  Object.values(contract)
    .filter(({ effect }) => effect === 'write')
    .map(({ path }) => `POST ${path}`),
)

/** Identifies a request independently of the order of its parameters. */
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
