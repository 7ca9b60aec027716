/**
 * The trades of one second at one price, in base currency as exact decimals: what takers bought, what takers sold, and amounts
 * of trades whose side a file does not state. `price` is null if no strategy reads the volume at prices.
 */
export type TradesRow = {
  price: string | null
  bought: string
  sold: string
  unsided?: string
  count: number
}

/** `second`: its start in milliseconds. */
export type SecondOfTrades = { second: number; rows: readonly TradesRow[] }

/**
 * The public trades of a market. All trades with a time from `from` to before `until`, both at whole seconds, are in this event
 * or were in earlier ones; a `from` later than the last `until` is a gap. `lastId` is the number of the newest trade.
 */
export type TradesEvent = {
  kind: 'trades'
  at: number
  market: string
  from: number
  until: number
  lastId: number | null
  seconds: readonly SecondOfTrades[]
}
