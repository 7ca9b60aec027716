import type { Client } from '#src/client/client.ts'
import type { AnyOutcome } from '#src/client/outcome.ts'
import type { MarketFacts, VenueFacts } from '#src/engine/events.ts'
import { BotError } from '#src/errors/bot-error.ts'
import type { Capability } from '#src/strategy/schema.ts'
import { marketFacts } from './market-facts.ts'

/** What a venue does not tell by itself, as the venue file has it. */
export type Declared = {
  clientIds: VenueFacts['clientIds']
  batchMax: number
  leverage: number | undefined
  shortSide: boolean
  /** For a venue that does not tell its rules; null where there are none. */
  markets: Record<string, MarketFacts> | null
}

export type Asked = {
  facts: VenueFacts
  /** Whether there is more than the documented calls: prices, lists of orders, streams. */
  profile: 'spec' | 'full'
  /** Whether long and short stand side by side; null where it does not say. */
  hedged: boolean | null
}

const deadlineMs = 10_000

/**
 * Finds out what the venue can do, by reads that change nothing. Without history and balance nothing can be known for
 * certain there, so a venue that does not answer these two is none to trade at.
 */
export async function askVenue(client: Client, declared: Declared): Promise<Asked> {
  needed('the trading balance', await client.tradingBalance({}, { deadlineMs }))
  needed('the history of orders', await client.orderHistory({ limit: 1 }, { deadlineMs }))
  const capabilities: Capability[] = ['bulk', 'history', 'balance']
  if (isAnswer(await client.flexPlans({ limit: 1 }, { deadlineMs }))) capabilities.push('flex')
  const told = await client.time({}, { deadlineMs })
  if (told.kind !== 'answer') return undocumented(declared, capabilities)

  const [markets, prices, resting, token, mode] = await Promise.all([
    client.markets({}, { deadlineMs }),
    client.ticker({}, { deadlineMs }),
    client.openOrders({ limit: 1 }, { deadlineMs }),
    client.streamToken({}, { deadlineMs }),
    client.hedgeMode({}, { deadlineMs }),
  ])
  // Lists of resting orders and their withdrawal come together at every venue of the family.
  if (resting.kind === 'answer') capabilities.push('open_orders', 'cancel')
  if (markets.kind === 'answer' && prices.kind === 'answer') capabilities.push('market_data')
  // A few tokens a minute are all there is: after a crash there may be none for now, which says nothing of streams.
  if (token.kind === 'accepted' || token.kind === 'not-sent') capabilities.push('streams')
  const hedged = mode.kind === 'answer' ? mode.value.hedgeMode : null
  // Where there is one position, the sides are told apart by our own fills, if the operator wants it so.
  if (hedged === true || declared.shortSide) capabilities.push('position_side_short')
  const facts = {
    capabilities,
    batchMax: declared.batchMax,
    clientIds: declared.clientIds,
    leverage: declared.leverage ?? null,
    markets: markets.kind === 'answer' ? marketFacts(markets.value) : rulesOf(declared),
  }
  return { facts, profile: 'full', hedged }
}

/** A venue that offers the documented calls alone. */
function undocumented(declared: Declared, capabilities: Capability[]): Asked {
  if (declared.shortSide) capabilities.push('position_side_short')
  const { batchMax, clientIds, leverage = null } = declared
  const facts = { capabilities, batchMax, clientIds, leverage, markets: rulesOf(declared) }
  return { facts, profile: 'spec', hedged: null }
}

function rulesOf({ markets }: Declared): Record<string, MarketFacts> {
  if (markets !== null) return markets
  throw new BotError('VENUE_REFUSED', {
    seen: 'the venue does not tell the rules of its markets',
    fix: 'Name a world file with them in the venue file, as world: config/exchange.yaml',
  })
}

function isAnswer(outcome: AnyOutcome): boolean {
  return outcome.kind === 'answer'
}

function needed(what: string, outcome: AnyOutcome): void {
  if (outcome.kind === 'answer') return
  if (outcome.kind === 'refused') {
    throw new BotError('VENUE_REFUSED', {
      seen: `${what}: ${outcome.message}`,
      fix: 'Check the key and its permissions',
    })
  }
  const reason = 'reason' in outcome ? outcome.reason : outcome.kind
  throw new BotError('VENUE_UNREACHABLE', { seen: `${what}: ${reason}` })
}
