import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { SeededRandom } from './seeded-random.ts'
import { FaultPlan } from './faults.ts'
import { botKey, BotProcess } from './bot-process.ts'
import { stepClock } from './bounds.ts'
import { SimulatedNetwork } from './simulated-network.ts'
import { Oracle } from './oracle.ts'
import { collateral, positions, type RawRead } from './oracle-ledger.ts'
import {
  beginsAt,
  limitsOf,
  marketsOf,
  observing,
  promisedIn,
  simulatedVenue,
  worldFor,
} from './world-settings.ts'
import { disagreements, leftOpen, lostMoney } from './final-checks.ts'
import { newRoot, SimulatedFolder } from './simulated-folder.ts'
import type { SimulatedExchange } from './simulated-exchange.ts'
import { SimulatedOperator } from './simulated-operator.ts'
import { SimulatedTime } from './simulated-time.ts'
import type { SimulationInput, SimulationResult } from './simulation.ts'
import { termsOf, worlds, type SimulatedTerms, type SimulatedWorld } from './worlds.ts'

const faultyMsUsually = 180_000
/** After the last fault, the bot and the exchange must agree within this time. */
const convergenceMs = 900_000
/** Positions must be closed sooner: by exits that wait for a price, some would be closed within that time, too. */
const closedMs = 60_000

/** Runs one strategy in one world under the faults of one seed, then without faults until all agree. */
export async function simulate(input: SimulationInput): Promise<SimulationResult> {
  const root = newRoot()
  const simulation = new Simulation(input, root)
  try {
    return await simulation.run()
  } finally {
    simulation.close()
    rmSync(root, { recursive: true, force: true })
  }
}

class Simulation {
  readonly #input: SimulationInput
  readonly #dice: SeededRandom
  readonly #time: SimulatedTime
  readonly #plan: FaultPlan
  readonly #venue: SimulatedExchange
  readonly #oracle: Oracle
  readonly #network: SimulatedNetwork
  readonly #operator: SimulatedOperator
  readonly #folder: SimulatedFolder
  readonly #trace = createHash('sha256')
  readonly #wall = { skewMs: 0 }
  readonly #operations = { count: 0 }
  readonly #terms: SimulatedTerms
  readonly #faultyMs: number
  readonly #markets: string[]
  readonly #read: RawRead
  /** Balance of the account at the start. */
  readonly #money: bigint
  #life: BotProcess | undefined
  #lives = 0
  #unfit = false
  #held = false
  /** The state of the process that was killed, if the disk held all of it. */
  #before: string | undefined

  constructor(input: SimulationInput, root: string) {
    const { seed, only, file, base } = input
    const { switches }: SimulatedWorld = worlds[input.world]
    this.#input = input
    this.#faultyMs = input.faultyMs ?? faultyMsUsually
    this.#dice = new SeededRandom(seed)
    this.#plan = new FaultPlan(this.#dice, only)
    this.#time = new SimulatedTime((count) => this.#dice.unit('tie', count))
    this.#folder = new SimulatedFolder(root)
    this.#markets = marketsOf(file)
    const world = worldFor(base, switches, file)
    this.#terms = termsOf(input.world)
    this.#venue = simulatedVenue({
      seed,
      world,
      markets: this.#markets,
      dice: this.#dice,
      time: this.#time,
      ms: this.#faultyMs + convergenceMs,
    })
    this.#read = observing(this.#venue)
    this.#money = collateral(this.#read)
    this.#oracle = new Oracle({
      read: this.#read,
      limits: limitsOf(file),
      promised: promisedIn(file),
      isStrict: this.#terms.nonce === 'strict',
    })
    this.#oracle.state = () => (this.#life?.machine.status === 'running' ? this.#life.state : undefined)
    this.#oracle.waiting = () => this.#life?.waiting ?? 0
    const [time, plan, venue, oracle, dice] = [this.#time, this.#plan, this.#venue, this.#oracle, this.#dice]
    this.#operator = new SimulatedOperator({ time, plan, oracle, life: () => this.#life })
    this.#network = new SimulatedNetwork({
      time,
      plan,
      venue,
      oracle,
      dice,
      trace: (line) => void this.#trace.update(line),
    })
  }

  async run(): Promise<SimulationResult> {
    this.#begin()
    this.#second(1)
    this.#operator.sendSignals(this.#input.file.read.strategy, this.#dice)
    if (this.#input.flattens) this.#time.after((this.#faultyMs * 2) / 3, () => this.#flatten())
    await this.#time.runUntil(this.#faultyMs)
    if (!this.#unfit) await this.#converge()
    const { seed, world, file } = this.#input
    const { operations, fired, steps } = this.#plan
    return {
      seed,
      world,
      strategy: file.read.strategy.name,
      requests: this.#network.calls,
      orders: this.#oracle.accepted.size,
      operations,
      lives: this.#lives,
      fired,
      steps,
      violations: this.#oracle.violations,
      traceHash: this.#trace.digest('hex'),
      held: this.#held,
      unfit: this.#unfit,
    }
  }

  #flatten(): void {
    this.#held = positions(this.#read).length > 0
    this.#operator.flatten()
  }

  close(): void {
    this.#life?.machine.kill()
    this.#life?.crash()
  }

  #begin(): void {
    if (this.#unfit) return
    this.#lives += 1
    this.#trace.update(`life ${this.#time.elapsed}\n`)
    const life = new BotProcess(
      {
        time: this.#time,
        beginsAt,
        dice: this.#dice,
        plan: this.#plan,
        oracle: this.#oracle,
        network: this.#network,
        folder: this.#folder,
        wall: this.#wall,
        operations: this.#operations,
        terms: this.#terms,
        files: [this.#input.file],
        onEvents: (events) => {
          const text = JSON.stringify(events)
          if (text.includes(botKey.secret)) this.#oracle.fail('I21', `a secret is in ${text.slice(0, 200)}`)
        },
        onEnd: (life, unfit) => this.#ended(life, unfit),
      },
      this.#before,
    )
    // The process may have ended during its start.
    if (life.machine.status !== 'dead') this.#life = life
  }

  #ended(life: BotProcess, unfit: boolean): void {
    this.#unfit ||= unfit
    this.#trace.update(`end ${this.#time.elapsed}\n`)
    this.#life = undefined
    // Deferred until the code of the process has returned.
    this.#time.defer(() => {
      this.#before = life.crash()
      this.#time.after(this.#dice.whole(50, 6000, 'restart', this.#lives), () => this.#begin())
    })
  }

  /** Faults of the computer, the network and the exchange, once a second. */
  #second(index: number): void {
    this.#time.after(1000, () => {
      if (!this.#plan.isActive) return
      this.#happen(index)
      this.#second(index + 1)
    })
  }

  #happen(index: number): void {
    const ms = 500 * 2 ** this.#dice.whole(0, 7, 'lasts', index)
    switch (this.#plan.second(index)) {
      case undefined:
        return
      case 'clock stepped':
        this.#wall.skewMs = this.#dice.pick(
          [3_600_000, -3_600_000, 70_000, -70_000, 8000, -8000, 0],
          'step',
          index,
        )
        return
      case 'process frozen': {
        const machine = this.#life?.machine
        machine?.freeze()
        this.#time.after(ms, () => machine?.thaw())
        return
      }
      case 'network down':
      case 'network silent': {
        this.#network.outage = this.#dice.pick(['refused', 'silent'] as const, 'outage', index)
        if (this.#network.outage === 'refused') this.#venue.cutStreams()
        this.#time.after(ms, () => (this.#network.outage = undefined))
        return
      }
      case 'streams cut':
        this.#venue.cutStreams()
        return
      case 'exchange restarted':
        this.#venue.commit()
        this.#venue.restart()
        return
      case 'operator stops':
        this.#operator.stopFor(ms)
        return
      case 'operator halts':
        this.#operator.haltFor(ms)
        return
    }
  }

  /** Without faults the bot must learn the true state, and then halt; or close everything. */
  async #converge(): Promise<void> {
    const { flattens, base, file } = this.#input
    this.#plan.isActive = false
    this.#network.outage = undefined
    this.#life?.machine.thaw()
    const until = this.#time.elapsed + (flattens ? closedMs : convergenceMs)
    await this.#time.runUntil(this.#time.elapsed + 30_000)
    let found = ['no process runs']
    while (this.#time.elapsed < until) {
      if (this.#oracle.halted === 'nothing' && !flattens) this.#operator.halt()
      const state = this.#oracle.halted === 'nothing' ? undefined : this.#oracle.state()
      if (state !== undefined) {
        found = disagreements(this.#read, state, this.#markets)
        if (flattens) found.push(...leftOpen(this.#read, base, file))
      }
      if (found.length === 0) break
      await this.#time.runUntil(this.#time.elapsed + 5000)
    }
    for (const each of found) this.#oracle.fail('I14', each)
    const [time, wall, oracle, venue] = [this.#time, this.#wall, this.#oracle, this.#venue]
    if (found.length === 0) await stepClock({ time, wall, oracle, venue })
    const lost = lostMoney(this.#read, this.#markets, this.#money)
    if (lost !== undefined) this.#oracle.fail('I13', lost)
  }
}
