import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '#src/exchange/world-file.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { botKey } from '#src/research/simulate/bot-process.ts'
import { disagreements, lostMoney } from '#src/research/simulate/final-checks.ts'
import { collateral, type RawRead } from '#src/research/simulate/oracle-ledger.ts'
import { SeededRandom } from '#src/research/simulate/seeded-random.ts'
import { newRoot } from '#src/research/simulate/simulated-folder.ts'
import type { SimulatedExchange } from '#src/research/simulate/simulated-exchange.ts'
import { SimulatedTime } from '#src/research/simulate/simulated-time.ts'
import {
  beginsAt,
  limitsOf,
  marketsOf,
  observing,
  promisedIn,
  simulatedVenue,
  worldFor,
} from '#src/research/simulate/world-settings.ts'
import { termsOf, worlds, type SimulatedWorld, type WorldName } from '#src/research/simulate/worlds.ts'
import { FleetMachine } from './fleet-machine.ts'
import { FleetOracle, type LateRequests } from './fleet-oracle.ts'
import type { FleetProcess } from './fleet-process.ts'
import { MemoryAccount } from './memory-account.ts'
import { FleetServer } from './server-link.ts'
import { strikesOf, type StrikePair } from './strikes.ts'

export type FleetSimulationInput = { seed: number; world: WorldName; file: StrategyFile; base: World }

export type FleetSimulationResult = {
  strategy: string
  strikes: readonly StrikePair[]
  /** How often another machine has traded than before. */
  takeOvers: number
  late: Readonly<LateRequests>
  orders: number
  violations: readonly string[]
  traceHash: string
  /** The strategy does not fit this world and was not run. */
  isUnfit: boolean
}

/** The longest run, with ten minutes in which no process may trade after three failures. */
const runMs = 1_800_000
const stepMs = 50
const tradingMs = [300, 6000] as const
const startMsMost = 120_000
const takeOverMsMost = 20_000
const convergenceMs = 900_000

/** Two machines trade for one account under the strikes of one seed, then without faults until all agree. */
export async function simulateFleet(input: FleetSimulationInput): Promise<FleetSimulationResult> {
  const root = newRoot()
  const simulation = new FleetSimulation(input, root)
  try {
    return await simulation.run()
  } finally {
    simulation.close()
    rmSync(root, { recursive: true, force: true })
  }
}

class FleetSimulation {
  readonly #input: FleetSimulationInput
  readonly #dice: SeededRandom
  readonly #time: SimulatedTime
  readonly #venue: SimulatedExchange
  readonly #oracle: FleetOracle
  readonly #rows: MemoryAccount
  readonly #server = new FleetServer()
  readonly #machines: readonly FleetMachine[]
  readonly #markets: string[]
  readonly #read: RawRead
  readonly #money: bigint
  readonly #trace = createHash('sha256')
  #isUnfit = false

  constructor(input: FleetSimulationInput, root: string) {
    const { seed, file, base } = input
    const { switches }: SimulatedWorld = worlds[input.world]
    const terms = termsOf(input.world)
    this.#input = input
    const dice = new SeededRandom(seed)
    const time = new SimulatedTime((count) => dice.unit('tie', count))
    this.#dice = dice
    this.#time = time
    this.#markets = marketsOf(file)
    const world = worldFor(base, switches, file)
    this.#venue = simulatedVenue({ seed, world, markets: this.#markets, dice, time, ms: runMs })
    this.#read = observing(this.#venue)
    this.#money = collateral(this.#read)
    const oracle = new FleetOracle({
      read: this.#read,
      limits: limitsOf(file),
      promised: promisedIn(file),
      isStrict: terms.nonce === 'strict',
    })
    this.#oracle = oracle
    const serverSkewMs = dice.whole(-3_600_000, 3_600_000, 'clock of the server')
    const now = () => beginsAt + time.elapsed + serverSkewMs
    this.#rows = new MemoryAccount(now, oracle)
    oracle.holds = (epoch) => this.#rows.holds(epoch)
    oracle.state = () => this.#holder()?.state
    oracle.waiting = () => this.#holder()?.waiting ?? 0
    const faulty = dice.pick([0, 0.03, 0.15], 'share of faults')
    this.#machines = ['one', 'two'].map((name, n) => {
      mkdirSync(join(root, name))
      return new FleetMachine({
        name,
        seed: seed * 2 + n,
        root: join(root, name),
        time,
        venue: this.#venue,
        oracle,
        server: this.#server,
        rows: this.#rows,
        terms,
        files: [file],
        faulty,
        trace: (line) => void this.#trace.update(line),
        onEvents: (events) => {
          const text = JSON.stringify(events)
          if (text.includes(botKey.secret)) oracle.fail('I21', `a secret is in ${text.slice(0, 200)}`)
        },
        onUnfit: () => (this.#isUnfit = true),
      })
    })
  }

  async run(): Promise<FleetSimulationResult> {
    const strikes = strikesOf(this.#dice)
    for (const [n, machine] of this.#machines.entries())
      this.#time.after(this.#dice.whole(0, 3000, 'first start', n), () => machine.begin())
    for (const [n, strike] of strikes.entries()) {
      if (this.#isUnfit) break
      await this.#strike(n, strike)
    }
    if (!this.#isUnfit) await this.#converge()
    const { takeOvers, late, accepted, violations } = this.#oracle
    return {
      strategy: this.#input.file.read.strategy.name,
      strikes,
      takeOvers,
      late,
      orders: accepted.size,
      violations,
      traceHash: this.#trace.digest('hex'),
      isUnfit: this.#isUnfit,
    }
  }

  close(): void {
    for (const { process } of this.#machines) {
      process?.machine.kill()
      process?.crash()
    }
  }

  /** The process with the newest lease, while it runs. */
  #holder(): FleetProcess | undefined {
    return this.#machines
      .map(({ process }) => process)
      .find((process) => process?.machine.status === 'running' && process.epoch === this.#rows.epoch)
  }

  #tradingMachine(): FleetMachine | undefined {
    const holder = this.#holder()
    const isTrading = holder?.isTrading === true && holder.epoch === this.#oracle.tradingEpoch
    return isTrading ? this.#machines.find(({ process }) => process === holder) : undefined
  }

  /** Once a process trades, the strike hits it; then the next process has some time to take over. */
  async #strike(n: number, { holder, standby }: StrikePair): Promise<void> {
    const time = this.#time
    await this.#until(() => this.#tradingMachine() !== undefined, startMsMost)
    await time.runUntil(time.elapsed + this.#dice.whole(...tradingMs, 'trades', n))
    const machine = this.#tradingMachine()
    const other = this.#machines.find((each) => each !== machine)
    if (machine === undefined) return
    const epoch = this.#oracle.tradingEpoch
    machine.strike(holder)
    if (standby !== undefined)
      time.after(this.#dice.whole(0, 3000, 'on the standby', n), () => other?.strike(standby))
    await this.#until(() => this.#oracle.tradingEpoch > epoch, takeOverMsMost)
  }

  async #until(condition: () => boolean, mostMs: number): Promise<void> {
    const until = this.#time.elapsed + mostMs
    while (!condition() && this.#time.elapsed < until && !this.#isUnfit)
      await this.#time.runUntil(this.#time.elapsed + stepMs)
  }

  /** Without faults the bot must learn the true state, and then halt. */
  async #converge(): Promise<void> {
    const time = this.#time
    for (const { link, faults } of this.#machines) {
      link.isFaulty = false
      faults.isActive = false
    }
    // What still lasts of a strike ends meanwhile.
    await time.runUntil(time.elapsed + 30_000)
    const until = time.elapsed + convergenceMs
    let found: (readonly [rule: string, what: string])[] = [['I14', 'no process trades']]
    while (time.elapsed < until) {
      const trading = this.#tradingMachine()?.process
      if (trading !== undefined && this.#oracle.halted === 'nothing') {
        const act = {
          kind: 'operator',
          act: 'halt',
          strategy: null,
          reason: 'simulated',
          freeze: true,
        } as const
        if (trading.operate(act)) this.#oracle.halted = 'all'
      }
      if (trading?.state !== undefined && this.#oracle.halted === 'all')
        found = [
          ...disagreements(this.#read, trading.state, this.#markets).map((each) => ['I14', each] as const),
          ...this.#machines.flatMap((machine) => this.#journalFaults(machine)),
        ]
      if (found.length === 0) break
      await time.runUntil(time.elapsed + 5000)
    }
    for (const [rule, what] of found) this.#oracle.fail(rule, what)
    const lost = lostMoney(this.#read, this.#markets, this.#money)
    if (lost !== undefined) this.#oracle.fail('I13', lost)
  }

  #journalFaults({ name, process }: FleetMachine): (readonly [rule: string, what: string])[] {
    const seq = Math.min(process?.end?.seq ?? 0, this.#rows.confirmed())
    if (process === undefined || seq === 0) return [['F4', `${name} has no records`]]
    if (process.linkAfter(seq) === this.#rows.linkAfter(seq)) return []
    return [['F4', `record ${seq} of ${name} is another one than at the server`]]
  }
}
