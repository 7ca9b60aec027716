/**
 * The most that one key can create, so that no key can fill the memory. Each cap is per account; `docs/exchange.md` has
 * the same table. Everything else that a key can create has at most one entry for each market, plan or currency.
 */
export const caps = {
  // The exchange refuses an order above the cap.
  openOrders: 100_000,
  /** The exchange checks each waiting order after every price change. */
  waitingOrders: 100,
  subAccounts: 1000,
  /** Open fixed-term investments. Closed ones do not count. */
  investments: 1000,
  /** Transfer codes that have not been applied. Applied codes do not count. */
  codes: 2000,

  // When the account creates one more, the exchange forgets the oldest.
  /** At the cap, the exchange forgets the older half, but never the ids of open orders. */
  clientIds: 1_000_000,
  /** Each for finished orders and for deals. */
  history: 65_536,
  /** Each for position fills, funding payments and orders with an activation price. */
  events: 16_384,
  /** Each for flex records, closed flex investments, interest payments and code events. */
  records: 16_384,
  streamTokens: 100,
} as const

/** Appends the item, and removes the oldest item if the list is longer than `most`. */
export function keepNewest<Item>(list: Item[], item: Item, most: number): void {
  list.push(item)
  if (list.length > most) list.shift()
}

/**
 * Makes room for one more entry by removing the oldest finished one. False if the cap is reached and all entries are
 * open.
 */
export function makeRoom<Entry>(
  entries: Map<string, Entry>,
  most: number,
  hasEnded: (entry: Entry) => boolean,
): boolean {
  if (entries.size < most) return true
  for (const [key, entry] of entries) if (hasEnded(entry)) return entries.delete(key)
  return false
}
