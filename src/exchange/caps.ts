/**
 * How much a key can create, so that no key fills the memory. Each count is per account; `docs/exchange.md` has the same
 * table. What else a key can create has at most one entry for each market, each plan or each currency.
 */
export const caps = {
  // The call that would create one more is refused.
  openOrders: 100_000,
  /** Each is looked at whenever a price moves. */
  waitingOrders: 100,
  subAccounts: 1000,
  /** Fixed-term investments that are open. Closed ones make room. */
  investments: 1000,
  /** Transfer codes that have not been applied. Applied codes make room. */
  codes: 2000,

  // If the account creates one more, the exchange forgets the oldest.
  /** At the cap, the older half is forgotten, except for the ids of open orders. */
  clientIds: 1_000_000,
  /** Of each kind: finished orders, deals. */
  history: 65_536,
  /** Of each kind: fills of positions, funding payments, orders with an activation price. */
  events: 16_384,
  /** Of each kind: flex records, closed flex investments, interest payments, code events. */
  records: 16_384,
  streamTokens: 100,
} as const

/** At the end of the list, from which the oldest goes if there are too many. */
export function keepNewest<Item>(list: Item[], item: Item, most: number): void {
  list.push(item)
  if (list.length > most) list.shift()
}

/** Room for one more: the oldest entry that has ended goes. False if all entries that there may be are still open. */
export function makeRoom<Entry>(
  entries: Map<string, Entry>,
  most: number,
  hasEnded: (entry: Entry) => boolean,
): boolean {
  if (entries.size < most) return true
  for (const [key, entry] of entries) if (hasEnded(entry)) return entries.delete(key)
  return false
}
