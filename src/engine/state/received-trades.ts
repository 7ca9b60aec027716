import type { SecondOfTrades } from '#src/engine/trades-event.ts'

/** What is known of the trades of a market. All trades from `from` to before `until` are known. */
export type ReceivedTrades = {
  at: number
  from: number
  until: number
  lastId: number | null
  /** In ascending order, as far back as the longest window. */
  seconds: SecondOfTrades[]
  /** By length in milliseconds; a window that is not known completely is missing. */
  windows: Record<string, TradesSums>
}

/** Exact sums of a window. `unpriced` is the amount of trades that came without their price. */
export type TradesSums = {
  bought: string
  sold: string
  unsided: string
  unpriced: string
  count: number
  prices: Record<string, string>
}
