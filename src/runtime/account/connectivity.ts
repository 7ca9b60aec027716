import type { Client } from '#src/venues/whitebit/client/client.ts'
import { isDenied, type AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { unreadText, type Unread } from '#src/venues/whitebit/client/answers/partial-answer.ts'

/** When the account was last read whole, and since when it is not; in the time of the venue. */
export type Connectivity = { readAt: number | null; lost: Lost | null }
/** The venue does not answer, or it does and the bot cannot read a part of the answer. */
type Lost = { since: number; reason: string; unreadable?: boolean }

type Reads = Pick<
  Client,
  'openOrders' | 'orderHistory' | 'openPositions' | 'tradingBalance' | 'mainBalance' | 'accountSummary'
>

/** Watches whether the calls of each reading are answered. */
export class ConnectivityWatch {
  readonly client: Reads
  readonly #now: () => number
  readonly #onUnread: ((reason: string) => void) | undefined
  /** Unreadable elements reported since the account was last read whole. */
  readonly #unread = new Set<string>()
  #contact: Connectivity = { readAt: null, lost: null }
  /** When the reading that is going on began, and whether all of its calls were answered so far. */
  #begunAt = 0
  #isWhole = true

  /** `onUnread` receives each unreadable element once, until the account is read whole. */
  constructor(client: Reads, now: () => number, onUnread?: (reason: string) => void) {
    this.#now = now
    this.#onUnread = onUnread
    const heard = <Outcome extends AnyOutcome>(outcome: Outcome, what: string): Outcome => {
      if ('message' in outcome) this.#fail(outcome.message)
      else if ('reason' in outcome) this.#fail(outcome.reason)
      else if ('unread' in outcome) for (const unread of outcome.unread ?? []) this.#failToRead(what, unread)
      return outcome
    }
    // If the venue does not offer these, or not with this key, the account is whole without them.
    const offered = <Outcome extends AnyOutcome>(outcome: Outcome, what: string): Outcome =>
      isDenied(outcome) ? outcome : heard(outcome, what)
    this.client = {
      openOrders: async (...words) => heard(await client.openOrders(...words), 'open orders'),
      orderHistory: async (...words) => heard(await client.orderHistory(...words), 'order history'),
      openPositions: async (...words) => offered(await client.openPositions(...words), 'open positions'),
      tradingBalance: async (...words) => heard(await client.tradingBalance(...words), 'trading balance'),
      mainBalance: async (...words) => offered(await client.mainBalance(...words), 'main balance'),
      accountSummary: async (...words) => offered(await client.accountSummary(...words), 'account summary'),
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

  #failToRead(what: string, unread: Unread): void {
    const reason = unreadText(what, unread)
    this.#fail(reason, true)
    if (this.#unread.has(reason)) return
    this.#unread.add(reason)
    this.#onUnread?.(reason)
  }
}
