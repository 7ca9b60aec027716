import type { PriceRows } from '#src/runtime/feeds/recorded-prices.ts'
import { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { NonceMemory, NonceTrace } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OpenSocket, SocketEvents } from '#src/venues/whitebit/client/streams/socket.ts'
import type { Delivery, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { requestOnTape } from '#src/research/recording/calls.ts'
import type { Divergence, Request } from './divergence.ts'
import type { RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeEvent } from '#src/research/recording/tape.ts'

export type EventOf<Kind extends TapeEvent['kind']> = Extract<TapeEvent, { kind: Kind }>

/** Inputs of a bot other than the venue's. */
export type BotInputs = {
  operate(act: EventOf<'operator'>['act']): void
  signal(name: string, value: string): void
  reload(name: string, text: string): void
  end(): void
}

/** A tape in place of a venue. */
export abstract class Playback {
  readonly virtualTime: VirtualTime
  readonly memory: NonceMemory
  readonly prices: () => { prices: ReadonlyMap<string, PriceRows>; begins: number }
  /** Requests of the bot so far, and how many of them are on the tape. */
  requests = 0
  matched = 0
  divergence: Divergence | null = null
  protected readonly tape: RecordedTape
  protected readonly sockets = new RecordedSockets((...frame) => this.takeFrame(...frame))

  constructor(tape: RecordedTape, monotonic: number) {
    this.tape = tape
    this.virtualTime = new VirtualTime({ now: tape.begin.at, monotonic })
    this.memory = memoryOf(tape, this.virtualTime.clock)
    this.prices = pricesOf(tape)
  }

  readonly transport: Transport = {
    send: (request) => this.take(requestOnTape(request)),
    close: async () => {},
  }

  get openSocket(): OpenSocket {
    return this.sockets.open
  }

  /** Plays from the start of the bot to the end of the tape, or to the last difference. */
  abstract play(acts: BotInputs): Promise<void>
  protected abstract take(made: Request): Promise<Delivery>
  protected abstract takeFrame(stream: number, place: number, text: string): void
}

/** Passes commands of the operator, signals, reloads and the shutdown to the bot. */
export function applyInput(event: TapeEvent, acts: BotInputs): void {
  if (event.kind === 'operator') acts.operate(event.act)
  else if (event.kind === 'signal') acts.signal(event.name, event.value)
  else if (event.kind === 'reloaded') acts.reload(event.name, event.text)
  else if (event.kind === 'ending') acts.end()
}

/** The price files that the run read, in their order. */
function pricesOf({ events }: RecordedTape): Playback['prices'] {
  const reads = events.filter((event) => event.kind === 'prices').values()
  return () => {
    const read = reads.next().value
    const files = Object.entries(read?.prices ?? {}).map(([market, { at, units }]): [string, PriceRows] => [
      market,
      { at: Float64Array.from(at), units: Float64Array.from(units) },
    ])
    return { prices: new Map(files), begins: read?.begins ?? 0 }
  }
}

/** Nonces that other processes used, at the reads at which the run found them. */
function memoryOf({ events }: RecordedTape, clock: Pick<Clock, 'now'>): NonceMemory {
  const found = new Map<number, EventOf<'nonces'>>()
  for (const event of events) if (event.kind === 'nonces') found.set(event.look, event)
  let reads = 0
  let known: NonceTrace | undefined
  return {
    load() {
      reads += 1
      const trace = found.get(reads)
      if (trace !== undefined) {
        const { aheadMs, recent, monotonicMs } = trace
        known = { ceiling: Math.floor(clock.now()) + aheadMs, recent, monotonicMs }
      }
      return known
    },
    save(trace) {
      known = trace
    },
  }
}

/** The sockets of a run in the order of opening. */
class RecordedSockets {
  readonly #opened: SocketEvents[] = []
  readonly #onFrame: (stream: number, index: number, text: string) => void

  /** `onFrame` receives each frame of the bot with its number in the stream. */
  constructor(onFrame: (stream: number, index: number, text: string) => void) {
    this.#onFrame = onFrame
  }

  readonly open: OpenSocket = (_, on) => {
    const stream = this.#opened.push(on)
    let index = 0
    return {
      send: (text) => {
        this.#onFrame(stream, index, text)
        index += 1
      },
      // The tape contains the close event.
      end: () => {},
    }
  }

  /** Returns false if the bot has not opened this socket. */
  deliver(event: EventOf<'stream-opened'> | EventOf<'stream-frame'> | EventOf<'stream-closed'>): boolean {
    const on = this.#opened[event.stream - 1]
    if (on === undefined) return false
    if (event.kind === 'stream-opened') on.open()
    else if (event.kind === 'stream-closed') on.over(event.reason)
    else if (event.from === 'venue') on.frame(textOf(event))
    return true
  }
}

export function textOf({ text, json }: EventOf<'stream-frame'>): string {
  return text ?? JSON.stringify(json)
}
