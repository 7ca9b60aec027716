import type { Progress } from '#src/engine/events.ts'

/** What every row of an order says of its trades, whichever answer it stands in. */
type Traded = { deal_stock: string; deal_money: string; deal_fee: string }

/** How far an order has come, in the words of the engine. */
export function progressOf(venueId: number, row: Traded, ended: boolean): Progress {
  const { deal_stock: filled, deal_money: money, deal_fee: fee } = row
  return { venueId: String(venueId), filled, money, fee, ended }
}
