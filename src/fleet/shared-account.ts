import type { LogEnd } from '#src/core/log/hash-chain.ts'
import type { StoredRecord, StoredState } from '#src/journal/rebuild.ts'

/** `holder` names the process for people. */
export type LeaseTerms = { holder: string; termMs: number }

/** The lease of another process, and how many processes have lost it lately. */
export type HeldByOther = { holder: string; remainingMs: number; failures: number }

/** What the next holder must know of the calls of this one, as a text that it has written itself. */
type Trace = { text: string; /** How long ago the holder wrote it. */ agoMs: number }

/** What the last holder has left: the last confirmed record with its link, and its trace. */
export type Taken = { epoch: number; confirmed: LogEnd; trace: Trace | undefined }

/** Records of one engine version. */
export type RecordGroup = { engine: string; records: StoredRecord[] }

/** A process that has not ended normally counts as failed for so long. */
export const failureMinutes = 10

/**
 * One account at the server of a fleet: its lease, its records and its stored states. Only the clock of the server decides when
 * a lease ends. A method throws `ServerUnreachable` if no answer comes: then the server may have acted, or may act later.
 */
export type SharedAccount = {
  readonly account: string
  /** The name of the server, for messages. */
  readonly server: string
  /** The process that has the lease, or had it last; undefined if no process ever had it. */
  holder(): Promise<HeldByOther | undefined>
  /** Takes the lease with a higher epoch; undefined if the lease of another process lasts. */
  take(terms: LeaseTerms): Promise<Taken | undefined>
  /**
   * The lease lasts for the term from now. False if the lease of this epoch has ended. Fails without an answer within a time.
   * Without a trace, the last one stays.
   */
  renew(
    epoch: number,
    about: { termMs: number; withinMs: number },
    trace: string | undefined,
  ): Promise<boolean>
  /** Ends the lease of this epoch now. Unless the process has failed, the failures before are forgotten. */
  release(epoch: number, about: { trace: string | undefined; hasFailed: boolean }): Promise<void>
  /** Forgets the failures so far, the start of this epoch included. */
  forgetFailures(epoch: number): Promise<void>
  /**
   * Adds records after `before`, all or none, while the lease of this epoch lasts. Whether the server now has them from this
   * epoch: a repetition after a lost answer is true as well.
   */
  confirm(epoch: number, before: LogEnd, group: RecordGroup): Promise<boolean>
  /** If the server has no record yet, its records begin after this state, while the lease of this epoch lasts. */
  beginAt(epoch: number, state: StoredState): Promise<void>
  /** Stores a state while the lease of this epoch lasts. The server keeps one state before it, and the records since then. */
  keepState(epoch: number, state: StoredState): Promise<void>
  /** Some of the records after this one, in groups of one engine version. Empty if there is none. */
  after(seq: number): Promise<RecordGroup[]>
  /** The link after a record; undefined if the server has it no more. */
  linkAfter(seq: number): Promise<string | undefined>
  /** The last record that the server has confirmed; 0 if it knows nothing of the account. */
  confirmed(): Promise<number>
  newestState(): Promise<StoredState | undefined>
  /** Calls `heard` when there are new records or the lease is free, until the connection breaks or the signal is aborted. */
  listen(heard: () => void, signal: AbortSignal): Promise<void>
}
