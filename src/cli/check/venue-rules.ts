import { marketFacts } from '#src/venues/whitebit/adapter/market-facts.ts'
import { reasonOf } from '#src/venues/whitebit/adapter/read-of.ts'
import type { AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { orderLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { loadVenueFile } from '#src/venues/whitebit/settings/venue-file.ts'
import { served } from '#src/strategy/file/capabilities.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { venueRules, type VenueRules } from '#src/runtime/compose/venue-rules.ts'
import { clientOf } from '#src/cli/files/venue-access.ts'

const deadlineMs = 20_000

/** Reads the rules of a running venue: two public calls, without a key. */
export async function rulesOfVenue(path: string): Promise<VenueRules> {
  const venue = loadVenueFile({ path })
  const client = clientOf(venue)
  try {
    // In parallel, so that a venue that does not answer costs one timeout.
    const [markets, prices] = await Promise.all([
      client.markets({}, { deadlineMs }),
      client.ticker({}, { deadlineMs }),
    ])
    // If the venue does not publish its rules, the venue file decides.
    if (markets.kind === 'refused' && venue.world !== undefined) {
      const rules = rulesOfWorld(venue.world, 'spec')
      const has = venue.shortSide ? [...rules.has, 'position_side_short' as const] : rules.has
      return { ...rules, batchMax: venue.batchMax, has }
    }
    if (markets.kind !== 'answer') throw noAnswer(venue.url, markets)
    if (prices.kind !== 'answer') throw noAnswer(venue.url, prices)
    const last = Object.entries(prices.value).map(
      ([symbol, { last_price: price }]) => [symbol, price] as const,
    )
    const { batchMax } = venue
    return venueRules(marketFacts(markets.value), last, { batchMax, orderLimit, has: served.full })
  } finally {
    await client.close()
  }
}

export function noAnswer(url: string, outcome: AnyOutcome): BotError {
  const reason = printable(reasonOf(outcome))
  if (outcome.kind !== 'refused') return new BotError('VENUE_UNREACHABLE', { seen: `${url}: ${reason}` })
  return new BotError('VENUE_REFUSED', {
    seen: `the markets of ${url}: ${reason}`,
    fix: 'Name a file of market rules in the venue file: world: exchange.yaml',
  })
}
