import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { noProblems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { invalidTrade } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { positionSides } from '#src/exchange/trading/book/order-columns.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { eventAt, newestEvents, type PositionEvent } from '#src/exchange/trading/positions/position-events.ts'
import { RefusedCall, type Handler } from '#src/exchange/venue-context.ts'

/** The limits of a call are those of the vendor's OpenAPI document. */
const farthest = 10_000

/** A position of which not all fills are kept any more is left out: its sums would be wrong. */
export const closedPositions: Handler<'closedPositions'> = ({ venue, account, parameters, now }) => {
  const { startDate = 0, endDate = Infinity } = parameters
  const { limit, offset } = pageOf(contract.closedPositions, parameters)
  const problems = noProblems()
  if (offset + limit > farthest)
    problems['offset'] = [`The offset and the limit may not exceed ${farthest} together.`]
  if (endDate < startDate) problems['endDate'] = ['The endDate should not be before the startDate.']
  else if (parameters.endDate !== undefined && endDate > seconds(now) + 1)
    problems['endDate'] = ['The endDate should not be in the future.']
  if (Object.keys(problems).length > 0) return new RefusedCall(invalidTrade(problems))
  const closed = new Map<number, PositionEvent[]>()
  for (const place of newestEvents(account.positionEvents)) {
    const event = eventAt(account.positionEvents, place)
    const known = closed.get(event.position)
    if (known) known.push(event)
    else if (event.lots === 0) closed.set(event.position, [event])
  }
  const found = []
  for (const events of closed.values()) {
    const [last, first] = [events[0], events.at(-1)]
    const market = venue.trading.markets[last?.market ?? -1]
    if (!last || first?.at !== first?.openedAt || market === undefined) continue
    const at = seconds(last.at)
    if (at >= startDate && at <= endDate) found.push(closedPosition(market, events, last))
  }
  return found.slice(offset, offset + limit)
}

function closedPosition(market: Market, events: readonly PositionEvent[], last: PositionEvent) {
  // The fill that closed a long position is a sell.
  const exits = events.filter(({ sells }) => sells === last.sells)
  const entries = events.filter(({ sells }) => sells !== last.sells)
  const gross = sumOf(events, ({ realised }) => realised)
  return {
    positionId: last.position,
    market: market.name,
    grossPnl: formatAtoms(gross),
    netPnl: formatAtoms(gross + last.funding),
    totalTradeFee: formatAtoms(sumOf(events, ({ fee }) => fee)),
    totalFunding: formatAtoms(-last.funding),
    avgEntryPrice: averageOf(market, entries),
    avgExitPrice: averageOf(market, exits),
    closedSize: market.amountText(exits.reduce((lots, { traded }) => lots + traded, 0)),
    amount: '0' as const,
    side: positionSides[last.hedged ? last.bucket : positionSides.indexOf('BOTH')] ?? 'BOTH',
    isHedge: last.hedged,
    openDate: seconds(last.openedAt),
    closeDate: seconds(last.at),
  }
}

/** By volume, cut down to the digits of a price. */
function averageOf(market: Market, events: readonly PositionEvent[]): string {
  const lots = sumOf(events, ({ traded }) => BigInt(traded))
  const worth = sumOf(events, ({ ticks, traded }) => BigInt(ticks) * BigInt(traded))
  return market.priceText(Number(worth / lots))
}

function sumOf(events: readonly PositionEvent[], valueOf: (event: PositionEvent) => bigint): bigint {
  return events.reduce((sum, event) => sum + valueOf(event), 0n)
}
