import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { openSecret } from '#src/exchange/open-secret.ts'
import type { Sources } from '#src/exchange/simulation/begin-simulation.ts'
import type { Reader } from '#src/exchange/streams/channel.ts'
import { Hub } from '#src/exchange/streams/hub.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import type { World } from '#src/exchange/world-file.ts'
import type { SimulatedTime } from './simulated-time.ts'

const hubTickMs = 100

type Parts = { world: World; seed: string; beginsAt: number; sources: Sources; time: SimulatedTime }
export type SimulatedReader = { frame: (text: string) => void; over: (reason: string) => void }

/**
 * The embedded exchange as a process that can crash: a restart replays what it has committed. As behind the real listener,
 * answers are sent after the commit.
 */
export class SimulatedExchange {
  exchange: Exchange
  readonly #about: Parts
  readonly #committed: Entry[] = []
  #uncommitted: Entry[] = []
  #isRepeating = false
  #hub: Hub
  readonly #readers = new Map<Reader, SimulatedReader>()
  #isFlushing = false
  #isTicking = false

  constructor(about: Parts) {
    this.#about = about
    this.exchange = this.#newExchange()
    this.#hub = this.#newHub()
  }

  get now(): number {
    return this.#about.beginsAt + Math.floor(this.#about.time.elapsed)
  }

  /** Delay before a write is executed. */
  get executionDelayMs(): number {
    return this.#about.world.switches.executionDelay
  }

  /** Returns a refusal at once; otherwise `execute` runs when the request is executed. */
  handle(request: WireRequest, execute: (execution: () => WireResponse) => void): WireResponse | undefined {
    const admitted = this.exchange.admit(request, this.now)
    if ('status' in admitted) return admitted
    const { exchange } = this
    if (admitted.row.effect === 'write' && this.executionDelayMs > 0) {
      this.commit()
      // A restart loses requests that wait for their execution.
      this.#about.time.after(this.executionDelayMs, () => {
        if (exchange === this.exchange) execute(() => exchange.execute(admitted, this.now))
      })
      return undefined
    }
    execute(() => exchange.execute(admitted, this.now))
    return undefined
  }

  commit(): void {
    this.#committed.push(...this.#uncommitted)
    this.#uncommitted = []
  }

  restart(): void {
    this.#uncommitted = []
    for (const { over } of this.#readers.values()) over('The exchange restarts')
    this.#readers.clear()
    this.#isRepeating = true
    this.exchange = this.#newExchange()
    this.#hub = this.#newHub()
    for (const entry of this.#committed) this.exchange.redo(entry)
    this.exchange.advance(this.now)
    this.#isRepeating = false
  }

  enter(reader: SimulatedReader): { hear(text: string): void; leave(): void } {
    const hub = this.#hub
    const entered = hub.enter()
    this.#readers.set(entered, reader)
    this.#tick()
    const leave = () => {
      if (this.#readers.delete(entered)) hub.leave(entered)
    }
    return {
      hear: (text) => {
        if (!this.#readers.has(entered)) return
        const closing = hub.receive(entered, text, this.exchange.advance(this.now))
        this.commit()
        if (closing === undefined) return
        leave()
        reader.over(`The venue closed the connection with code ${closing.code}`)
      },
      leave,
    }
  }

  cutStreams(): void {
    for (const [entered, { over }] of this.#readers) {
      this.#readers.delete(entered)
      this.#hub.leave(entered)
      over('The connection broke')
    }
  }

  #newExchange(): Exchange {
    const { world, seed, beginsAt, sources } = this.#about
    return new Exchange({
      world,
      seed,
      begin: beginsAt,
      sources,
      profile: 'full',
      secretOf: openSecret,
      record: (entry) => {
        if (!this.#isRepeating) this.#uncommitted.push(entry)
      },
    })
  }

  #newHub(): Hub {
    return new Hub(
      this.exchange.venue,
      (readers, text) => {
        for (const reader of readers) this.#readers.get(reader)?.frame(text)
      },
      () => this.#flushSoon(),
    )
  }

  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#about.time.after(0, () => {
      this.#isFlushing = false
      this.#hub.flush(this.exchange.advance(this.now))
    })
  }

  #tick(): void {
    if (this.#isTicking) return
    this.#isTicking = true
    this.#about.time.after(hubTickMs, () => {
      this.#isTicking = false
      if (this.#readers.size === 0) return
      this.#hub.tick(this.exchange.advance(this.now))
      this.#tick()
    })
  }
}
