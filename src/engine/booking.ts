/** A booked fill, kept while the bot may still read an earlier one. */
export type Booking = {
  ladder: string
  /** Below zero for a sale, like its money. */
  amount: string
  money: string
  /** When the engine received it. */
  at: number
  /** When the venue made the deal; null where it does not say: then no other fill is booked before this one. */
  dealtAt: number | null
  /** The venue's number of the deal, for deals of the same moment. */
  deal?: number | undefined
  /** What the strategy and the ladder held before it. */
  before: { position: string; cost: string; realized: string }
  ladderBefore: { position: string; cost: string; since: number | null } | null
}
