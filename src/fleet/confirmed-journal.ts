import { BotError } from '#src/core/errors/bot-error.ts'
import type { Event } from '#src/engine/events.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { LogEnd } from '#src/core/log/hash-chain.ts'
import type { Journal, JournaledEngine, StepOutcome } from '#src/journal/port.ts'
import type { StoredRecord, StoredState } from '#src/journal/rebuild.ts'
import { ServerUnreachable } from './database.ts'
import type { Lease } from './lease.ts'
import type { SharedAccount } from './shared-account.ts'

/** The journal of this machine, and what it has stored. */
export type LocalJournal<M extends JournaledEngine> = Omit<Journal<M>, 'commit'> & {
  commit(): void
  readonly end: LogEnd
  /** The record after which the newest whole state was stored. */
  readonly stateAt: number
  readonly stored: {
    records(after: number, last: number): Iterable<StoredRecord>
    record(seq: number): StoredRecord
    /** The newest one first; those without their text are hashes of a state. */
    states(): Iterable<StoredState>
  }
}

type Parts<M extends JournaledEngine> = {
  local: LocalJournal<M>
  shared: SharedAccount
  lease: Lease
  engine: string
  clock: Clock
}

/** Steps without commands are confirmed after this time, so that other machines can follow. */
const followMs = 100
/** Pause before the next attempt when the server does not answer. */
const retryMs = 50
/** One statement of the server. */
const recordsMost = 1000

/**
 * A journal of which each record is also at the server of the fleet before its commands leave. The server accepts records only
 * from the holder of the lease, and only in the order of the journal.
 */
export class ConfirmedJournal<M extends JournaledEngine> implements Journal<M> {
  readonly machine: M
  readonly recovery
  readonly #parts: Parts<M>
  #confirmed: LogEnd
  /** The last record that is on the disk of this machine. */
  #durable: number
  #statesSent: number
  #confirming: Promise<void> = Promise.resolve()
  /** A confirmation is due without a command. */
  #isDue = false
  #failure: { error: unknown } | undefined

  constructor(parts: Parts<M>) {
    const { local, lease } = parts
    this.#parts = parts
    this.machine = local.machine
    this.recovery = local.recovery
    this.#confirmed = lease.taken.confirmed
    this.#durable = local.end.seq
    this.#statesSent = lease.taken.confirmed.seq
  }

  /**
   * Shares what this machine had before: a journal that the server does not know begins there with its state. A journal that
   * does not continue the records of the server may not trade.
   */
  async begin(): Promise<void> {
    const { local } = this.#parts
    if (this.#confirmed.seq > 0 && linkIn(local, this.#confirmed.seq) !== this.#confirmed.link)
      throw diverged()
    if (this.#confirmed.seq === 0 && local.end.seq > 0) {
      const [state] = wholeStates(local)
      if (state !== undefined) await this.#insist(() => this.#beginAt(state))
    }
    await this.#confirm()
  }

  append(event: Event, outcome: StepOutcome): void {
    this.#refuseFailed()
    this.#parts.local.append(event, outcome)
    if (this.#isDue) return
    this.#isDue = true
    void this.#confirmSoon()
  }

  /** Resolves once this machine and the server have all appended steps. */
  commit(): Promise<void> {
    this.#refuseFailed()
    this.#parts.local.commit()
    this.#durable = this.#parts.local.end.seq
    return this.#confirm()
  }

  abandon(error: unknown): void {
    this.#failure ??= { error }
    this.#parts.local.abandon(error)
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) await this.commit()
    this.#failure ??= { error: new Error('the journal is closed') }
    await this.#parts.local.close()
  }

  async #confirmSoon(): Promise<void> {
    await this.#parts.clock.sleep(followMs)
    this.#isDue = false
    if (this.#failure !== undefined) return
    try {
      await this.commit()
    } catch (error) {
      // The next call of the driver reports it.
      this.#failure ??= { error }
    }
  }

  /** One after the other: the server accepts records only in their order. */
  #confirm(): Promise<void> {
    const confirming = this.#confirming.catch(() => {}).then(() => this.#send())
    this.#confirming = confirming
    return confirming
  }

  async #send(): Promise<void> {
    const { local } = this.#parts
    for (;;) {
      const group: StoredRecord[] = []
      for (const record of local.stored.records(this.#confirmed.seq, this.#durable)) {
        group.push(record)
        if (group.length === recordsMost) break
      }
      if (group.length === 0) break
      await this.#insist(() => this.#sendGroup(group))
    }
    await this.#sendState()
  }

  async #sendGroup(records: StoredRecord[]): Promise<void> {
    const { shared, lease, engine } = this.#parts
    if (!(await shared.confirm(lease.taken.epoch, this.#confirmed, { engine, records })))
      throw lease.lose(`the server has records of another process for the account ${shared.account}`)
    this.#confirmed = { seq: this.#confirmed.seq + records.length, link: String(records.at(-1)?.chain) }
  }

  /** A new machine starts with the newest state. The server keeps the state before it, and the records since then. */
  async #sendState(): Promise<void> {
    const { local, shared, lease } = this.#parts
    const { stateAt } = local
    if (stateAt <= this.#statesSent || stateAt > this.#confirmed.seq) return
    const [state] = wholeStates(local)
    if (state === undefined) return
    await this.#insist(() => shared.keepState(lease.taken.epoch, state))
    this.#statesSent = state.seq
  }

  async #beginAt(state: StoredState): Promise<void> {
    const { shared, lease } = this.#parts
    await shared.beginAt(lease.taken.epoch, state)
    this.#confirmed = { seq: state.seq, link: state.chain }
    this.#statesSent = state.seq
  }

  /** Retries while the lease lasts. */
  async #insist(act: () => Promise<unknown>): Promise<void> {
    const { lease, clock, shared } = this.#parts
    for (;;) {
      try {
        await act()
        return
      } catch (error) {
        if (!(error instanceof ServerUnreachable)) throw error
        if (lease.remainingMs() === 0) throw lease.lose(`${shared.server} did not confirm records in time`)
      }
      await clock.sleep(retryMs)
    }
  }

  #refuseFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

/** The next start moves the journal aside. */
export function diverged(): BotError {
  return new BotError('LEASE_LOST', {
    seen: 'the journal of this folder has records that the fleet never confirmed, and another process has continued',
    fix: 'Start the bot again: it continues with the records of the fleet',
  })
}

function linkIn<M extends JournaledEngine>({ end, stored }: LocalJournal<M>, seq: number): unknown {
  return seq === end.seq ? end.link : stored.record(seq).chain
}

/** The whole states of a journal, the newest one first. */
function* wholeStates<M extends JournaledEngine>({ stored }: LocalJournal<M>): Iterable<StoredState> {
  for (const state of stored.states()) if (state.state !== null) yield state
}
