import type { AccountLimits, MarketFacts, VenueFacts } from '#src/engine/events.ts'
import { BotError } from '#src/core/errors/bot-error.ts'

/** What the operator declares of a venue, because the venue does not tell it. */
export type Declared = {
  clientIds: VenueFacts['clientIds']
  batchMax: number
  leverage: number | undefined
  speed: number
  /** The longest time between an event at the venue and its traces in the lists. */
  settleMs: number
  shortSide: boolean
  /** Limits of all strategies together at this venue. */
  limits?: AccountLimits | undefined
  /** For a venue that does not tell its rules; null where there are none. */
  markets: Record<string, MarketFacts> | null
}

/** What a venue can do. */
export type VenueDescription = {
  facts: VenueFacts
  /** How often orders may be submitted. */
  orderLimit: { calls: number; perMs: number }
  /** Markets that the adapter cannot read, as text for people: nothing is traded there. */
  unread: string[]
  /** The time of the venue while this was read, in milliseconds; a venue that does not tell its time has none. */
  time?: number
}

/** A capability that a start needs is still unknown. The start asks again: a wrong no would last as long as the process. */
export class UndecidedCapability extends BotError {
  constructor(seen: string) {
    super('VENUE_UNREACHABLE', { seen })
  }
}

/** The venue refuses the nonces of this machine: its clock is wrong, or another process uses the key. Both may pass. */
export class NonceRefused extends BotError {
  constructor(seen: string, fix: string) {
    super('VENUE_REFUSED', { seen, fix })
  }
}
