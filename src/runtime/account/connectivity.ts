import type { AccountReads, ReadResult } from '#src/venue/port.ts'

/** Time of the last complete read of the account, and start of the failures, in venue time. */
export type Connectivity = { readAt: number | null; lost: Lost | null }
/** The venue does not answer, or the bot cannot read a part of the answer. */
type Lost = { since: number; reason: string; unreadable?: boolean }

/** Watches whether the calls of each read are answered. */
export class ConnectivityWatch {
  readonly account: AccountReads
  readonly #now: () => number
  readonly #onUnread: ((reason: string) => void) | undefined
  /** Unreadable elements that were reported since the last complete read. */
  readonly #unread = new Set<string>()
  #contact: Connectivity = { readAt: null, lost: null }
  /** Start of the current read, and whether all its calls were answered. */
  #begunAt = 0
  #isWhole = true

  /** `onUnread` receives each unreadable element once, until a complete read. */
  constructor(account: AccountReads, now: () => number, onUnread?: (reason: string) => void) {
    this.#now = now
    this.#onUnread = onUnread
    const watched = <Value>(read: ReadResult<Value>): ReadResult<Value> => {
      if (read.kind === 'denied' || read.kind === 'failed') this.#fail(read.reason)
      else if (read.kind === 'read') for (const reason of read.unread ?? []) this.#failToRead(reason)
      return read
    }
    // If the venue does not offer these, or not with this key, the account is whole without them.
    const offered = <Value>(read: ReadResult<Value>): ReadResult<Value> =>
      read.kind === 'denied' ? read : watched(read)
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

  /** Performs one read. */
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

  /** Reported at once: a read of a silent venue lasts until all its calls time out. */
  #fail(reason: string, unreadable = false): void {
    const { readAt, lost } = this.#contact
    // A call without an answer matters more than an unreadable element.
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
