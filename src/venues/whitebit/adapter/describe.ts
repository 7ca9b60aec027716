import type { Client } from '#src/venues/whitebit/client/client.ts'
import { isDenied, nonceFix, type AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { unreadText } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import { orderLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import type { MarketFacts, VenueFacts } from '#src/engine/events.ts'
import {
  NonceRefused,
  UndecidedCapability,
  type Declared,
  type VenueDescription,
} from '#src/venue/capabilities.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Capability } from '#src/strategy/schema/strategy-schema.ts'
import { marketFacts } from './market-facts.ts'
import { reasonOf } from './read-of.ts'

export type WhitebitDescription = VenueDescription & {
  /** Whether there are more calls than the documented ones: prices, lists of orders, streams. */
  profile: 'spec' | 'full'
  /** Whether long and short are kept side by side; null if the venue does not tell. */
  hedged: boolean | null
}

/** Long enough for what an earlier run may have used up of the limits. */
const deadlineMs = 20_000

/**
 * Finds out what the venue can do, by reads that change nothing. Without history and balance nothing can be known for
 * certain there, so a venue that does not answer these two is none to trade at.
 */
export async function askVenue(client: Client, declared: Declared): Promise<WhitebitDescription> {
  const asked = await ask(client, declared)
  const { limits } = declared
  if (!limits) return asked
  const { markets } = asked.facts
  for (const name of Object.keys(limits.max_notional))
    if (name !== 'total' && !Object.hasOwn(markets, name))
      throw new BotError('SETTING_INVALID', {
        seen: `limits of the venue file have a max_notional of ${name}, which is not a market of the venue`,
        fix: `Write total, or a market name of the venue, such as ${Object.keys(markets)[0] ?? 'BTC_PERP'}`,
      })
  return { ...asked, facts: { ...asked.facts, limits } }
}

async function ask(client: Client, declared: Declared): Promise<WhitebitDescription> {
  needed('the trading balance', await client.tradingBalance({}, { deadlineMs }))
  needed('the order history', await client.orderHistory({ limit: 1 }, { deadlineMs }))
  const capabilities: Capability[] = ['bulk', 'history', 'balance']
  const pending: Capability[] = []
  const hasFlex = await askFlex(client)
  if (hasFlex === null) pending.push('flex')
  else if (hasFlex) capabilities.push('flex')
  const asked = await askRest(client, declared, capabilities)
  return pending.length === 0 ? asked : { ...asked, facts: { ...asked.facts, pending } }
}

/** Whether the venue has flexible plans for this key; null if the answer is unclear and the bot must ask again. */
export async function askFlex(client: Pick<Client, 'flexPlans'>): Promise<boolean | null> {
  const outcome = await client.flexPlans({ limit: 1 }, { deadlineMs })
  if (isDenied(outcome)) return false
  return outcome.kind === 'answer' ? true : null
}

/** Reads the time of the venue before the first signed call, as far as the venue tells it. */
export async function readVenueTime(client: Pick<Client, 'time'>): Promise<void> {
  has('the server time', await client.time({}, { deadlineMs }))
}

async function askRest(
  client: Client,
  declared: Declared,
  capabilities: Capability[],
): Promise<WhitebitDescription> {
  const told = await client.time({}, { deadlineMs })
  if (!has('the server time', told)) {
    if (declared.shortSide) capabilities.push('position_side_short')
    const facts = factsOf(declared, capabilities, rulesOf(declared))
    return { facts, orderLimit, profile: 'spec', hedged: null, unread: [] }
  }
  const [markets, prices, resting, mode] = await Promise.all([
    client.markets({}, { deadlineMs }),
    client.ticker({}, { deadlineMs }),
    client.openOrders({ limit: 1 }, { deadlineMs }),
    client.hedgeMode({}, { deadlineMs }),
  ])
  // Lists of resting orders, their withdrawal and change, and conditional orders come together at every venue of the family.
  if (has('the open orders', resting))
    capabilities.push('open_orders', 'cancel', 'amend', 'conditional_orders')
  // Whoever tells prices streams them, too. Asking is not free: tokens are few, and restarts would use them up.
  if (has('the markets', markets) && has('the prices', prices)) capabilities.push('market_data', 'streams')
  const hedged = has('the position mode', mode) && mode.kind === 'answer' ? mode.value.hedgeMode : null
  // Where there is one position, the sides are told apart by our own fills, if the operator wants it so.
  if (hedged === true || declared.shortSide) capabilities.push('position_side_short')
  const rules = markets.kind === 'answer' ? marketFacts(markets.value) : rulesOf(declared)
  const unread = markets.kind === 'answer' ? (markets.unread ?? []) : []
  return {
    facts: factsOf(declared, capabilities, rules),
    orderLimit,
    profile: 'full',
    hedged,
    ...(told.kind === 'answer' && { time: told.value.time * 1000 }),
    unread: unread.map((each) => unreadText('markets', each)),
  }
}

function factsOf(
  { batchMax, clientIds, speed, settleMs, leverage }: Declared,
  capabilities: Capability[],
  markets: Record<string, MarketFacts>,
): VenueFacts {
  return { capabilities, batchMax, clientIds, speed, settleMs, leverage: leverage ?? null, markets }
}

function rulesOf({ markets }: Declared): Record<string, MarketFacts> {
  if (markets !== null) return markets
  throw new BotError('VENUE_REFUSED', {
    seen: 'the venue does not report the rules of its markets',
    fix: 'Name a file of market rules in the venue file: world: config/exchange.yaml',
  })
}

/** Only a lasting refusal means that the venue lacks a capability. Any other failure may pass, and the start waits for it. */
function has(what: string, outcome: AnyOutcome): boolean {
  if (isDenied(outcome)) return false
  if (outcome.kind === 'answer') return true
  throw new UndecidedCapability(`${what}: ${reasonOf(outcome)}`)
}

function needed(what: string, outcome: AnyOutcome): void {
  if (outcome.kind === 'answer') return
  const seen = `${what}: ${reasonOf(outcome)}`
  if (outcome.kind === 'refused' && outcome.throttle === 'nonce') throw new NonceRefused(seen, nonceFix)
  // Too many calls say nothing of the key.
  if (outcome.kind === 'refused' && outcome.throttle === undefined)
    throw new BotError('VENUE_REFUSED', { seen, fix: 'Check the key and its permissions' })
  throw new BotError('VENUE_UNREACHABLE', { seen })
}
