import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import type { ClientOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { Nonces, type NonceMemory } from '#src/venues/whitebit/client/calls/nonces.ts'
import { newTag } from '#src/engine/orders/order-ids.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Step } from '#src/engine/step-context.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import type { Signal } from '#src/strategy/signals/signal-values.ts'
import { whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { startTrading, Unfit, type Ground, type TradingRuntime } from '#src/runtime/compose/trading.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { FaultPlan } from './faults.ts'
import { killed, SimulatedMachine, MachineClock } from './simulated-machine.ts'
import type { SimulatedNetwork } from './simulated-network.ts'
import { amendmentId, type Oracle } from './oracle.ts'
import type { Commit, SimulatedFolder } from './simulated-folder.ts'
import { openSecret } from '#src/exchange/open-secret.ts'
import type { SimulatedTime } from './simulated-time.ts'
import type { SimulatedTerms } from './worlds.ts'

/** No output may contain the secret. */
export const botKey = { key: 'paper-key', secret: 'canary-secret-of-the-bot' }

export type BotProcessParts = {
  time: SimulatedTime
  beginsAt: number
  dice: SeededRandom
  plan: FaultPlan
  oracle: Oracle
  network: SimulatedNetwork
  folder: SimulatedFolder
  wall: { skewMs: number }
  /** Operations of all processes so far. */
  operations: { count: number }
  terms: SimulatedTerms
  files: readonly StrategyFile[]
  onEvents: (events: readonly BotEvent[]) => void
  /** The process has ended; `unfit` if its strategies do not fit the venue. */
  onEnd: (life: BotProcess, unfit: boolean) => void
}

/** The nonces of a process. `after` is what another machine knows of nonces of the key. */
export function noncesOn(
  machine: SimulatedMachine,
  about: {
    path: string
    clock: Clock
    mode: SimulatedTerms['nonce']
    after?: (own: NonceMemory) => NonceMemory
  },
): Nonces {
  const { path, clock, mode, after = (own) => own } = about
  const file = nonceFile(path)
  const memory: NonceMemory = {
    load: () => file.load(),
    save: (trace) => {
      if (machine.operation('nonce')) file.save(trace)
    },
  }
  return new Nonces({ clock, mode, memory: after(memory) })
}

/** Composes and starts a bot in a process, like `rungs run`. */
export function composeBot(
  parts: Pick<BotProcessParts, 'time' | 'dice' | 'network' | 'operations' | 'terms' | 'files' | 'onEvents'>,
  about: Pick<Ground, 'clock' | 'journal' | 'onBroken' | 'signal'> &
    Pick<ClientOptions, 'transport' | 'mayCallMs'> & { machine: SimulatedMachine; nonces: Nonces },
): { client: Client; starting: Promise<TradingRuntime> } {
  const { time, dice, network, operations, terms, files, onEvents } = parts
  const { machine, clock, nonces, transport, mayCallMs, journal, signal, onBroken } = about
  const random = () => dice.unit('client', operations.count)
  const client = createClient({
    transport,
    key: { credentials: { key: botKey.key, secret: openSecret(botKey.secret) }, nonces },
    clock,
    random,
    stopOnFailAnswer: terms.stopOnFailAnswer,
    ...(mayCallMs && { mayCallMs }),
  })
  let draws = 0
  const starting = startTrading(files, {
    venue: whitebitVenue({ client, clock, terms, openSocket: network.sockets(machine), random }),
    clock,
    tag: newTag(() => dice.unit('tag', draws++)),
    defer: (act) => time.defer(() => machine.deliver(act)),
    journal,
    prices: () => {
      throw new Error('this exchange tells its prices')
    },
    onEvents: (events) => {
      if (machine.status !== 'dead') onEvents(events)
    },
    onBroken,
    setsLeverage: true,
    ...(signal && { signal }),
  })
  return { client, starting }
}

/** One process of the bot, composed like `rungs run`. */
export class BotProcess {
  readonly machine: SimulatedMachine
  readonly #parts: BotProcessParts
  readonly #journal
  #trading: TradingRuntime | undefined
  #client: Client | undefined
  #pending: string[] = []
  #torn: { commit: Commit; share: number } | undefined
  /** Error of the disk. */
  #refusal: Error | undefined
  /** Steps after the last commit. */
  #appended = 0
  #killAfter = false

  constructor(parts: BotProcessParts, before?: string) {
    this.#parts = parts
    this.machine = new SimulatedMachine((what) => this.#operation(what))
    this.#journal = parts.folder.open(parts.time, this.machine)
    if (before !== undefined && JSON.stringify(this.state) !== before)
      parts.oracle.fail('I8', 'the journal gives another state than the process had when it was killed')
    this.#start()
  }

  get state(): State {
    return this.#journal.machine.state
  }

  /** Requests that wait in the client. */
  get waiting(): number {
    // The rows of the rates repeat calls of the other rows.
    const queues = this.#client?.lanes().filter(({ used }) => used === null) ?? []
    return queues.reduce((sum, { waiting }) => sum + waiting, 0)
  }

  /** Returns true once the command is effective. */
  operate(act: Extract<NewEvent, { kind: 'operator' }>): boolean {
    if (this.#trading === undefined || this.machine.status !== 'running') return false
    void this.#trading.bot.operate(act)
    return this.machine.status === 'running'
  }

  /** A process that does not run loses it. */
  signal(signal: Signal): void {
    if (this.machine.status === 'running') void this.#trading?.bot.signal(signal)
  }

  /** Passes the disk to the next process. Returns the state as text, if it was committed. */
  crash(): string | undefined {
    const isWhole = this.#appended === 0 && this.#torn === undefined
    const text = isWhole ? JSON.stringify(this.state) : undefined
    this.#parts.folder.crash(this.#journal, this.#torn)
    return text
  }

  #start(): void {
    const { time, beginsAt, wall, network, folder, terms } = this.#parts
    const { machine } = this
    const clock = new MachineClock({ time, beginsAt, machine, wall })
    const nonces = noncesOn(machine, { path: folder.noncePath, clock, mode: terms.nonce })
    const { client, starting } = composeBot(this.#parts, {
      machine,
      clock,
      nonces,
      transport: network.transport(machine),
      journal: {
        machine: this.#journal.machine,
        append: (event, step) => this.#append(() => this.#journal.append(event, step), step),
        commit: () => this.#commit(),
        abandon: () => {},
      },
      onBroken: (error) => this.#broken(error),
    })
    this.#client = client
    void starting.then(
      (trading) => (this.#trading = trading),
      (error: unknown) => this.#broken(error),
    )
  }

  #append(append: () => void, step: Step): void {
    // The engine has made the step: the state is ahead of the disk.
    this.#appended += 1
    if (!this.machine.operation('append')) throw killed
    append()
    for (const command of step.commands)
      if (command.kind === 'submit')
        for (const order of command.orders)
          this.#pending.push(order.amends ? amendmentId(order.amends.venueId, order) : order.id)
  }

  #commit(): void {
    if (!this.machine.operation('commit')) throw killed
    if (this.#refusal !== undefined) throw this.#refusal
    const { folder, oracle, dice, operations } = this.#parts
    const commit = folder.committing(() => this.#journal.commit())
    if (this.#killAfter) {
      if (commit !== undefined) this.#torn = { commit, share: dice.unit('torn', operations.count) }
      this.#end(false)
      throw killed
    }
    this.#appended = 0
    oracle.durable(this.#pending)
    this.#pending = []
  }

  #operation(what: string): void {
    const { operations, plan, time } = this.#parts
    operations.count += 1
    switch (plan.operation(operations.count, what, { at: time.elapsed, turn: time.turns })) {
      case undefined:
        return
      case 'killed before':
        this.#end(false)
        return
      case 'killed after':
        time.defer(() => this.#end(false))
        return
      case 'killed during a commit':
        this.#killAfter = true
        return
      case 'disk full':
        this.#refuse('ENOSPC')
        return
      case 'disk fails':
        this.#refuse('EIO')
        return
    }
  }

  #refuse(code: string): void {
    const { time, oracle } = this.#parts
    this.#refusal = new BotError('DATA_BROKEN', { seen: `the journal could not be written (${code})` })
    time.after(1000, () => {
      if (this.machine.status !== 'dead') oracle.fail('I9', 'the process goes on without a journal')
    })
  }

  #broken(error: unknown): void {
    if (this.machine.status === 'dead') return
    const { oracle } = this.#parts
    const code = error instanceof BotError ? error.code : undefined
    const isExpected = error === this.#refusal || code === 'VENUE_UNREACHABLE'
    if (!isExpected && !(error instanceof Unfit))
      oracle.fail('I22', `the process ends with ${error instanceof Error ? error.message : String(error)}`)
    this.#end(error instanceof Unfit)
  }

  #end(unfit: boolean): void {
    if (this.machine.status === 'dead') return
    this.machine.kill()
    this.#parts.onEnd(this, unfit)
  }
}
