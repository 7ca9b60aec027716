import type { Client } from '#src/client/client.ts'
import type { Told } from './driver.ts'
import { progressOf } from './submitting.ts'

/** What venues call an order that is not there (any more). */
const goneCodes = new Set<number | null>([2, 404])
const goneText = /not found|not exist|already cancell?ed|unexecuted/i

/**
 * Takes one order back. One by one, because only the answer about a single order says how far it had come: a part that
 * was filled a moment before is then known with the end of it, and not later.
 */
export async function withdraw(
  client: Pick<Client, 'cancelOrder' | 'orderHistory'>,
  { id, market }: { id: string; market: string },
  tell: (event: Told) => void,
): Promise<void> {
  const outcome = await client.cancelOrder({ market, client_order_id: id }, { priority: 'exits' })
  if (outcome.kind === 'accepted') {
    tell({ kind: 'seen', id, ...progressOf(outcome.value), ended: true })
    tell({ kind: 'withdrawn', id, outcome: 'canceled', message: '' })
    return
  }
  if (outcome.kind === 'refused') {
    const { code, message, errors } = outcome
    const text = [message, ...Object.values(errors).flat()].join('; ')
    const gone = goneCodes.has(code) || goneText.test(text)
    if (gone) await tellEnd(client, { id, market }, tell)
    tell({ kind: 'withdrawn', id, outcome: gone ? 'gone' : 'refused', message: text })
    return
  }
  // What never left is as good as refused: the order rests, and may be asked for again.
  tell({
    kind: 'withdrawn',
    id,
    outcome: outcome.kind === 'unknown' ? 'unknown' : 'refused',
    message: outcome.reason,
  })
}

/** It ended a moment before: the history says how, or does not know it yet. Venues that withdraw can look up one order. */
async function tellEnd(
  client: Pick<Client, 'orderHistory'>,
  { id, market }: { id: string; market: string },
  tell: (event: Told) => void,
): Promise<void> {
  const outcome = await client.orderHistory({ market, client_order_id: id }, { priority: 'exits' })
  const order =
    outcome.kind === 'answer' && outcome.value[market]?.find((each) => each.client_order_id === id)
  if (!order) return
  const { deal_stock: filled, deal_money: money, deal_fee: fee } = order
  tell({ kind: 'seen', id, venueId: String(order.id), filled, money, fee, ended: true })
}
