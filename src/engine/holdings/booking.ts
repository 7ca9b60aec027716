import type { Matching } from './pairs.ts'

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
  /** For the matched pairs; bookings of 0.3.2 lack it and are no part of them. */
  matching?: Matching
  /** What the strategy and the ladder held before it. */
  before: { position: string; cost: string; realized: string }
  ladderBefore: { position: string; cost: string; since: number | null } | null
}
