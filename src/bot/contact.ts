import type { Client } from '#src/client/client.ts'
import { isDenied, type AnyOutcome } from '#src/client/outcome.ts'

/** How old what we know of the account is, and since when the venue has not told all of it; in its own time. */
export type Contact = { readAt: number | null; lost: { since: number; reason: string } | null }

type Reads = Pick<
  Client,
  'openOrders' | 'orderHistory' | 'openPositions' | 'tradingBalance' | 'mainBalance' | 'accountSummary'
>

/** Watches whether the calls of each reading are answered. */
export class Watch {
  readonly client: Reads
  readonly #now: () => number
  #contact: Contact = { readAt: null, lost: null }
  /** When the reading that is going on began, and whether all of its calls were answered so far. */
  #begunAt = 0
  #isWhole = true

  constructor(client: Reads, now: () => number) {
    this.#now = now
    const heard = <Outcome extends AnyOutcome>(outcome: Outcome): Outcome => {
      if ('message' in outcome) this.#fail(outcome.message)
      else if ('reason' in outcome) this.#fail(outcome.reason)
      return outcome
    }
    // A venue that does not offer these, or not with this key, has told all of the account without them.
    const offered = <Outcome extends AnyOutcome>(outcome: Outcome): Outcome =>
      isDenied(outcome) ? outcome : heard(outcome)
    this.client = {
      openOrders: async (...words) => heard(await client.openOrders(...words)),
      orderHistory: async (...words) => heard(await client.orderHistory(...words)),
      openPositions: async (...words) => offered(await client.openPositions(...words)),
      tradingBalance: async (...words) => heard(await client.tradingBalance(...words)),
      mainBalance: async (...words) => offered(await client.mainBalance(...words)),
      accountSummary: async (...words) => offered(await client.accountSummary(...words)),
    }
  }

  get contact(): Contact {
    return this.#contact
  }

  /** One reading, from its first call to its last. */
  async whole<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#begunAt = this.#now()
    this.#isWhole = true
    const result = await read()
    if (this.#isWhole) this.#contact = { readAt: this.#begunAt, lost: null }
    return result
  }

  /** Known at once: a reading of a venue that is gone takes as long as all of its calls may. */
  #fail(reason: string): void {
    this.#isWhole = false
    const { readAt, lost } = this.#contact
    this.#contact = { readAt, lost: { since: lost?.since ?? this.#begunAt, reason } }
  }
}
