import type { Clock } from '#src/core/time/clock.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { ServerUnreachable } from './database.ts'
import {
  failureMinutes,
  type HeldByOther,
  type LeaseTerms,
  type SharedAccount,
  type Taken,
} from './shared-account.ts'

/** After so many failures, something ends each process that trades, and a further one would not help. */
const failuresMost = 3

/** Writes the trace of our own calls, with those to come within a time, and learns which text the server has stored. */
type TraceWriter = { text(withinMs: number): string; stored(text: string): void }

/** A renewal follows the last one after this part of the term, and waits at most as long for its answer. */
const renewalsPerTerm = 4
/** Pause before the next attempt when the server does not answer. */
const retryMs = 50

/**
 * The right to trade for one account. The clock of the server decides when it ends. The holder measures the term from before
 * its own request by two clocks, so that the term ends earlier for the holder, also if the process was stopped meanwhile.
 */
export class Lease {
  readonly taken: Taken
  readonly #parts: LeaseParts
  readonly #ending = new AbortController()
  readonly #renewing: Promise<void>
  #until: { monotonic: number; wall: number }
  #lost: BotError | undefined
  #trace: TraceWriter | undefined

  private constructor(parts: LeaseParts, taken: Taken, until: { monotonic: number; wall: number }) {
    this.taken = taken
    this.#parts = parts
    this.#until = until
    this.#renewing = this.#renew()
  }

  /** The lease, or who has it. Refuses an account of which process after process has failed. */
  static async take(parts: LeaseParts): Promise<Lease | HeldByOther> {
    const { shared, terms, clock } = parts
    // This query needs no lock. A lock would delay the records of the holder.
    const held = await shared.holder()
    if (held !== undefined && held.remainingMs > 0) return held
    if (held !== undefined && held.failures >= failuresMost) throw failing(shared.account, held)
    const until = endOf(clock, terms.termMs)
    const taken = await shared.take(terms)
    if (taken === undefined) return (await shared.holder()) ?? unknownHolder
    return new Lease(parts, taken, until)
  }

  /**
   * From here on, each renewal stores the trace of our own calls for the time until the lease would end. Resolves when the first
   * one is stored: no call may leave before.
   */
  async keepTrace(trace: TraceWriter): Promise<void> {
    this.#trace = trace
    for (;;) {
      const isStored = await this.#renewOnce()
      if (this.remainingMs() === 0) throw this.lose(`${this.#parts.shared.server} did not renew it in time`)
      if (isStored) return
      await this.#parts.clock.sleep(retryMs)
    }
  }

  /** How long this process may still send requests; 0 once the lease is lost. */
  remainingMs(): number {
    if (this.#lost !== undefined) return 0
    const { monotonic, wall } = this.#until
    return Math.max(0, Math.min(monotonic - this.#parts.clock.monotonic(), wall - this.#parts.clock.now()))
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
    await this.#parts.shared.forgetFailures(this.taken.epoch)
  }

  #end(error: BotError): BotError {
    if (this.#lost === undefined) {
      this.#lost = error
      this.#ending.abort()
      this.#parts.onLost(error)
    }
    return this.#lost
  }

  /** Frees the account for the next process at once. After an error the start of this process still counts as a failure. */
  async release({ hasFailed }: { hasFailed: boolean }): Promise<void> {
    this.#ending.abort()
    await this.#renewing
    if (this.#lost !== undefined) return
    this.#lost = new BotError('LEASE_LOST', { seen: 'it was released' })
    try {
      await this.#parts.shared.release(this.taken.epoch, { trace: this.#trace?.text(0), hasFailed })
    } catch (error) {
      // It ends by itself.
      if (!(error instanceof ServerUnreachable)) throw error
    }
  }

  async #renew(): Promise<void> {
    const pauseMs = this.#parts.terms.termMs / renewalsPerTerm
    const { signal } = this.#ending
    for (let isRenewed = true; !signal.aborted;) {
      await this.#parts.clock.sleep(isRenewed ? pauseMs : retryMs, signal).catch(() => {})
      if (signal.aborted) return
      isRenewed = await this.#renewOnce()
      if (this.#lost === undefined && this.remainingMs() === 0)
        this.lose(`${this.#parts.shared.server} did not renew it in time`)
    }
  }

  /** Whether the server has renewed it, and has the trace. */
  async #renewOnce(): Promise<boolean> {
    const { termMs } = this.#parts.terms
    const until = endOf(this.#parts.clock, termMs)
    try {
      const trace = this.#trace
      const text = trace?.text(termMs)
      const withinMs = termMs / renewalsPerTerm
      const isRenewed = await this.#parts.shared.renew(this.taken.epoch, { termMs, withinMs }, text)
      if (isRenewed) {
        this.#until = until
        if (text !== undefined) trace?.stored(text)
      } else this.lose(`another process trades for the account ${this.#parts.shared.account}`)
      return isRenewed
    } catch (error) {
      if (!(error instanceof ServerUnreachable)) this.lose(`the server refuses to renew it: ${String(error)}`)
      return false
    }
  }
}

type LeaseParts = {
  shared: SharedAccount
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
