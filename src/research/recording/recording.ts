import type { VirtualTime } from '#src/runtime/virtual-time.ts'
import { unknownAheadMs, type NonceMemory } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OpenSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { deliveryOnTape, requestOnTape, textOnTape } from './calls.ts'
import type { TapeCall, TapeEvent } from './tape.ts'
import type { TapeWriter } from './tape-writer.ts'

type Unfinished = Extract<TapeEvent, { kind: 'unfinished' }>

/**
 * A run while it is recorded. Its bot lives in time that stands still: whatever comes from outside waits until the bot has
 * nothing left to do, then the clock is turned to what it really is, the tape is told, and the bot is told. So the tape
 * holds all that the bot has seen, in its order, and whoever does the same from the tape gets the same run.
 */
export class Recording {
  readonly #real: Clock
  readonly #tape: Pick<TapeWriter, 'write' | 'close'>
  readonly #standstill: VirtualTime
  readonly #inbox: (() => void)[] = []
  readonly #open = new Map<number, Omit<Unfinished, 'kind'>>()
  #wake = new AbortController()
  #calls = 0
  #streams = 0
  #closing: Promise<void> | undefined

  constructor(about: { real: Clock; standstill: VirtualTime; tape: Pick<TapeWriter, 'write' | 'close'> }) {
    this.#real = about.real
    this.#standstill = about.standstill
    this.#tape = about.tape
  }

  /** To be called in the moment in which the bot begins. Settles when nothing is taken down any more. */
  async run(): Promise<void> {
    const { clock } = this.#standstill
    while (!this.#closed) {
      await this.#standstill.settle()
      await this.#somethingToCome()
      const deliver = this.#inbox.shift()
      if (this.#closed || (deliver === undefined && clock.nextDue > this.#real.monotonic())) {
        deliver?.()
        continue
      }
      clock.turnTo({ now: this.#real.now(), monotonic: this.#real.monotonic() })
      this.#write({ kind: 'turn', at: clock.now(), monotonic: clock.monotonic() })
      deliver?.()
    }
    for (const deliver of this.#inbox.splice(0)) deliver()
  }

  /** The same transport, whose answers come when it is their turn. */
  around(inner: Transport): Transport {
    return {
      send: (request, withinMs) => {
        const { clock } = this.#standstill
        const n = (this.#calls += 1)
        const since = clock.monotonic()
        this.#open.set(n, { n, at: clock.now(), ...requestOnTape(request) })
        return new Promise((resolve) => {
          void inner.send(request, withinMs).then((delivery) =>
            this.#arrive(() => {
              this.#over(n, clock.monotonic() - since, deliveryOnTape(delivery))
              resolve(delivery)
            }),
          )
        })
      },
      close: () => inner.close(),
    }
  }

  /** The same sockets, whose frames come when it is their turn. */
  socketsAround(inner: OpenSocket): OpenSocket {
    return (url, on) => {
      const stream = (this.#streams += 1)
      const at = () => this.#standstill.clock.now()
      const frame = (from: 'us' | 'venue', text: string) =>
        this.#write({ kind: 'stream-frame', at: at(), stream, from, ...textOnTape(text) })
      const socket = inner(url, {
        open: () =>
          this.#arrive(() => {
            this.#write({ kind: 'stream-opened', at: at(), stream })
            on.open()
          }),
        frame: (text) =>
          this.#arrive(() => {
            frame('venue', text)
            on.frame(text)
          }),
        over: (reason) =>
          this.#arrive(() => {
            this.#write({ kind: 'stream-closed', at: at(), stream, reason })
            on.over(reason)
          }),
      })
      return {
        send(text) {
          frame('us', text)
          socket.send(text)
        },
        end: () => socket.end(),
      }
    }
  }

  /** The same memory; what it knows from elsewhere is on the tape, too. */
  memoryAround(inner: NonceMemory): NonceMemory {
    let look = 0
    let known: ReturnType<NonceMemory['load']>
    return {
      load: () => {
        look += 1
        const trace = inner.load()
        const at = this.#standstill.clock.now()
        if (trace !== undefined && JSON.stringify(trace) !== JSON.stringify(known)) {
          const now = Math.floor(at)
          // Who replays it begins where this run begins.
          const { ceiling, recent, monotonicMs } =
            'unread' in trace ? { ceiling: now + unknownAheadMs, recent: null } : trace
          const when = monotonicMs === undefined ? {} : { monotonicMs }
          this.#write({ kind: 'nonces', at, look, aheadMs: ceiling - now, recent, ...when })
        }
        known = trace
        return trace
      },
      save(trace) {
        inner.save(trace)
        known = trace
      },
    }
  }

  /** Something is done to the bot, when it is its turn. */
  act<Result>(event: (at: number) => TapeEvent, act: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#arrive(() => {
        this.#write(event(this.#standstill.clock.now()))
        Promise.try(act).then(resolve, reject)
      })
    })
  }

  /** What the bot is told in the same moment in which it asks for it. */
  note(event: (at: number) => TapeEvent): void {
    this.#write(event(this.#standstill.clock.now()))
  }

  /** The tape ends here. What is still on its way reaches the bot, and nobody takes it down. */
  close(): Promise<void> {
    if (this.#closing) return this.#closing
    for (const request of this.#open.values()) this.#write({ kind: 'unfinished', ...request })
    this.#closing = this.#tape.close(this.#standstill.clock.now())
    this.#wake.abort()
    return this.#closing
  }

  get #closed(): boolean {
    return this.#closing !== undefined
  }

  #over(n: number, tookMs: number, got: TapeCall['got']): void {
    const request = this.#open.get(n)
    this.#open.delete(n)
    if (request !== undefined) this.#write({ kind: 'call', ...request, tookMs, got })
  }

  #write(event: TapeEvent): void {
    if (!this.#closed) this.#tape.write(event)
  }

  #arrive(deliver: () => void): void {
    if (this.#closed) deliver()
    else this.#inbox.push(deliver)
    this.#wake.abort()
  }

  async #somethingToCome(): Promise<void> {
    const ms = this.#standstill.clock.nextDue - this.#real.monotonic()
    if (this.#inbox.length > 0 || ms <= 0 || this.#closed) return
    this.#wake = new AbortController()
    await this.#real.sleep(Math.ceil(ms), this.#wake.signal).catch(() => {})
  }
}
