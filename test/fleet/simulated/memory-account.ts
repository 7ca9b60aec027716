import type { LogEnd } from '#src/core/log/hash-chain.ts'
import type { HeldByOther, LeaseTerms, RecordGroup, Taken } from '#src/fleet/shared-account.ts'
import type { StoredRecord, StoredState } from '#src/journal/rebuild.ts'

/** What the oracle learns of the server. */
export type ServerWitness = {
  /** A process has the lease from now on. */
  taken(epoch: number): void
  /** The server has stored these records, which a process has sent with this epoch. */
  stored(epoch: number, records: readonly StoredRecord[]): void
}

type LeaseRow = {
  epoch: number
  holder: string
  expires: number
  confirmed: LogEnd
  /** Of the processes that have not ended normally. */
  starts: number[]
  trace: { text: string; at: number } | undefined
}
type RecordRow = { seq: number; engine: string; record: StoredRecord }

const answerMost = 1000
const failureMs = 600_000

/**
 * One account at a server in memory, as docs/fleet.md and ADR 0034 describe the server. It shares no code with the statements of
 * PostgreSQL, and each method is a transaction.
 */
export class MemoryAccount {
  #lease: LeaseRow | undefined
  #records: RecordRow[] = []
  #states: StoredState[] = []
  readonly #listeners = new Set<() => void>()
  readonly #now: () => number
  readonly #witness: ServerWitness | undefined

  /** `now` is the clock of the server. */
  constructor(now: () => number, witness?: ServerWitness) {
    this.#now = now
    this.#witness = witness
  }

  holder(): HeldByOther | undefined {
    const lease = this.#lease
    if (lease === undefined) return undefined
    const remainingMs = Math.max(0, lease.expires - this.#now())
    return { holder: lease.holder, remainingMs, failures: this.#recentStarts().length }
  }

  take({ holder, termMs }: LeaseTerms): Taken | undefined {
    const now = this.#now()
    const before = this.#lease
    if (before !== undefined && before.expires >= now) return undefined
    const epoch = Math.max(Math.floor(now / 1000), (before?.epoch ?? 0) + 1)
    const { confirmed = { seq: 0, link: '' }, trace } = before ?? {}
    this.#lease = {
      epoch,
      holder,
      expires: now + termMs,
      confirmed,
      starts: [...this.#recentStarts(), now],
      trace,
    }
    this.#witness?.taken(epoch)
    return { epoch, confirmed, trace: trace && { text: trace.text, agoMs: now - trace.at } }
  }

  renew(epoch: number, { termMs }: { termMs: number }, trace: string | undefined): boolean {
    const lease = this.#held(epoch)
    if (lease === undefined) return false
    lease.expires = this.#now() + termMs
    if (trace !== undefined) lease.trace = { text: trace, at: this.#now() }
    return true
  }

  release(epoch: number, { trace, hasFailed }: { trace: string | undefined; hasFailed: boolean }): void {
    const lease = this.#lease
    if (lease?.epoch !== epoch) return
    lease.expires = this.#now()
    if (!hasFailed) lease.starts = []
    if (trace !== undefined) lease.trace = { text: trace, at: this.#now() }
    this.#notify()
  }

  forgetFailures(epoch: number): void {
    if (this.#lease?.epoch === epoch) this.#lease.starts = []
  }

  confirm(epoch: number, before: LogEnd, { engine, records }: RecordGroup): boolean {
    const last: LogEnd = { seq: before.seq + records.length, link: String(records.at(-1)?.chain) }
    const lease = this.#held(epoch)
    if (lease === undefined || !isSame(lease.confirmed, before))
      return this.#lease?.epoch === epoch && this.#lease.confirmed.link === last.link
    for (const [n, record] of records.entries()) {
      const seq = before.seq + n + 1
      this.#records.push({ seq, engine, record: { ...record, seq } })
    }
    lease.confirmed = last
    this.#witness?.stored(epoch, records)
    this.#notify()
    return true
  }

  beginAt(epoch: number, state: StoredState): void {
    const lease = this.#held(epoch)
    if (lease === undefined || lease.confirmed.seq > 0) return
    this.keepState(epoch, state)
    lease.confirmed = { seq: state.seq, link: state.chain }
  }

  keepState(epoch: number, state: StoredState): void {
    if (this.#held(epoch) === undefined) return
    const before = this.#states.findLast(({ seq }) => seq < state.seq)
    if (!this.#states.some(({ seq }) => seq === state.seq)) this.#states.push(state)
    this.#states.sort((one, other) => one.seq - other.seq)
    if (before === undefined) return
    this.#states = this.#states.filter(({ seq }) => seq >= before.seq)
    this.#records = this.#records.filter(({ seq }) => seq > before.seq)
  }

  after(last: number): RecordGroup[] {
    const groups: RecordGroup[] = []
    for (const { engine, record } of this.#records.filter(({ seq }) => seq > last).slice(0, answerMost)) {
      if (groups.at(-1)?.engine !== engine) groups.push({ engine, records: [] })
      groups.at(-1)?.records.push(record)
    }
    return groups
  }

  linkAfter(wanted: number): string | undefined {
    const record = this.#records.find(({ seq }) => seq === wanted)?.record
    if (record !== undefined) return String(record.chain)
    return this.#states.find(({ seq }) => seq === wanted)?.chain
  }

  confirmed(): number {
    return this.#lease?.confirmed.seq ?? 0
  }

  newestState(): StoredState | undefined {
    return this.#states.at(-1)
  }

  /** Returns a function that ends the listening. */
  listen(heard: () => void): () => void {
    this.#listeners.add(heard)
    return () => this.#listeners.delete(heard)
  }

  /** Whether the lease of this epoch lasts. */
  holds(epoch: number): boolean {
    return this.#held(epoch) !== undefined
  }

  /** The epoch of the last lease, also after its end. */
  get epoch(): number | undefined {
    return this.#lease?.epoch
  }

  #held(epoch: number): LeaseRow | undefined {
    const lease = this.#lease
    return lease !== undefined && lease.epoch === epoch && lease.expires > this.#now() ? lease : undefined
  }

  #recentStarts(): number[] {
    const since = this.#now() - failureMs
    return this.#lease?.starts.filter((start) => start > since) ?? []
  }

  #notify(): void {
    for (const heard of this.#listeners) heard()
  }
}

function isSame(one: LogEnd, other: LogEnd): boolean {
  return one.seq === other.seq && one.link === other.link
}
