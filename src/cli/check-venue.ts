import { createClient } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { decimal, Decimal } from '#src/money/decimal.ts'
import { loadVenue } from '#src/settings/venue.ts'
import type { VenueRules } from './check-rules.ts'
import { printable } from './text.ts'

const deadlineMs = 20_000
/** What the family of venues takes in one request; none of them tells it. */
const batchMax = 20

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
    const rules: VenueRules = { markets: new Map(), prices: new Map(), batchMax }
    for (const market of markets.value) {
      const [priceDigits, amountDigits] = [Number(market.moneyPrec), Number(market.stockPrec)]
      // Ladders count in decimal places: a market whose steps are others is not shown wrongly, but not at all.
      if (!isStep(market.tickSize, priceDigits) || !isStep(market.stepSize, amountDigits)) continue
      rules.markets.set(market.name, {
        priceDigits,
        amountDigits,
        minAmount: decimal(market.minAmount),
        minTotal: decimal(market.minTotal),
        maxTotal: decimal(market.maxTotal),
        makerFee: decimal(market.makerFee).div(100),
        takerFee: decimal(market.takerFee).div(100),
      })
    }
    for (const [symbol, { last_price: price }] of Object.entries(prices.value)) {
      rules.prices.set(symbol, decimal(price))
    }
    return rules
  } finally {
    await client.close()
  }
}

function isStep(size: string | undefined, digits: number): boolean {
  return size === undefined || new Decimal(10).pow(-digits).eq(size)
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
