import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { AccountReads, HeldPositions, ReadResult, ReadPolicy } from '#src/venue/port.ts'
import { endedOrders, openOrders, recentEnds } from './order-lists.ts'
import { failedRead, readOf, readValue } from './read-of.ts'

const dealsMax = 500
/** Fills wait for so long for the order in which they were made. */
const dealsDeadlineMs = 3000

const undocumented: ReadResult<never> = {
  kind: 'denied',
  reason: 'the venue offers the documented calls alone',
}

/** Orders, positions and balances. A venue of profile spec is not asked for calls beyond the specification. */
export function accountReads(client: Client, profile: () => 'spec' | 'full'): AccountReads {
  return {
    openOrders: (policy) => openOrders(client, optionsOf(policy)),
    endedOrders: (since, policy) => endedOrders(client, since, optionsOf(policy)),
    ends: (wanted) => recentEnds(client, wanted),
    async deals(market) {
      if (profile() === 'spec') return undocumented
      const answer = await client.executedHistory(
        { market, limit: dealsMax },
        { deadlineMs: dealsDeadlineMs },
      )
      if (answer.kind !== 'answer') return failedRead(answer)
      if (!Array.isArray(answer.value)) return { kind: 'failed', reason: 'deals of all markets' }
      const deals = answer.value.map(({ id, order_id: order, time, amount, deal: money, fee }) => {
        return { id, venueId: String(order), at: time * 1000, amount, money, fee }
      })
      return readValue({ deals, isAll: deals.length < dealsMax }, `deals of ${market}`, answer.unread)
    },
    async positions() {
      if (profile() === 'spec') return undocumented
      return readOf(await client.openPositions(), 'open positions', (positions) => {
        const held: HeldPositions = {}
        const liquidation: Record<string, string> = {}
        for (const { market, amount, liquidationPrice } of positions) {
          const side = amount.startsWith('-') ? 'short' : 'long'
          held[market] = { ...(held[market] ?? { long: '0', short: '0' }), [side]: amount.replace('-', '') }
          if (typeof liquidationPrice === 'string') liquidation[`${market} ${side}`] = liquidationPrice
        }
        return { held, liquidation }
      })
    },
    async balances(policy) {
      const outcome = await client.tradingBalance({}, optionsOf(policy))
      return readOf(outcome, 'trading balance', (all) => ({
        available: mapped(all, ({ available }) => available),
        freeze: mapped(all, ({ freeze }) => freeze),
      }))
    },
    async mainBalances() {
      const outcome = await client.mainBalance()
      return readOf(outcome, 'main balance', (all) => mapped(all, (each) => each.main_balance))
    },
    async equity() {
      if (profile() === 'spec') return undocumented
      const outcome = await client.accountSummary()
      return readOf(outcome, 'account summary', ({ equity, leverage = null }) => ({ equity, leverage }))
    },
  }
}

function optionsOf(policy?: ReadPolicy): { homeOnly: true } | undefined {
  return policy?.isPrimary === true ? { homeOnly: true } : undefined
}

function mapped<Value>(
  record: Record<string, Value>,
  textOf: (value: Value) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, textOf(value)]))
}
