import { systemClock } from '#src/core/time/clock.ts'
import { CommandChannel } from '#src/fleet/command-channel.ts'
import type { FleetCommand } from '#src/fleet/commands.ts'
import type { Database } from '#src/fleet/database.ts'
import { Lease } from '#src/fleet/lease.ts'
import type { MemberReport } from '#src/fleet/member-report.ts'
import { PostgresAccount } from '#src/fleet/postgres-account.ts'
import { textHash } from '#src/fleet/rollouts.ts'

export function rethrown(error: unknown): never {
  throw error
}

/** Of a bot with one strategy and no orders. */
export function memberReport(): MemberReport {
  const strategy = { name: 'sgrid', text: textHash('before'), running: true, halted: null, paused: false }
  return {
    version: '1',
    stopped: null,
    drift: null,
    lost: null,
    equity: '1000',
    alerts: 0,
    strategies: [{ ...strategy, flattening: null, result: '0', orders: 0, holdings: [] }],
  }
}

/** A process of a fleet with a bot that only notes its commands. */
export class FakeMember implements AsyncDisposable {
  readonly commands: FleetCommand[] = []
  readonly report: MemberReport
  readonly #lease: Lease
  readonly #channel: CommandChannel
  /** Its bot logs an error with the next text. */
  isFragile = false
  #text = 'before'

  private constructor(lease: Lease, channel: CommandChannel) {
    this.#lease = lease
    this.#channel = channel
    this.report = memberReport()
    channel.took(lease.taken.epoch)
    channel.serve({
      report: () => this.report,
      execute: (command) => Promise.resolve(this.#execute(command)),
      handOver: () => Promise.resolve(),
    })
  }

  static async start(database: Database, account: string, termMs: number): Promise<FakeMember> {
    const about = { database, clock: systemClock }
    const holder = `process of ${account}`
    const terms = { holder, termMs }
    const shared = new PostgresAccount(database, account)
    const lease = await Lease.take({ shared, clock: systemClock, terms, onLost: () => {} })
    if (!(lease instanceof Lease)) throw new Error(`${account} is taken`)
    return new FakeMember(
      lease,
      new CommandChannel({
        ...about,
        account,
        process: holder,
        reachesVenue: () => Promise.resolve(true),
        onBroken: rethrown,
      }),
    )
  }

  /** Its machine fails: the lease is not released. */
  async vanish(): Promise<void> {
    await this.#channel[Symbol.asyncDispose]()
    this.#lease.lose('the machine has failed')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel[Symbol.asyncDispose]()
    await this.#lease.release({ hasFailed: false })
  }

  #execute(command: FleetCommand): { refused: null; before?: string } {
    this.commands.push(command)
    if (command.kind === 'operate') {
      const [, body] = command.acts[0]!
      this.report.stopped = String(body['reason'])
      return { refused: null }
    }
    const before = this.#text
    this.#text = command.text
    this.report.strategies[0]!.text = textHash(command.text)
    if (this.isFragile && command.text !== 'before') this.report.alerts += 1
    return { refused: null, before }
  }
}
