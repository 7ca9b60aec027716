import type { LogEnd } from '#src/core/log/hash-chain.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { ServerUnreachable, type Database } from './database.ts'

/** `holder` names the process for people. */
export type LeaseTerms = { account: string; holder: string; termMs: number }

/** The lease of another process, and how many processes have lost it lately. */
export type HeldByOther = { holder: string; remainingMs: number; failures: number }

/** What the next holder must know of the calls of this one, as a text that it has written itself. */
export type Trace = { text: string; /** How long ago the holder wrote it. */ agoMs: number }

/** What the last holder has left: the last confirmed record with its link, and its trace. */
export type Taken = { epoch: number; confirmed: LogEnd; trace: Trace | undefined }

/** After so many failures within so many minutes, something ends each process that trades, and a further one would not help. */
const failuresMost = 3
const failureMinutes = 10

/** The server may fail to answer all but one of them. */
const renewalsPerTerm = 4

/**
 * The right to trade for one account. The clock of the server decides when it ends. The holder measures the term from before
 * its own request by two clocks, so that the term ends earlier for the holder, also if the process was stopped meanwhile.
 */
export class Lease {
  readonly taken: Taken
  readonly #database: Database
  readonly #terms: LeaseTerms
  readonly #clock: Clock
  readonly #onLost: (error: BotError) => void
  readonly #ending = new AbortController()
  readonly #renewing: Promise<void>
  #until: { monotonic: number; wall: number }
  #lost: BotError | undefined
  /** Writes the trace of our own calls, with those to come within a time. */
  #trace: ((withinMs: number) => string) | undefined

  private constructor(
    { database, terms, clock, onLost }: LeaseParts,
    taken: Taken,
    until: { monotonic: number; wall: number },
  ) {
    this.taken = taken
    this.#database = database
    this.#terms = terms
    this.#clock = clock
    this.#onLost = onLost
    this.#until = until
    this.#renewing = this.#renew()
  }

  /** The lease, or who has it. Refuses an account of which process after process has failed. */
  static async take(parts: LeaseParts): Promise<Lease | HeldByOther> {
    const { database, terms, clock } = parts
    // This query needs no lock. A lock would delay the records of the holder.
    const held = await holderOf(database, terms.account)
    if (held !== undefined && held.remainingMs > 0) return held
    if (held !== undefined && held.failures >= failuresMost) throw failing(terms.account, held)
    const until = endOf(clock, terms.termMs)
    const { rows } = await database.query(takeText, [terms.account, terms.holder, terms.termMs])
    const [row] = rows
    if (row === undefined) return (await holderOf(database, terms.account)) ?? unknownHolder
    const { trace: text } = row
    const taken = {
      epoch: Number(row['epoch']),
      confirmed: { seq: Number(row['confirmed']), link: String(row['link']) },
      trace: typeof text === 'string' ? { text, agoMs: Number(row['trace_ago']) } : undefined,
    }
    return new Lease(parts, taken, until)
  }

  /**
   * From here on, each renewal stores the trace of our own calls for the time until the lease would end. Resolves when the first
   * one is stored: no call may leave before.
   */
  async keepTrace(trace: (withinMs: number) => string): Promise<void> {
    this.#trace = trace
    await this.#renewOnce()
    if (this.remainingMs() === 0) throw this.lose(`${this.#database.name} did not renew it in time`)
  }

  /** How long this process may still send requests; 0 once the lease is lost. */
  remainingMs(): number {
    if (this.#lost !== undefined) return 0
    const { monotonic, wall } = this.#until
    return Math.max(0, Math.min(monotonic - this.#clock.monotonic(), wall - this.#clock.now()))
  }

  /** Another process has the lease, or may have it. */
  lose(seen: string): BotError {
    return this.#end(new BotError('LEASE_LOST', { seen }))
  }

  /**
   * Lets the lease end, so that a standby takes it. Until then, requests in flight may still arrive; no other one leaves. The
   * start of this process is no failure.
   */
  async handOver(seen: string): Promise<void> {
    this.#end(new BotError('HANDED_OVER', { seen }))
    await this.#database.query("UPDATE rungs.leases SET starts = '{}' WHERE account = $1 AND epoch = $2", [
      this.#terms.account,
      this.taken.epoch,
    ])
  }

  #end(error: BotError): BotError {
    if (this.#lost === undefined) {
      this.#lost = error
      this.#ending.abort()
      this.#onLost(error)
    }
    return this.#lost
  }

  /** Frees the account for the next process at once. After an error the start of this process still counts as a failure. */
  async release({ hasFailed }: { hasFailed: boolean }): Promise<void> {
    this.#ending.abort()
    await this.#renewing
    const { account } = this.#terms
    if (this.#lost !== undefined) return
    this.#lost = new BotError('LEASE_LOST', { seen: 'it was released' })
    try {
      await this.#database.query(releaseText, [
        account,
        this.taken.epoch,
        this.#trace?.(0) ?? null,
        hasFailed,
      ])
    } catch (error) {
      // It ends by itself.
      if (!(error instanceof ServerUnreachable)) throw error
    }
  }

  async #renew(): Promise<void> {
    const { termMs } = this.#terms
    const { signal } = this.#ending
    while (!signal.aborted) {
      await this.#clock.sleep(termMs / renewalsPerTerm, signal).catch(() => {})
      if (signal.aborted) return
      await this.#renewOnce()
      if (this.#lost === undefined && this.remainingMs() === 0)
        this.lose(`${this.#database.name} did not renew it in time`)
    }
  }

  async #renewOnce(): Promise<void> {
    const { account, termMs } = this.#terms
    const until = endOf(this.#clock, termMs)
    try {
      const values = [account, this.taken.epoch, termMs, this.#trace?.(termMs) ?? null]
      const { rowCount } = await this.#database.query(renewText, values)
      if (rowCount === 0) this.lose(`another process trades for the account ${account}`)
      else this.#until = until
    } catch (error) {
      if (!(error instanceof ServerUnreachable)) this.lose(`the server refuses to renew it: ${String(error)}`)
    }
  }
}

type LeaseParts = {
  database: Database
  terms: LeaseTerms
  clock: Clock
  /** No request may leave any more. */
  onLost: (error: BotError) => void
}

function endOf(clock: Clock, termMs: number): { monotonic: number; wall: number } {
  return { monotonic: clock.monotonic() + termMs, wall: clock.now() + termMs }
}

const unknownHolder: HeldByOther = { holder: 'another process', remainingMs: 0, failures: 0 }

function failing(account: string, { holder, failures }: HeldByOther): BotError {
  return new BotError('LEASE_REFUSED', {
    seen: `${failures} processes for the account ${account} have failed within ${failureMinutes} minutes, at last ${holder}`,
  })
}

async function holderOf(database: Database, account: string): Promise<HeldByOther | undefined> {
  const { rows } = await database.query(
    `SELECT holder, extract(epoch FROM expires - clock_timestamp()) * 1000 AS remaining,
       cardinality(${recentStarts('starts')}) AS failures
     FROM rungs.leases WHERE account = $1`,
    [account],
  )
  const [row] = rows
  if (row === undefined) return undefined
  return {
    holder: String(row['holder']),
    remainingMs: Math.max(0, Number(row['remaining'])),
    failures: Number(row['failures']),
  }
}

/** The starts that are not too long ago. A process that ends normally forgets them. */
function recentStarts(column: string): string {
  const since = `clock_timestamp() - interval '${failureMinutes} minutes'`
  return `ARRAY(SELECT start FROM unnest(${column}) AS start WHERE start > ${since})`
}

const term = (place: string) => `clock_timestamp() + ${place} * interval '1 millisecond'`

/** The epoch counts seconds where it can: a server that was restored from a backup repeats none. */
const takeText = `
  INSERT INTO rungs.leases AS old (account, epoch, holder, expires, confirmed, link, starts)
  VALUES ($1, floor(extract(epoch FROM clock_timestamp())), $2, ${term('$3::double precision')}, 0, '',
    ARRAY[clock_timestamp()])
  ON CONFLICT (account) DO UPDATE SET
    epoch = greatest(old.epoch + 1, excluded.epoch), holder = excluded.holder, expires = excluded.expires,
    starts = ${recentStarts('old.starts')} || clock_timestamp()
  WHERE old.expires < clock_timestamp()
  RETURNING epoch, confirmed, link, trace, extract(epoch FROM clock_timestamp() - traced) * 1000 AS trace_ago`

const renewText = `
  UPDATE rungs.leases SET
    expires = ${term('$3::double precision')},
    trace = coalesce($4, trace), traced = CASE WHEN $4 IS NULL THEN traced ELSE clock_timestamp() END
  WHERE account = $1 AND epoch = $2 AND expires > clock_timestamp()`

const releaseText = `
  WITH freed AS (
    UPDATE rungs.leases SET
      expires = clock_timestamp(), starts = CASE WHEN $4 THEN starts ELSE '{}' END,
      trace = coalesce($3, trace), traced = CASE WHEN $3 IS NULL THEN traced ELSE clock_timestamp() END
    WHERE account = $1 AND epoch = $2
    RETURNING account
  ) SELECT pg_notify('rungs', account) FROM freed`
