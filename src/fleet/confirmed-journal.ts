import { BotError } from '#src/core/errors/bot-error.ts'
import type { Event } from '#src/engine/events.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { LogEnd } from '#src/core/log/hash-chain.ts'
import type { Journal, JournaledEngine, StepOutcome } from '#src/journal/port.ts'
import type { StoredRecord, StoredState } from '#src/journal/rebuild.ts'
import { ServerUnreachable, sqlState, type Database } from './database.ts'
import type { Lease } from './lease.ts'
import { bodyText } from './shared-records.ts'

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
  database: Database
  lease: Lease
  account: string
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

  async #sendGroup(group: readonly StoredRecord[]): Promise<void> {
    const { database, lease, account, engine } = this.#parts
    const { seq, link } = this.#confirmed
    const last: LogEnd = { seq: seq + group.length, link: String(group.at(-1)?.chain) }
    const { rows } = await database.query(confirmText, [
      account,
      lease.taken.epoch,
      seq,
      last.seq,
      engine,
      group.map(bodyText),
      group.map(({ chain }) => chain),
      link,
      last.link,
    ])
    // The answer to an earlier attempt was lost: the server has these records already.
    const own =
      rows.length > 0 ? undefined : await database.query(confirmedText, [account, lease.taken.epoch])
    if (own === undefined || own.rows[0]?.['link'] === last.link) {
      this.#confirmed = last
      return
    }
    throw lease.lose(`the server has confirmed records of another process for the account ${account}`)
  }

  /** A new machine starts with the newest state. The server keeps the state before it, and the records since then. */
  async #sendState(): Promise<void> {
    const { local, database } = this.#parts
    const { stateAt } = local
    if (stateAt <= this.#statesSent || stateAt > this.#confirmed.seq) return
    const [state] = wholeStates(local)
    if (state === undefined) return
    await this.#insist(() => database.query(stateText, this.#valuesOf(state)))
    this.#statesSent = state.seq
  }

  async #beginAt(state: StoredState): Promise<void> {
    const { database, account, lease } = this.#parts
    await database.query(stateText, this.#valuesOf(state))
    await database.query(
      'UPDATE rungs.leases SET confirmed = $3, link = $4 WHERE account = $1 AND epoch = $2 AND confirmed = 0',
      [account, lease.taken.epoch, state.seq, state.chain],
    )
    this.#confirmed = { seq: state.seq, link: state.chain }
    this.#statesSent = state.seq
  }

  #valuesOf({ seq, engine, chain, hash, proof, state }: StoredState): unknown[] {
    const { account, lease } = this.#parts
    return [account, lease.taken.epoch, seq, engine, chain, hash, proof, state]
  }

  /** Retries while the lease lasts. */
  async #insist(act: () => Promise<unknown>): Promise<void> {
    const { lease, clock, database } = this.#parts
    for (;;) {
      try {
        await act()
        return
      } catch (error) {
        if (sqlState(error) === duplicateKey)
          throw lease.lose('the server has other records with these numbers')
        if (!(error instanceof ServerUnreachable)) throw error
        if (lease.remainingMs() === 0) throw lease.lose(`${database.name} did not confirm records in time`)
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

const duplicateKey = '23505'

/** The update locks the row of the lease until the records are durable: no other process can take it in between. */
const confirmText = `
  WITH held AS (
    UPDATE rungs.leases SET confirmed = $4, link = $9
    WHERE account = $1 AND epoch = $2 AND confirmed = $3 AND link = $8 AND expires > clock_timestamp()
    RETURNING 1
  ), added AS (
    INSERT INTO rungs.records (account, seq, epoch, engine, body, chain)
    SELECT $1, $3::bigint + place, $2, $5, body, chain
    FROM held, unnest($6::text[], $7::text[]) WITH ORDINALITY AS record(body, chain, place)
    RETURNING 1
  )
  SELECT pg_notify('rungs', $1) FROM (SELECT count(*) AS n FROM added) AS counted WHERE n > 0`

const confirmedText = `SELECT link FROM rungs.leases WHERE account = $1 AND epoch = $2`

const stateText = `
  WITH held AS (
    SELECT 1 FROM rungs.leases WHERE account = $1 AND epoch = $2 AND expires > clock_timestamp()
  ), kept AS (
    INSERT INTO rungs.states SELECT $1, $3, $4, $5, $6, $7, $8 FROM held
    ON CONFLICT DO NOTHING RETURNING 1
  ), before AS (
    SELECT seq FROM rungs.states, held WHERE account = $1 AND seq < $3 ORDER BY seq DESC LIMIT 1
  ), older AS (
    DELETE FROM rungs.states USING before WHERE account = $1 AND states.seq < before.seq
  )
  DELETE FROM rungs.records USING before WHERE account = $1 AND records.seq <= before.seq`
