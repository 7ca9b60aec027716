import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { AccountReads, Venue } from '#src/venue/port.ts'
import {
  whitebitVenue,
  type WhitebitParts,
  type WhitebitTerms,
} from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { systemClock } from '#src/core/time/clock.ts'

/** What a venue file says of an exchange of a test. */
const terms: WhitebitTerms = {
  url: 'http://127.0.0.1',
  nonce: 'strict',
  clientIds: 'forever',
  batchMax: 20,
  leverage: 1,
  speed: 1,
  settleMs: 0,
  shortSide: true,
  markets: null,
}

/** The adapter around a client. */
export function adapterOf(
  client: Client,
  about: Partial<Omit<WhitebitParts, 'client' | 'terms'>> & { terms?: Partial<WhitebitTerms> } = {},
): Venue {
  const { clock = systemClock, ...others } = about
  return whitebitVenue({ client, clock, ...others, terms: { ...terms, ...about.terms } })
}

/** A venue without a list of deals. */
export const noDeals: Pick<AccountReads, 'deals'> = {
  deals: async () => ({ kind: 'denied', reason: 'no list of deals' }),
}
