import type { AccountReads, Read } from '#src/venue/port.ts'

/** When the account was last read whole, and since when it is not; in the time of the venue. */
export type Connectivity = { readAt: number | null; lost: Lost | null }
/** The venue does not answer, or it does and the bot cannot read a part of the answer. */
type Lost = { since: number; reason: string; unreadable?: boolean }

/** Watches whether the calls of each reading are answered. */
export class ConnectivityWatch {
  readonly account: AccountReads
  readonly #now: () => number
  readonly #onUnread: ((reason: string) => void) | undefined
  /** Unreadable elements reported since the account was last read whole. */
  readonly #unread = new Set<string>()
  #contact: Connectivity = { readAt: null, lost: null }
  /** When the reading that is going on began, and whether all of its calls were answered so far. */
  #begunAt = 0
  #isWhole = true

  /** `onUnread` receives each unreadable element once, until the account is read whole. */
  constructor(account: AccountReads, now: () => number, onUnread?: (reason: string) => void) {
    this.#now = now
    this.#onUnread = onUnread
    const watched = <Value>(read: Read<Value>): Read<Value> => {
      if (read.kind === 'denied' || read.kind === 'failed') this.#fail(read.reason)
      else if (read.kind === 'read') for (const reason of read.unread ?? []) this.#failToRead(reason)
      return read
    }
    // If the venue does not offer these, or not with this key, the account is whole without them.
    const offered = <Value>(read: Read<Value>): Read<Value> => (read.kind === 'denied' ? read : watched(read))
    this.account = {
      ...account,
      openOrders: async (policy) => watched(await account.openOrders(policy)),
      endedOrders: async (since, policy) => watched(await account.endedOrders(since, policy)),
      positions: async () => offered(await account.positions()),
      balances: async (policy) => watched(await account.balances(policy)),
      mainBalances: async () => offered(await account.mainBalances()),
      equity: async () => offered(await account.equity()),
    }
  }

  get contact(): Connectivity {
    return this.#contact
  }

  /** One reading, from its first call to its last. */
  async whole<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#begunAt = this.#now()
    this.#isWhole = true
    const result = await read()
    if (this.#isWhole) {
      this.#contact = { readAt: this.#begunAt, lost: null }
      this.#unread.clear()
    }
    return result
  }

  /** Known at once: a reading of a venue that is gone takes as long as all of its calls may. */
  #fail(reason: string, unreadable = false): void {
    const { readAt, lost } = this.#contact
    // A call without an answer says more than an element that cannot be read.
    if (!this.#isWhole && unreadable && lost !== null && lost.unreadable !== true) return
    this.#isWhole = false
    this.#contact = {
      readAt,
      lost: { since: lost?.since ?? this.#begunAt, reason, ...(unreadable && { unreadable }) },
    }
  }

  #failToRead(reason: string): void {
    this.#fail(reason, true)
    if (this.#unread.has(reason)) return
    this.#unread.add(reason)
    this.#onUnread?.(reason)
  }
}
