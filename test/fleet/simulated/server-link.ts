import { ServerUnreachable } from '#src/fleet/database.ts'
import type { SharedAccount } from '#src/fleet/shared-account.ts'
import type { SeededRandom } from '#src/research/simulate/seeded-random.ts'
import { never, type SimulatedMachine } from '#src/research/simulate/simulated-machine.ts'
import type { SimulatedTime } from '#src/research/simulate/simulated-time.ts'
import type { MemoryAccount } from './memory-account.ts'

const latencyMs = [1, 25] as const
const lateMs = [100, 4000] as const
/** As `--fleet` sets it for a lease of 2 s. */
const queryMs = 1000
const faults = ['query lost', 'query late', 'answer lost'] as const

type Parts = {
  time: SimulatedTime
  dice: SeededRandom
  rows: MemoryAccount
  /** The share of queries with a fault. */
  faulty: number
}

/** A server of a fleet that all links of a simulation lead to. */
export class FleetServer {
  isDown = false
  readonly #onRestart = new Set<() => void>()

  /** The server crashes, and starts again after this time with all that it has stored. */
  restart(time: SimulatedTime, ms: number): void {
    if (this.isDown) return
    this.isDown = true
    for (const act of this.#onRestart) act()
    time.after(ms, () => (this.isDown = false))
  }

  onRestart(act: () => void): () => void {
    this.#onRestart.add(act)
    return () => this.#onRestart.delete(act)
  }
}

/** The line between one machine and the server of the fleet, with latency and faults. */
export class ServerLink {
  /** Connections are refused, or nothing comes through: then some queries arrive when the line is whole again. */
  outage: 'refused' | 'silent' | undefined
  isFaulty = true
  /** When a query last failed. */
  failedAt = -Infinity
  readonly #server: FleetServer
  readonly #about: Parts
  #held: (() => void)[] = []
  #queries = 0

  constructor(server: FleetServer, about: Parts) {
    this.#server = server
    this.#about = about
  }

  cutFor(ms: number, outage: 'refused' | 'silent'): void {
    this.outage = outage
    this.#about.time.after(ms, () => {
      this.outage = undefined
      for (const arrive of this.#held.splice(0)) arrive()
    })
  }

  /** What a process of this machine sees of the server. */
  account(machine: SimulatedMachine, account: string): SharedAccount {
    const { rows } = this.#about
    const ask = <Answer>(what: string, act: () => Answer, withinMs = queryMs) =>
      this.#ask(machine, what, act, withinMs)
    return {
      account,
      server: 'the simulated server',
      holder: () => ask('holder', () => rows.holder()),
      take: (terms) => ask('take', () => rows.take(terms)),
      renew: (epoch, { termMs, withinMs }, trace) =>
        ask('renew', () => rows.renew(epoch, { termMs }, trace), withinMs),
      release: (epoch, about) => ask('release', () => rows.release(epoch, about)),
      forgetFailures: (epoch) => ask('forget', () => rows.forgetFailures(epoch)),
      confirm: (epoch, before, group) => ask('confirm', () => rows.confirm(epoch, before, group)),
      beginAt: (epoch, state) => ask('begin', () => rows.beginAt(epoch, state)),
      keepState: (epoch, state) => ask('state', () => rows.keepState(epoch, state)),
      after: (seq) => ask('records', () => rows.after(seq)),
      linkAfter: (seq) => ask('link', () => rows.linkAfter(seq)),
      confirmed: () => ask('confirmed', () => rows.confirmed()),
      newestState: () => ask('newest state', () => rows.newestState()),
      listen: (heard, signal) => this.#listen(machine, heard, signal),
    }
  }

  #ask<Answer>(
    machine: SimulatedMachine,
    what: string,
    act: () => Answer,
    withinMs: number,
  ): Promise<Answer> {
    if (!machine.operation(`ask ${what}`)) return never()
    const { time } = this.#about
    this.#queries += 1
    const query = this.#queries
    return new Promise((resolve, reject) => {
      let isSettled = false
      const settle = (done: () => void) => {
        if (isSettled) return
        isSettled = true
        cancel()
        machine.deliver(() => {
          if (machine.operation(`told ${what}`)) done()
        })
      }
      const fail = (why: string) => {
        this.failedAt = time.elapsed
        settle(() => reject(new ServerUnreachable(why)))
      }
      const cancel = time.after(withinMs, () => fail('no answer in time'))
      // A process that freezes here sends the query when it continues.
      machine.deliver(() =>
        this.#send(query, act, { answered: (answer) => settle(() => resolve(answer)), fail }),
      )
    })
  }

  #send<Answer>(
    query: number,
    act: () => Answer,
    { answered, fail }: { answered: (answer: Answer) => void; fail: (why: string) => void },
  ): void {
    const { time, dice } = this.#about
    const [there, back] = [this.#latency(query, 0), this.#latency(query, 1)]
    const fault = this.#fault(query)
    const arrive = () => {
      if (this.#server.isDown) return fail('the server restarts')
      const answer = act()
      if (fault === 'answer lost') return
      time.after(back, () => {
        if (this.outage === undefined) answered(answer)
      })
    }
    if (this.outage === 'refused' || this.#server.isDown)
      time.after(there, () => fail('the connection is refused'))
    else if (this.outage === 'silent') {
      if (dice.unit('held', query) < 0.5) this.#held.push(arrive)
    } else if (fault !== 'query lost')
      time.after(fault === 'query late' ? dice.whole(...lateMs, 'late query', query) : there, arrive)
  }

  #listen(machine: SimulatedMachine, heard: () => void, signal: AbortSignal): Promise<void> {
    if (!machine.operation('listen')) return never()
    const { time, rows } = this.#about
    if (this.outage !== undefined || this.#server.isDown)
      return Promise.reject(new ServerUnreachable('the connection is refused'))
    return new Promise((resolve) => {
      const end = () => {
        ending.dispose()
        machine.deliver(resolve)
      }
      const ending = new DisposableStack()
      ending.defer(
        rows.listen(() => {
          if (this.outage === undefined)
            time.after(this.#latency(this.#queries, 2), () => machine.deliver(heard))
        }),
      )
      ending.defer(this.#server.onRestart(end))
      signal.addEventListener('abort', end, { once: true })
      machine.onKilled(() => ending.dispose())
    })
  }

  #fault(query: number): (typeof faults)[number] | undefined {
    const { dice, faulty } = this.#about
    return this.isFaulty && dice.unit('query', query) < faulty
      ? dice.pick(faults, 'query', query, 1)
      : undefined
  }

  #latency(query: number, draw: number): number {
    return this.#about.dice.whole(...latencyMs, 'server', query, draw)
  }
}
