import type { Client } from '#src/venues/whitebit/client/client.ts'
import { isDenied, type AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { unreadText } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import type { AccountLimits, MarketFacts, VenueFacts } from '#src/engine/events.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Capability } from '#src/strategy/schema/strategy-schema.ts'
import { marketFacts } from './market-facts.ts'

/** What a venue does not tell by itself, as the venue file has it. */
export type Declared = {
  clientIds: VenueFacts['clientIds']
  batchMax: number
  leverage: number | undefined
  speed: number
  /** The longest time between what happens there and its traces in the lists. */
  settleMs: number
  shortSide: boolean
  /** What all strategies together may have there. */
  limits?: AccountLimits | undefined
  /** For a venue that does not tell its rules; null where there are none. */
  markets: Record<string, MarketFacts> | null
}

export type VenueCapabilities = {
  facts: VenueFacts
  /** Whether there is more than the documented calls: prices, lists of orders, streams. */
  profile: 'spec' | 'full'
  /** Whether long and short stand side by side; null where it does not say. */
  hedged: boolean | null
  /** Markets that the bot cannot read: nothing is traded there. */
  unread: string[]
}

/** Long enough for what an earlier run may have used up of the limits. */
const deadlineMs = 20_000

/**
 * Finds out what the venue can do, by reads that change nothing. Without history and balance nothing can be known for
 * certain there, so a venue that does not answer these two is none to trade at.
 */
export async function askVenue(client: Client, declared: Declared): Promise<VenueCapabilities> {
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

async function ask(client: Client, declared: Declared): Promise<VenueCapabilities> {
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
): Promise<VenueCapabilities> {
  const told = await client.time({}, { deadlineMs })
  if (!has('the server time', told)) return undocumented(declared, capabilities)

  const [markets, prices, resting, mode] = await Promise.all([
    client.markets({}, { deadlineMs }),
    client.ticker({}, { deadlineMs }),
    client.openOrders({ limit: 1 }, { deadlineMs }),
    client.hedgeMode({}, { deadlineMs }),
  ])
  // Lists of resting orders and their withdrawal come together at every venue of the family.
  if (has('the open orders', resting)) capabilities.push('open_orders', 'cancel')
  // Whoever tells prices streams them, too. Asking is not free: tokens are few, and restarts would use them up.
  if (has('the markets', markets) && has('the prices', prices)) capabilities.push('market_data', 'streams')
  const hedged = has('the position mode', mode) && mode.kind === 'answer' ? mode.value.hedgeMode : null
  // Where there is one position, the sides are told apart by our own fills, if the operator wants it so.
  if (hedged === true || declared.shortSide) capabilities.push('position_side_short')
  const facts = {
    capabilities,
    batchMax: declared.batchMax,
    clientIds: declared.clientIds,
    speed: declared.speed,
    settleMs: declared.settleMs,
    leverage: declared.leverage ?? null,
    markets: markets.kind === 'answer' ? marketFacts(markets.value) : rulesOf(declared),
  }
  const unread = markets.kind === 'answer' ? (markets.unread ?? []) : []
  return { facts, profile: 'full', hedged, unread: unread.map((each) => unreadText('markets', each)) }
}

/** A venue that offers the documented calls alone. */
function undocumented(declared: Declared, capabilities: Capability[]): VenueCapabilities {
  if (declared.shortSide) capabilities.push('position_side_short')
  const { batchMax, clientIds, speed, settleMs, leverage = null } = declared
  const markets = rulesOf(declared)
  const facts = { capabilities, batchMax, clientIds, speed, settleMs, leverage, markets }
  return { facts, profile: 'spec', hedged: null, unread: [] }
}

function rulesOf({ markets }: Declared): Record<string, MarketFacts> {
  if (markets !== null) return markets
  throw new BotError('VENUE_REFUSED', {
    seen: 'the venue does not report the rules of its markets',
    fix: 'Name a file of market rules in the venue file: world: config/exchange.yaml',
  })
}

/**
 * A capability that a start needs is still unknown. The start asks again, since a wrong no would last as long as the
 * process.
 */
export class Undecided extends BotError {
  constructor(seen: string) {
    super('VENUE_UNREACHABLE', { seen })
  }
}

/** Only a lasting refusal means that the venue lacks a capability. Any other failure may pass, and the start waits for it. */
function has(what: string, outcome: AnyOutcome): boolean {
  if (isDenied(outcome)) return false
  if (outcome.kind === 'answer') return true
  throw new Undecided(`${what}: ${reasonOf(outcome)}`)
}

function needed(what: string, outcome: AnyOutcome): void {
  if (outcome.kind === 'answer') return
  const seen = `${what}: ${reasonOf(outcome)}`
  // Too many calls, or a nonce that another process has overtaken, say nothing of the key.
  if (outcome.kind === 'refused' && outcome.throttle === undefined)
    throw new BotError('VENUE_REFUSED', { seen, fix: 'Check the key and its permissions' })
  throw new BotError('VENUE_UNREACHABLE', { seen })
}

function reasonOf(outcome: AnyOutcome): string {
  if ('message' in outcome) return outcome.message
  return 'reason' in outcome ? outcome.reason : outcome.kind
}
