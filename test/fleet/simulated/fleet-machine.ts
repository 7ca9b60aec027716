import type { Clock } from '#src/core/time/clock.ts'
import { SeededRandom } from '#src/research/simulate/seeded-random.ts'
import { SimulatedFolder } from '#src/research/simulate/simulated-folder.ts'
import { MachineClock, type SimulatedMachine } from '#src/research/simulate/simulated-machine.ts'
import { SimulatedNetwork } from '#src/research/simulate/simulated-network.ts'
import type { SimulatedExchange } from '#src/research/simulate/simulated-exchange.ts'
import type { SimulatedTime } from '#src/research/simulate/simulated-time.ts'
import { beginsAt } from '#src/research/simulate/world-settings.ts'
import type { FleetOracle } from './fleet-oracle.ts'
import { FleetProcess, termMs, type FleetProcessParts } from './fleet-process.ts'
import type { MemoryAccount } from './memory-account.ts'
import { ServerLink, type FleetServer } from './server-link.ts'
import type { Strike, StrikeChance, StrikeKind } from './strikes.ts'
import { lateMs, VenueFaults } from './venue-faults.ts'

type Parts = Pick<FleetProcessParts, 'terms' | 'files' | 'onEvents'> & {
  name: string
  seed: number
  root: string
  time: SimulatedTime
  venue: SimulatedExchange
  oracle: FleetOracle
  server: FleetServer
  rows: MemoryAccount
  trace: (line: string) => void
  /** The share of queries and requests with a fault. */
  faulty: number
  onUnfit: () => void
}

/** An error of the wall clock: none, some seconds, or about an hour. */
const skewsMs = [0, 0, 300, -300, 4000, -4000, 3_500_000, -3_500_000] as const
const armedMsMost = 5000
const restartMs = [50, 4000] as const
/** The service manager waits ever longer, up to a minute, if no process gets the lease. */
const shortLivesMost = 4
/** After a failure of the line or of the clock, a process may lose its lease until so much later. */
const troubleMs = 2 * termMs

/** A machine with its own folder, clocks and lines. Its service manager starts another process when one has ended. */
export class FleetMachine {
  readonly name: string
  readonly link: ServerLink
  readonly network: SimulatedNetwork
  readonly faults: VenueFaults
  readonly wall: { skewMs: number }
  process: FleetProcess | undefined
  readonly #parts: Parts
  readonly #dice: SeededRandom
  readonly #folder: SimulatedFolder
  readonly #operations = { count: 0 }
  /** Since the machine was started, without the time that it was suspended. */
  #monotonicMs: number
  #isSuspended = false
  #troubleAt = -Infinity
  #starts = 0
  /** Processes in a row that have ended without a lease. */
  #shortLives = 0
  #armed: { afterTake: boolean; left: number; act: (process: FleetProcess) => void } | undefined

  constructor(parts: Parts) {
    const { name, seed, root, time, venue, oracle, server, rows, trace, faulty } = parts
    this.#parts = parts
    this.name = name
    const dice = new SeededRandom(seed)
    this.#dice = dice
    this.#folder = new SimulatedFolder(root)
    this.#monotonicMs = dice.whole(1000, 1_000_000_000, 'started')
    this.wall = { skewMs: dice.pick(skewsMs, 'skew') }
    this.faults = new VenueFaults(dice, faulty)
    this.network = new SimulatedNetwork({ time, plan: this.faults, venue, oracle, dice, trace, lateMs })
    this.link = new ServerLink(server, { time, dice, rows, faulty: faulty / 4 })
  }

  begin(): void {
    this.#starts += 1
    const { time, oracle, terms, files, onEvents, trace } = this.#parts
    trace(`${time.elapsed} ${this.name} begins\n`)
    const process = new FleetProcess({
      time,
      dice: this.#dice,
      network: this.network,
      operations: this.#operations,
      terms,
      files,
      onEvents,
      folder: this.#folder,
      name: this.name,
      oracle,
      link: this.link,
      clockOf: (machine) => this.#clockOf(machine),
      onOperation: (which, what) => this.#count(which, what),
      mayLose: (which) => this.#mayLose(which),
      onEnd: (which, isUnfit) => this.#ended(which, isUnfit),
    })
    // It may have ended during its start.
    if (process.machine.status !== 'dead') this.process = process
  }

  /** The process stands still. If its machine is suspended, the monotonic clock does as well; if it is paused, both clocks do. */
  #freezeFor(ms: number, { stopsMonotonic = false, stopsWall = false }): void {
    const { time } = this.#parts
    const { process } = this
    if (process?.machine.status !== 'running') return
    process.machine.freeze()
    this.#isSuspended = stopsMonotonic
    time.after(ms, () => {
      if (stopsMonotonic) this.#monotonicMs -= ms
      if (stopsWall) this.wall.skewMs -= ms
      this.#isSuspended = false
      this.#troubleAt = time.elapsed
      process.machine.thaw()
    })
  }

  /** The strike comes at the operation of a process after so many others, or some seconds later. */
  strike({ kind, afterTake, afterOperations, chance }: Strike): void {
    const armed = { afterTake, left: afterOperations, act: (it: FleetProcess) => this.#hit(it, kind, chance) }
    this.#armed = armed
    this.#parts.time.after(armedMsMost, () => {
      if (this.#armed !== armed) return
      this.#armed = undefined
      if (this.process) armed.act(this.process)
    })
  }

  #count(process: FleetProcess, what: string): void {
    const armed = this.#armed
    if (armed === undefined) return
    if (what === 'told take') armed.afterTake = false
    if (armed.afterTake) return
    armed.left -= 1
    if (armed.left > 0) return
    this.#armed = undefined
    armed.act(process)
  }

  #hit(process: FleetProcess, kind: StrikeKind, chance: StrikeChance): void {
    const { time, server } = this.#parts
    const { ms, isSilent, skewMs, operations: afterOperations } = chance
    this.#parts.trace(`${time.elapsed} ${this.name} is ${kind} for ${ms} ms\n`)
    const outage = isSilent ? 'silent' : 'refused'
    switch (kind) {
      case 'killed':
        return process.kill()
      case 'stopped':
        return process.stop()
      case 'frozen':
        return this.#freezeFor(ms, {})
      case 'suspended':
        return this.#freezeFor(ms, { stopsMonotonic: true })
      case 'paused':
        process.isPaused = true
        return this.#freezeFor(ms, { stopsMonotonic: true, stopsWall: true })
      case 'cut from the server':
        return this.link.cutFor(ms, outage)
      case 'cut from both':
        this.#cutFromVenueFor(ms, outage)
        return this.link.cutFor(ms, outage)
      case 'cut from the venue, then killed':
        this.#cutFromVenueFor(ms, outage)
        return this.strike({ kind: 'killed', afterTake: false, afterOperations, chance })
      case 'cut from the venue, then frozen':
        this.#cutFromVenueFor(ms, outage)
        return this.strike({ kind: 'frozen', afterTake: false, afterOperations, chance })
      case 'handed over':
        return process.handOver()
      case 'server restarts':
        return server.restart(time, ms / 2)
      case 'clock stepped':
        if (this.#isSuspended) return
        this.wall.skewMs = skewMs
        this.#troubleAt = time.elapsed
        return
    }
  }

  /** Requests of the first second are still delivered, and late; then nothing gets through. */
  #cutFromVenueFor(ms: number, outage: 'refused' | 'silent'): void {
    const { time } = this.#parts
    this.faults.isCut = true
    time.after(1000, () => {
      if (this.faults.isCut) this.network.outage = outage
    })
    time.after(ms, () => {
      this.faults.isCut = false
      this.network.outage = undefined
    })
  }

  #clockOf(machine: SimulatedMachine): Clock {
    const { time } = this.#parts
    const clock = new MachineClock({ time, beginsAt, machine, wall: this.wall })
    return {
      now: () => clock.now(),
      monotonic: () => this.#monotonicMs + time.elapsed,
      sleep: (ms, signal) => clock.sleep(ms, signal),
    }
  }

  /** Without any trouble lately, the lease of a process is lost only if its folder had records that were never confirmed. */
  #mayLose(process: FleetProcess): boolean {
    const { time, oracle } = this.#parts
    if (process.epoch === undefined || !oracle.holds(process.epoch)) return true
    return time.elapsed - Math.max(this.#troubleAt, this.link.failedAt) < troubleMs
  }

  #ended(process: FleetProcess, isUnfit: boolean): void {
    const { time, trace, onUnfit } = this.#parts
    trace(`${time.elapsed} ${this.name} ends\n`)
    this.process = undefined
    if (isUnfit) return onUnfit()
    // Deferred until the code of the process has returned.
    time.defer(() => {
      process.crash()
      this.#shortLives = process.epoch === undefined ? Math.min(this.#shortLives + 1, shortLivesMost) : 0
      const pauseMs = this.#dice.whole(...restartMs, 'restart', this.#starts) * 2 ** this.#shortLives
      time.after(pauseMs, () => this.begin())
    })
  }
}
