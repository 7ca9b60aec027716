import { ManualClock } from '#src/core/time/clock.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { Profile } from '#src/exchange/venue-context.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { Nonces, type NonceTrace } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OutgoingRequest, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Switches } from '#src/venues/whitebit/contract/assumptions/switches.ts'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { ProbeDriver } from '#src/cli/doctor/probe/probe-driver.ts'
import { passingNote, type NoteMemory } from '#src/cli/doctor/probe/probe-note.ts'
import { placeOf } from '#src/cli/doctor/probe/probe-place.ts'
import { runExperiments } from '#src/cli/doctor/probe/run-experiments.ts'
import { venueKey, type VenueLayer } from './other-venues.ts'
import { beginsAtMs } from '#test/support/venue.ts'
import { worldWith } from '#test/support/world.ts'

/** A clock that jumps to the end of each sleep: one process alone uses it. */
class JumpingClock extends ManualClock {
  override sleep(ms: number): Promise<void> {
    this.advance(ms)
    return Promise.resolve()
  }
}

/** How the process of a probe ends at a request: before it left, after the venue executed it, or while the venue delays it. */
export const kills = ['before', 'after', 'late'] as const
export type Kill = { at: number; how: (typeof kills)[number] }

type Ground = {
  switches?: Partial<Switches>
  spelling?: Spelling
  profile?: Profile
  /** Whether the money is less than any order needs. */
  poor?: boolean
  /** Only the market that a probe chooses: the simulation of the others takes most of the time of a probe. */
  isOneMarket?: boolean
  note?: NoteMemory
  /** What the venue does otherwise than the embedded exchange. */
  otherwise?: () => VenueLayer
}

const lateMs = 4000
const orderPaths = new Set<string>([contract.collateralBulk.path, contract.modifyOrder.path])
export const probedUrl = 'http://127.0.0.1:1'

/** An exchange in this process with simulated prices, and what outlives a killed probe: nonces and the note. */
export class ProbeGround {
  readonly clock = new JumpingClock(beginsAtMs)
  readonly exchange: Exchange
  /** The largest distance of a nonce from the time at which it was sent. */
  nonceAheadMs = -Infinity
  requests = 0
  /** The path of each request. */
  readonly paths: string[] = []
  readonly note: NoteMemory
  /** What an earlier process stored of its nonces. */
  trace: NonceTrace | undefined
  readonly #memory = {
    load: () => this.trace,
    save: (trace: NonceTrace) => {
      this.trace = trace
    },
  }
  readonly #layer: VenueLayer | undefined
  #late: { dueAt: number; request: OutgoingRequest }[] = []

  constructor(about: Ground = {}) {
    const { switches = {}, spelling = 'spec', profile = 'full', poor = false, isOneMarket = false } = about
    this.note = about.note ?? passingNote()
    this.#layer = about.otherwise?.()
    const world = worldWith(venueKey, poor ? { accounts: { paper: { collateral: { USDT: '1' } } } } : {})
    const markets = Object.entries(world.markets).filter(([name]) => !isOneMarket || name === 'SOL_PERP')
    this.exchange = new Exchange({
      world: {
        ...world,
        markets: Object.fromEntries(markets),
        switches: { ...world.switches, nonce: 'strict', ...switches },
      },
      seed: 'the same for every probe',
      begin: beginsAtMs,
      sources: { seeded: true },
      profile,
      spelling,
    })
  }

  /** A probe as a process of its own. A killed one never ends. */
  driver(kill?: Kill, wrap: (transport: Transport) => Transport = (inner) => inner): ProbeDriver {
    return new ProbeDriver({
      transport: wrap(this.#transport(kill)),
      clock: this.clock,
      nonces: new Nonces({ clock: this.clock, mode: 'window', memory: this.#memory }),
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      note: this.note,
      url: probedUrl,
      settleMs: 10_000,
    })
  }

  /** A person with the same key. */
  get client(): Client {
    return createClient({
      transport: this.#transport(undefined),
      key: {
        credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
        nonces: new Nonces({ clock: this.clock, mode: 'strict', memory: this.#memory }),
      },
      clock: this.clock,
    })
  }

  async results(driver = this.driver(), market?: string) {
    if (driver.isUnfinished) await driver.clear()
    const startedAtMs = this.clock.now()
    const place = await placeOf(driver, market, startedAtMs)
    return runExperiments({ driver, place, startedAtMs, tell: () => {}, isOver: () => false })
  }

  /** What each topic was found to be. */
  async values(driver = this.driver(), market?: string): Promise<Record<string, string | null>> {
    return Object.fromEntries((await this.results(driver, market)).map(({ about, value }) => [about, value]))
  }

  /** Runs a probe until its process is killed, or to its end. */
  async runKilled(kill: Kill): Promise<void> {
    const { promise: isKilled, resolve: killed } = Promise.withResolvers<void>()
    const dying = this.driver(kill, (inner) => ({
      send: (request, withinMs) => {
        const sent = inner.send(request, withinMs)
        if (this.requests >= kill.at) killed()
        return sent
      },
      close: () => inner.close(),
    }))
    await Promise.race([this.results(dying), isKilled])
  }

  /** Requests with orders that the venue has received and not executed. */
  get underway(): number {
    return this.#late.filter(({ request }) => orderPaths.has(request.path)).length
  }

  openOrders(): number {
    const account = this.exchange.state.accounts.get('paper')
    return account?.resting ?? Number.NaN
  }

  #transport(kill: Kill | undefined): Transport {
    return {
      send: async (request) => {
        this.requests += 1
        this.paths.push(request.path)
        await this.#executeLate(this.clock.now())
        this.#checkNonce(request)
        const isKilled = kill !== undefined && this.requests >= kill.at
        if (isKilled && kill.how === 'before') return new Promise(() => {})
        if (isKilled && kill.how === 'late') {
          this.#late.push({ dueAt: this.clock.now() + lateMs, request })
          return new Promise(() => {})
        }
        const answered = await this.#handle(request)
        return isKilled ? new Promise(() => {}) : { kind: 'answered', response: answered }
      },
      close: async () => {},
    }
  }

  #handle(request: OutgoingRequest): Promise<WireResponse> {
    if (!this.#layer) return this.#execute(request)
    return this.#layer({
      request,
      exchange: this.exchange,
      deliver: (changed) => this.#execute(changed),
    })
  }

  async #execute(request: OutgoingRequest): Promise<WireResponse> {
    const { exchange, clock } = this
    const whole = { ...request, origin: '127.0.0.1' }
    const { executionDelay } = exchange.venue.switches
    if (executionDelay === 0 || request.method === 'GET') return exchange.handle(whole, clock.now())
    const admitted = exchange.admit(whole, clock.now())
    if ('status' in admitted) return admitted
    if (admitted.row.effect === 'write') await clock.sleep(executionDelay)
    return exchange.execute(admitted, clock.now())
  }

  async #executeLate(until: number): Promise<void> {
    const due = this.#late.filter(({ dueAt }) => dueAt <= until)
    this.#late = this.#late.filter(({ dueAt }) => dueAt > until)
    for (const { request } of due) await this.#handle(request)
  }

  #checkNonce({ body }: OutgoingRequest): void {
    const [, nonce] = /"nonce":"(\d+)"/.exec(Buffer.from(body).toString()) ?? []
    if (nonce !== undefined) this.nonceAheadMs = Math.max(this.nonceAheadMs, Number(nonce) - this.clock.now())
  }
}
