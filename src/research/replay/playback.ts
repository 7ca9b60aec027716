import type { PriceRows } from '#src/runtime/feeds/recorded-prices.ts'
import type { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { NonceMemory, NonceTrace } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OpenSocket, SocketEvents } from '#src/venues/whitebit/client/streams/socket.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { Divergence } from './divergence.ts'
import type { RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeEvent } from '#src/research/recording/tape.ts'

export type Of<Kind extends TapeEvent['kind']> = Extract<TapeEvent, { kind: Kind }>

/** What is done to a bot from outside. */
export type Acts = {
  operate(act: Of<'operator'>['act']): void
  reload(name: string, text: string): void
  end(): void
}

/** A tape in the place of a venue: all that a run stands on, and what came of it. */
export type Playback = {
  readonly standstill: VirtualTime
  readonly transport: Transport
  readonly openSocket: OpenSocket
  readonly memory: NonceMemory
  prices(): { prices: ReadonlyMap<string, PriceRows>; begins: number }
  /** From the moment in which the bot begins up to the end of the tape, or to where it can go no further. */
  play(acts: Acts): Promise<void>
  /** Made so far, and how many of them found themselves on the tape. */
  readonly requests: number
  readonly matched: number
  readonly divergence: Divergence | null
}

/** What an operator did, or the end. */
export function tellAct(event: TapeEvent, acts: Acts): void {
  if (event.kind === 'operator') acts.operate(event.act)
  else if (event.kind === 'reloaded') acts.reload(event.name, event.text)
  else if (event.kind === 'ending') acts.end()
}

/** The files of prices that a run has read, one after the other. */
export function pricesOf({ events }: RecordedTape): Playback['prices'] {
  const looks = events.filter((event) => event.kind === 'prices').values()
  return () => {
    const look = looks.next().value
    const files = Object.entries(look?.prices ?? {}).map(([market, { at, units }]): [string, PriceRows] => [
      market,
      { at: Float64Array.from(at), units: Float64Array.from(units) },
    ])
    return { prices: new Map(files), begins: look?.begins ?? 0 }
  }
}

/** What others left of their use of the key, at the looks at which it was found. */
export function memoryOf({ events }: RecordedTape, clock: Pick<Clock, 'now'>): NonceMemory {
  const found = new Map<number, Of<'nonces'>>()
  for (const event of events) if (event.kind === 'nonces') found.set(event.look, event)
  let look = 0
  let known: NonceTrace | undefined
  return {
    load() {
      look += 1
      const trace = found.get(look)
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

/** The sockets of a run, in the order in which it opens them. */
export class Sockets {
  readonly #opened: SocketEvents[] = []
  readonly #onFrame: (stream: number, place: number, text: string) => void

  /** Told of each frame of ours: of which stream it is, and how many came before. */
  constructor(onFrame: (stream: number, place: number, text: string) => void) {
    this.#onFrame = onFrame
  }

  readonly open: OpenSocket = (_, on) => {
    const stream = this.#opened.push(on)
    let place = 0
    return {
      send: (text) => {
        this.#onFrame(stream, place, text)
        place += 1
      },
      // Its end is on the tape.
      end: () => {},
    }
  }

  /** Whether there is such a socket. */
  tell(event: Of<'stream-opened'> | Of<'stream-frame'> | Of<'stream-closed'>): boolean {
    const on = this.#opened[event.stream - 1]
    if (on === undefined) return false
    if (event.kind === 'stream-opened') on.open()
    else if (event.kind === 'stream-closed') on.over(event.reason)
    else if (event.from === 'venue') on.frame(textOf(event))
    return true
  }
}

export function textOf({ text, json }: Of<'stream-frame'>): string {
  return text ?? JSON.stringify(json)
}
