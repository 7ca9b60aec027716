import type { Clock } from '#src/core/time/clock.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { JournaledEngine } from '#src/journal/port.ts'
import { linkOf, type LogEnd } from '#src/core/log/hash-chain.ts'
import type { StoredRecord } from '#src/journal/rebuild.ts'
import { contentOf, journalChain } from '#src/journal/record.ts'
import { ConfirmedJournal, diverged, type LocalJournal } from './confirmed-journal.ts'
import { ServerUnreachable } from './database.ts'
import { Lease } from './lease.ts'
import type { HeldByOther, LeaseTerms, SharedAccount } from './shared-account.ts'

/** A journal of this machine that can follow another process. */
type FollowingJournal<M extends JournaledEngine> = LocalJournal<M> & {
  readonly end: LogEnd
  adopt(records: readonly StoredRecord[], writer: string): void
}

type Parts<M extends JournaledEngine> = {
  shared: SharedAccount
  local: FollowingJournal<M>
  terms: LeaseTerms
  /** The engine of this program. */
  engine: string
  clock: Clock
  /** Waits while another process has the lease, and follows its records. */
  isStandby: boolean
  /** Called when this process begins to wait for another one. */
  onWaiting: (holder: HeldByOther) => void
  onLost: (error: BotError) => void
  signal: AbortSignal
}

export type Member<M extends JournaledEngine> = { lease: Lease; journal: ConfirmedJournal<M> }

/** The longest time between two checks of a lease, if no notification comes. */
const checkMs = 1000

/** Takes the lease of an account, at once or as a standby, with every record that the server has confirmed. */
export async function joinFleet<M extends JournaledEngine>(parts: Parts<M>): Promise<Member<M>> {
  const { shared, terms, clock, isStandby, onWaiting, onLost, signal } = parts
  using notifications = isStandby ? new Notifications(shared, clock) : undefined
  let isWaiting = false
  for (;;) {
    signal.throwIfAborted()
    let wakeMs = checkMs
    try {
      await catchUp(parts)
      const found = await Lease.take({ shared, terms, clock, onLost })
      if (found instanceof Lease) return await begin(parts, found)
      if (!isStandby) throw heldBy(shared.account, found)
      if (!isWaiting) onWaiting(found)
      isWaiting = true
      wakeMs = Math.min(found.remainingMs + 1, checkMs)
    } catch (error) {
      // A standby continues to wait while the server does not answer.
      if (!(error instanceof ServerUnreachable) || !isWaiting) throw error
    }
    await notifications?.wait(wakeMs, signal)
  }
}

/** The lease is taken: the last records of the process before, and then our own. */
async function begin<M extends JournaledEngine>(parts: Parts<M>, lease: Lease): Promise<Member<M>> {
  const { shared, local, engine, clock } = parts
  try {
    await catchUp(parts)
    const journal = new ConfirmedJournal({ local, shared, lease, engine, clock })
    await journal.begin()
    return { lease, journal }
  } catch (error) {
    await lease.release({ hasFailed: true })
    throw error
  }
}

async function catchUp<M extends JournaledEngine>({ shared, local }: Parts<M>): Promise<void> {
  for (;;) {
    const groups = await shared.after(local.end.seq)
    if (groups.length === 0) return
    const [first] = groups[0]?.records ?? []
    if (first && linkOf(journalChain, local.end.link, contentOf(first)) !== first.chain) throw diverged()
    for (const { engine, records } of groups) local.adopt(records, engine)
  }
}

function heldBy(account: string, { holder, remainingMs }: HeldByOther): BotError {
  return new BotError('LEASE_HELD', {
    seen: `${holder} trades for the account ${account}, and its lease ends in ${Math.ceil(remainingMs / 1000)} s`,
  })
}

/** Notifications of the server. */
class Notifications implements Disposable {
  readonly #clock: Clock
  readonly #ending = new AbortController()
  #wake: () => void = () => {}

  constructor(shared: SharedAccount, clock: Clock) {
    this.#clock = clock
    void this.#listen(shared)
  }

  async wait(mostMs: number, signal: AbortSignal): Promise<void> {
    const done = new AbortController()
    this.#wake = () => done.abort()
    await this.#clock.sleep(mostMs, AbortSignal.any([signal, done.signal])).catch(() => {})
  }

  [Symbol.dispose](): void {
    this.#ending.abort()
  }

  async #listen(shared: SharedAccount): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        await shared.listen(() => this.#wake(), signal)
      } catch (error) {
        if (!(error instanceof ServerUnreachable)) throw error
      }
      if (!signal.aborted) await this.#clock.sleep(checkMs, signal).catch(() => {})
    }
  }
}
