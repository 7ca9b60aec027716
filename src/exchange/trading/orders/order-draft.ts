/** An order whose form is right, not yet looked at by the book or the balance. */
export type NewOrder = {
  clientId: string
  sells: boolean
  positionSide: number
  selfTrade: number
  /** The limit; a market order's is the end of the band that it may reach. */
  ticks: number
  lots: number
  flags: number
  /** Drawn before, with the client id taken, by an order that has waited for its price. */
  id?: number
}
