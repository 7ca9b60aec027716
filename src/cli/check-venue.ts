import { marketFacts } from '#src/bot/market-facts.ts'
import { createClient } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { decimal } from '#src/money/decimal.ts'
import { loadVenue } from '#src/settings/venue.ts'
import { rulesOf, type VenueRules } from './check-rules.ts'
import { printable } from './text.ts'

const deadlineMs = 20_000

/** Of a venue that runs: two public calls, without a key. */
export async function rulesOfVenue(path: string): Promise<VenueRules> {
  const venue = loadVenue({ path })
  const client = createClient({
    transport: httpTransport(venue.url),
    spelling: venue.spelling,
    random: () => 0,
  })
  try {
    const [markets, prices] = [
      await client.markets({}, { deadlineMs }),
      await client.ticker({}, { deadlineMs }),
    ]
    if (markets.kind !== 'answer') throw noAnswer(venue.url, markets)
    if (prices.kind !== 'answer') throw noAnswer(venue.url, prices)
    const rules: VenueRules = { markets: new Map(), prices: new Map(), batchMax: venue.batchMax }
    for (const [name, facts] of Object.entries(marketFacts(markets.value))) {
      rules.markets.set(name, rulesOf(facts))
    }
    for (const [symbol, { last_price: price }] of Object.entries(prices.value)) {
      rules.prices.set(symbol, decimal(price))
    }
    return rules
  } finally {
    await client.close()
  }
}

function noAnswer(url: string, outcome: { kind: string; message?: string; reason?: string }): BotError {
  if (outcome.kind === 'refused') {
    return new BotError('VENUE_REFUSED', {
      seen: `the markets of ${url}: ${printable(outcome.message ?? '')}`,
      fix: 'Leave --venue out, or start the exchange with --profile full: rules of markets lie beyond the specification',
    })
  }
  return new BotError('VENUE_UNREACHABLE', { seen: `${url}: ${printable(outcome.reason ?? outcome.kind)}` })
}
