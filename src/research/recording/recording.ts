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
 * Records a run. The bot uses virtual time: each input waits until the bot has processed the one before; then the clock is
 * set to the real time, the input is written to the tape, and the bot receives it. So the tape has all inputs in their order,
 * and a replay of them gives the same run.
 */
export class Recording {
  readonly #real: Clock
  readonly #tape: Pick<TapeWriter, 'write' | 'close'>
  readonly #virtualTime: VirtualTime
  readonly #inbox: (() => void)[] = []
  readonly #open = new Map<number, Omit<Unfinished, 'kind'>>()
  #wake = new AbortController()
  #calls = 0
  #streams = 0
  #closing: Promise<void> | undefined

  constructor(about: { real: Clock; virtualTime: VirtualTime; tape: Pick<TapeWriter, 'write' | 'close'> }) {
    this.#real = about.real
    this.#virtualTime = about.virtualTime
    this.#tape = about.tape
  }

  /** Called when the bot starts. Settles when the recording has ended. */
  async run(): Promise<void> {
    const { clock } = this.#virtualTime
    while (!this.#closed) {
      await this.#virtualTime.settle()
      await this.#nextInput()
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

  /** Records a transport: its answers become inputs. */
  around(inner: Transport): Transport {
    return {
      send: (request, withinMs) => {
        const { clock } = this.#virtualTime
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

  /** Records sockets: their frames become inputs. */
  socketsAround(inner: OpenSocket): OpenSocket {
    return (url, on) => {
      const stream = (this.#streams += 1)
      const at = () => this.#virtualTime.clock.now()
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

  /** Records nonces that other processes have used. */
  memoryAround(inner: NonceMemory): NonceMemory {
    let look = 0
    let known: ReturnType<NonceMemory['load']>
    return {
      load: () => {
        look += 1
        const trace = inner.load()
        const at = this.#virtualTime.clock.now()
        if (trace !== undefined && JSON.stringify(trace) !== JSON.stringify(known)) {
          const now = Math.floor(at)
          // A replay starts with the same nonce as this run.
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

  /** Delivers an input of the operator or the system. */
  deliverInput<Result>(
    event: (at: number) => TapeEvent,
    act: () => Result | Promise<Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#arrive(() => {
        this.#write(event(this.#virtualTime.clock.now()))
        Promise.try(act).then(resolve, reject)
      })
    })
  }

  /** Records what the bot reads synchronously. */
  note(event: (at: number) => TapeEvent): void {
    this.#write(event(this.#virtualTime.clock.now()))
  }

  /** Ends the tape. Later inputs reach the bot unrecorded. */
  close(): Promise<void> {
    if (this.#closing) return this.#closing
    for (const request of this.#open.values()) this.#write({ kind: 'unfinished', ...request })
    this.#closing = this.#tape.close(this.#virtualTime.clock.now())
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

  async #nextInput(): Promise<void> {
    const ms = this.#virtualTime.clock.nextDue - this.#real.monotonic()
    if (this.#inbox.length > 0 || ms <= 0 || this.#closed) return
    this.#wake = new AbortController()
    await this.#real.sleep(Math.ceil(ms), this.#wake.signal).catch(() => {})
  }
}
