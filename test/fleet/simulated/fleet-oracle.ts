import type { StoredRecord } from '#src/journal/rebuild.ts'
import { Oracle, type Departure } from '#src/research/simulate/oracle.ts'
import { anyMarket } from '#src/research/simulate/simulated-machine.ts'
import type { OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { ServerWitness } from './memory-account.ts'

/** The lease by which a signed request left the client, and its machine. */
type Sender = { epoch: number; machine: string; at: number; isPaused: boolean }

/** Signed requests that had left the client of an earlier epoch in time. */
export type LateRequests = {
  /** They left the process after a request of a later epoch: it stood still in between. */
  left: number
  /** They arrived after a request of a later epoch. */
  arrived: number
  /** The exchange has executed them nevertheless. */
  executed: number
}

/**
 * Checks the rules of a fleet, besides the invariants of a single process:
 *
 * F1: a process lets no signed request leave unless the server says that its lease lasts. A process on a machine whose clocks
 * have both stood still is an exception.
 * F2: with strict nonces, the exchange executes no request of an earlier epoch after one of a later epoch has arrived.
 * F3: the server stores records only of the newest epoch.
 * F4: the journal of each machine is a part of the one at the server.
 */
export class FleetOracle extends Oracle implements ServerWitness {
  /** Whether the lease of an epoch lasts by the clock of the server. */
  holds: (epoch: number) => boolean = () => false
  readonly late: LateRequests = { left: 0, arrived: 0, executed: 0 }
  /** How often another machine has sent requests than before. */
  takeOvers = 0
  readonly #isStrict: boolean
  /** By the body of the request. */
  readonly #senders = new WeakMap<Uint8Array, Sender>()
  /** Signed requests of an earlier epoch than the newest that has arrived. */
  readonly #overdue = new WeakSet<Uint8Array>()
  #newest: Sender = { epoch: 0, machine: '', at: 0, isPaused: false }
  #sentEpoch = 0
  #takenEpoch = 0

  constructor(about: ConstructorParameters<typeof Oracle>[0]) {
    super(about)
    this.#isStrict = about.isStrict
  }

  /** The epoch of the last process whose signed request has arrived. */
  get tradingEpoch(): number {
    return this.#newest.epoch
  }

  /** The client has let a request go, which may still stay in a process that freezes. */
  departs({ path, body }: OutgoingRequest, sender: Sender): void {
    if (body.length === 0) return
    this.#senders.set(body, sender)
    const { epoch, machine, isPaused } = sender
    if (!isPaused && !this.holds(epoch))
      this.fail('F1', `${machine} sends ${path} without the lease ${epoch}`)
  }

  override sent(request: OutgoingRequest, departure: Departure): void {
    const sender = this.#senders.get(request.body)
    if (sender === undefined) return super.sent(request, departure)
    if (sender.epoch < this.#sentEpoch) {
      this.late.left += 1
      return
    }
    this.#sentEpoch = sender.epoch
    // A price is judged when the client decides to send. A process that was paused cannot know how old its prices are.
    const { at, isPaused } = sender
    const receivedAt = isPaused ? new Map([[anyMarket, at]]) : departure.receivedAt
    super.sent(request, { ...departure, at, receivedAt })
  }

  override arrived(request: WireRequest): void {
    super.arrived(request)
    const sender = this.#senders.get(request.body)
    if (sender === undefined) return
    const { epoch, machine } = this.#newest
    if (sender.epoch < epoch) {
      this.late.arrived += 1
      this.#overdue.add(request.body)
    } else if (sender.epoch > epoch) {
      if (machine !== '' && machine !== sender.machine) this.takeOvers += 1
      this.#newest = sender
    }
  }

  override executed(request: WireRequest, response: WireResponse): void {
    super.executed(request, response)
    if (!this.#overdue.has(request.body) || response.status >= 300) return
    this.late.executed += 1
    if (this.#isStrict) this.fail('F2', `${request.path} of an earlier epoch is executed`)
  }

  taken(epoch: number): void {
    if (epoch <= this.#takenEpoch) this.fail('F3', `epoch ${epoch} follows ${this.#takenEpoch}`)
    this.#takenEpoch = epoch
  }

  stored(epoch: number, records: readonly StoredRecord[]): void {
    if (epoch !== this.#takenEpoch)
      this.fail('F3', `the server stores records of epoch ${epoch} in epoch ${this.#takenEpoch}`)
    for (const { commands } of records)
      for (const text of commands) {
        const command: { kind: string; orders?: { id: string }[] } = JSON.parse(text)
        if (command.kind === 'submit') this.durable(command.orders?.map(({ id }) => id) ?? [])
      }
  }
}
