import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { Cancellation, CancelResult, EndsWanted, OrderName } from '#src/venue/port.ts'
import { saysGone } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { recentEnds } from './order-lists.ts'

/** Orders in one request. */
export const cancelMax = 50

/** Cancels orders in one request, and reads the history right after it; sends no request for an empty list. */
export async function cancelOrders(
  client: Pick<Client, 'cancelOrders' | 'orderHistory'>,
  orders: readonly OrderName[],
  wanted: readonly EndsWanted[],
): Promise<Cancellation> {
  const outcome =
    orders.length === 0
      ? nothingAsked
      : await client.cancelOrders({ orders: orders.map(wire) }, { priority: 'exits' })
  if (outcome.kind === 'accepted' && outcome.value.length === orders.length)
    return {
      results: outcome.value.map(({ error }) => resultOf(error)),
      ...(await recentEnds(client, wanted)),
    }
  const shared = sharedResult(outcome)
  return { results: orders.map(() => shared), ends: new Map(), unread: new Set() }
}

const nothingAsked = { kind: 'accepted', value: [] } as const

function wire(order: OrderName) {
  const { market } = order
  return 'venueId' in order
    ? { market, order_id: Number(order.venueId) }
    : { market, client_order_id: order.id }
}

function resultOf(
  error: { code: number; message: string; errors?: Record<string, string[]> | undefined } | null,
): CancelResult {
  if (error === null) return { outcome: 'canceled', message: '' }
  const message = [error.message, ...Object.values(error.errors ?? {}).flat()].join('; ')
  return { outcome: saysGone(error.code, message) ? 'gone' : 'refused', message }
}

function sharedResult(outcome: {
  kind: string
  message?: string
  reason?: string
  throttle?: string
}): CancelResult {
  const message = outcome.message ?? outcome.reason ?? 'the venue answered for other orders than requested'
  if (outcome.throttle !== undefined) return { outcome: 'throttled', message }
  // A request that was not sent changes nothing, as a refusal does: the orders stay open and can be cancelled again.
  const isKnown = outcome.kind === 'refused' || outcome.kind === 'not-sent'
  return { outcome: isKnown ? 'refused' : 'unknown', message }
}
