import { drawOrderId, useClientId } from './order-intake.ts'
import type { NewOrder } from './order-draft.ts'
import { marketOf, ownerOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import { checkOrder, placeChecked, type NotPlaced } from './order-matching.ts'
import { reserve, cancelResting } from './resting-orders.ts'
import { attachedTo } from './attached-exits.ts'
import { isUsed } from './used-client-ids.ts'

/**
 * Replaces the order by one with another price, other lots, or both. The new order has a new id, the last place at its
 * price, and the client order id of the old one. If the new order would be refused, the old one stays.
 */
export function modify(
  trading: Trading,
  row: number,
  change: Pick<NewOrder, 'ticks' | 'lots'> & Partial<Pick<NewOrder, 'selfTrade'>>,
  now: number,
): number | NotPlaced {
  const { orders } = trading.state
  const account = ownerOf(trading, row)
  const market = marketOf(trading, row)
  const left = orders.left[row] ?? 0
  const draft: NewOrder = {
    clientId: orders.clientId[row] ?? '',
    sells: orders.sells[row] === 1,
    positionSide: orders.positionSide[row] ?? 0,
    selfTrade: orders.selfTrade[row] ?? 0,
    flags: orders.flags[row] ?? 0,
    ...change,
  }
  reserve(trading, row, -left)
  const checked = checkOrder(trading, market, account, draft)
  reserve(trading, row, left)
  if (typeof checked === 'string') return checked

  // Orders linked to the old order are linked to the new one, and so are its exits.
  const id = drawOrderId(account)
  const attached = attachedTo(trading.state, orders.id[row] ?? 0)
  if (attached) attached.order = id
  for (const trigger of trading.state.triggers) if (trigger.other === orders.id[row]) trigger.other = id
  cancelResting(trading, row, 'CANCELED', now)
  const { clientId } = draft
  if (clientId !== '' && !isUsed(account.usedIds, clientId)) useClientId(trading, account, clientId)
  return placeChecked(trading, market, account, { ...draft, id, lots: checked }, now)
}
