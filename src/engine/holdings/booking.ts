import type { Matching } from './pairs.ts'

/** A booked fill, kept while the bot may still receive an earlier one. */
export type Booking = {
  ladder: string
  /** Negative for a sale, like its money. */
  amount: string
  money: string
  /** When the engine received it. */
  at: number
  /** When the venue made the deal; null if unknown: then no later fill is booked before this one. */
  dealtAt: number | null
  /** The venue's number of the deal, for deals of the same moment. */
  deal?: number | undefined
  /** For matched pairs; bookings of 0.3.2 lack it and belong to no pair. */
  matching?: Matching
  /** The holdings of the strategy and the ladder before this fill. */
  before: { position: string; cost: string; realized: string }
  ladderBefore: { position: string; cost: string; since: number | null } | null
}
