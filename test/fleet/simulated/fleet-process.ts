import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { Unfit, type TradingRuntime } from '#src/runtime/compose/trading.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import type { State } from '#src/engine/state/state.ts'
import type { LocalJournal } from '#src/fleet/confirmed-journal.ts'
import { ServerUnreachable } from '#src/fleet/database.ts'
import { joinFleet, type Member } from '#src/fleet/membership.ts'
import { prepareFolder } from '#src/fleet/prepare-folder.ts'
import type { LogEnd } from '#src/core/log/hash-chain.ts'
import type { StoredRecord } from '#src/journal/rebuild.ts'
import type { SqliteJournal } from '#src/journal/sqlite/journal.ts'
import { composeBot, noncesOn, type BotProcessParts } from '#src/research/simulate/bot-process.ts'
import { killed, SimulatedMachine } from '#src/research/simulate/simulated-machine.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { nonceMemoryAfter, passedTrace } from '#src/venues/whitebit/client/calls/passed-nonces.ts'
import type { FleetOracle } from './fleet-oracle.ts'
import type { ServerLink } from './server-link.ts'

/** The account in the journal and at the server. */
const account = 'paper'
export const termMs = 2000
const expectedCodes: ReadonlySet<string> = new Set(['VENUE_UNREACHABLE', 'LEASE_REFUSED', 'HANDED_OVER'])
/** As `rungs run` ends at last. */
const shutdownMsMost = 8500

export type FleetProcessParts = Pick<
  BotProcessParts,
  'time' | 'dice' | 'network' | 'operations' | 'terms' | 'files' | 'onEvents' | 'folder'
> & {
  name: string
  oracle: FleetOracle
  link: ServerLink
  clockOf: (process: SimulatedMachine) => Clock
  /** Called with each operation; a strike may kill or freeze the process there. */
  onOperation: (process: FleetProcess, what: string) => void
  /** Whether the process may end with LEASE_LOST now. */
  mayLose: (process: FleetProcess) => boolean
  onEnd: (process: FleetProcess, isUnfit: boolean) => void
}

type Following = LocalJournal<Engine> & { adopt(records: readonly StoredRecord[], writer: string): void }

/** A process of a bot in a fleet, composed like `rungs run --fleet --standby`. */
export class FleetProcess {
  readonly machine: SimulatedMachine
  readonly #parts: FleetProcessParts
  readonly #ending = new AbortController()
  /** Both clocks of its machine have stood still: it cannot know that its lease has ended. */
  isPaused = false
  #local: SqliteJournal<Engine> | undefined
  #isClosed = false
  #member: Member<Engine> | undefined
  #client: Client | undefined
  #trading: TradingRuntime | undefined
  #hasFailed = false
  #isUnfit = false

  constructor(parts: FleetProcessParts) {
    this.#parts = parts
    this.machine = new SimulatedMachine((what) => {
      parts.operations.count += 1
      parts.onOperation(this, what)
    })
    this.#start().catch((error: unknown) => this.#fail(error))
  }

  get name(): string {
    return this.#parts.name
  }

  /** The epoch of its lease, which may have ended; undefined for a standby. */
  get epoch(): number | undefined {
    return this.#member?.lease.taken.epoch
  }

  get isTrading(): boolean {
    return this.#trading !== undefined && this.machine.status === 'running' && !this.#ending.signal.aborted
  }

  /** The state of a process that has the lease, or had it. */
  get state(): State | undefined {
    return this.#member === undefined ? undefined : this.#local?.machine.state
  }

  get waiting(): number {
    const queues = this.#client?.lanes().filter(({ used }) => used === null) ?? []
    return queues.reduce((sum, { waiting }) => sum + waiting, 0)
  }

  /** The last record on its disk, and the link after an earlier one. */
  get end(): LogEnd | undefined {
    return this.#local?.end
  }

  linkAfter(seq: number): unknown {
    return seq === this.end?.seq ? this.end.link : this.#local?.stored.record(seq).chain
  }

  operate(act: Extract<NewEvent, { kind: 'operator' }>): boolean {
    if (!this.isTrading) return false
    void Promise.resolve(this.#trading?.bot.operate(act)).catch(() => {})
    return true
  }

  /** A signal that asks the process to end. */
  stop(): void {
    this.#requestEnd()
  }

  /** As if the venue answered only the standby. */
  handOver(): void {
    const { time } = this.#parts
    const act = () => void this.#member?.lease.handOver('the venue answers only the standby').catch(() => {})
    time.defer(() => this.machine.deliver(act))
  }

  kill(): void {
    this.#end()
  }

  /** Passes the disk to the next process of the machine. */
  crash(): void {
    if (this.#local !== undefined && !this.#isClosed) this.#parts.folder.crash(this.#local)
  }

  async #start(): Promise<void> {
    const { name, folder, link, time, clockOf, oracle, network, operations, terms } = this.#parts
    const { machine } = this
    const { signal } = this.#ending
    const shared = link.account(machine, account)
    const clock = clockOf(machine)
    await prepareFolder(folder.path, account, shared, `aside-${operations.count}`)
    signal.throwIfAborted()
    this.#local = folder.open(time, machine)
    const member = await joinFleet({
      shared,
      local: this.#onDisk(this.#local),
      terms: { holder: name, termMs },
      engine: engineVersion,
      clock,
      isStandby: true,
      onWaiting: () => {},
      onLost: (error) => this.#fail(error),
      signal,
    })
    this.#member = member
    const { lease, journal } = member
    const { epoch } = lease.taken
    const after = nonceMemoryAfter(lease.taken.trace, clock)
    const nonces = noncesOn(machine, { path: folder.noncePath, clock, mode: terms.nonce, after })
    await lease.keepTrace(passedTrace(nonces))
    signal.throwIfAborted()
    const toVenue = network.transport(machine)
    const transport: Transport = {
      send: (request, withinMs) => {
        oracle.departs(request, { epoch, machine: name, at: time.elapsed, isPaused: this.isPaused })
        machine.operation('leave')
        // A process that freezes here sends the request when it continues.
        return new Promise((resolve) => {
          machine.deliver(() => void toVenue.send(request, withinMs).then(resolve))
        })
      },
      close: () => toVenue.close(),
    }
    const { client, starting } = composeBot(this.#parts, {
      machine,
      clock,
      nonces,
      transport,
      mayCallMs: () => lease.remainingMs(),
      journal,
      signal,
      onBroken: (error) => this.#fail(error),
    })
    this.#client = client
    this.#trading = await starting
  }

  /** The disk of a process that can be killed at each write. */
  #onDisk(local: SqliteJournal<Engine>): Following {
    const write = (what: string, act: () => void) => {
      if (!this.machine.operation(what)) throw killed
      act()
    }
    return {
      machine: local.machine,
      recovery: local.recovery,
      get end() {
        return local.end
      },
      get stateAt() {
        return local.stateAt
      },
      get stored() {
        return local.stored
      },
      append: (event, outcome) => write('append', () => local.append(event, outcome)),
      commit: () => write('commit', () => local.commit()),
      adopt: (records, writer) => write('adopt', () => local.adopt(records, writer)),
      abandon: (error) => local.abandon(error),
      close: () =>
        write('close', () => {
          this.#isClosed = true
          local.close()
        }),
    }
  }

  #fail(error: unknown): void {
    if (this.machine.status === 'dead') return
    this.#isUnfit ||= error instanceof Unfit
    const isEnding = this.#ending.signal.aborted
    // A start that was ended by a signal has not failed.
    if (isEnding && error === this.#ending.signal.reason) return
    this.#hasFailed = true
    if (isEnding) return
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (!this.#isExpected(error)) this.#parts.oracle.fail('I22', `${this.name} ends with ${text}`)
    this.#requestEnd()
  }

  #isExpected(error: unknown): boolean {
    if (error instanceof Unfit || error instanceof ServerUnreachable) return true
    if (!(error instanceof BotError)) return false
    if (error.code === 'LEASE_LOST') return this.#parts.mayLose(this)
    return expectedCodes.has(error.code)
  }

  /** The process ends once its code has returned, as after a signal. Whatever hangs then, it ends some seconds later. */
  #requestEnd(): void {
    if (this.#ending.signal.aborted) return
    const { time } = this.#parts
    const { machine } = this
    this.#ending.abort(new Error('the process ends'))
    time.defer(() => machine.deliver(() => void this.#shutDown()))
    time.after(shutdownMsMost, () => machine.deliver(() => this.#end()))
  }

  /** Closes the parts in the order of `rungs run`. */
  async #shutDown(): Promise<void> {
    try {
      const ended = await this.#trading?.end()
      await ended?.closed
      await this.#client?.close()
      if (this.#local !== undefined) await (this.#member?.journal ?? this.#onDisk(this.#local)).close()
    } catch {
      // The lease was lost: the last records stay on the disk.
    }
    await this.#member?.lease.release({ hasFailed: this.#hasFailed })
    this.#end()
  }

  #end(): void {
    if (this.machine.status === 'dead') return
    this.machine.kill()
    this.#parts.onEnd(this, this.#isUnfit)
  }
}
