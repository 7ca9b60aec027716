/** A well-formed order that neither the book nor the balance has checked yet. */
export type NewOrder = {
  clientId: string
  sells: boolean
  positionSide: number
  selfTrade: number
  /** The limit; for a market order the end of its price band. */
  ticks: number
  lots: number
  flags: number
  /** Set for an order that has waited for its activation price: its client id is already in use. */
  id?: number
  exits?: AttachedExits
}

/** What orders of the exchange itself leave open. */
export const plainDraft = { clientId: '', positionSide: 0, selfTrade: 0 } as const

/** Activation prices in ticks, 0 for none. */
export type AttachedExits = { takeProfit: number; stopLoss: number }
