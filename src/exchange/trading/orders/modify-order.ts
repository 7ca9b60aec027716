import { drawOrderId, useClientId } from './order-intake.ts'
import type { Draft } from './order-draft.ts'
import { ownerOf, type Floor } from '#src/exchange/trading/trading-context.ts'
import { check, enter, type NotPlaced } from './order-matching.ts'
import { promise, withdraw } from './resting-orders.ts'
import { isUsed } from './used-client-ids.ts'

/**
 * The order with another price, or other lots, or both. It is a new order with a new id, behind all others of its
 * price, under the client id of the old one. When the new one would not be taken, the old one stays where it is.
 */
export function modify(
  floor: Floor,
  row: number,
  change: Pick<Draft, 'ticks' | 'lots'> & Partial<Pick<Draft, 'selfTrade'>>,
  now: number,
): number | NotPlaced {
  const { orders } = floor.state
  const account = ownerOf(floor, row)
  const market = floor.markets[orders.market[row] ?? 0]
  if (market === undefined) throw new RangeError(`order ${orders.id[row]} is in no market`)
  const left = orders.left[row] ?? 0
  const draft: Draft = {
    clientId: orders.clientId[row] ?? '',
    sells: orders.sells[row] === 1,
    positionSide: orders.positionSide[row] ?? 0,
    selfTrade: orders.selfTrade[row] ?? 0,
    flags: orders.flags[row] ?? 0,
    ...change,
  }
  promise(floor, market, account, row, -left)
  const checked = check(floor, market, account, draft)
  promise(floor, market, account, row, left)
  if (typeof checked === 'string') return checked

  // What waits to come in its place waits on.
  const id = drawOrderId(account)
  for (const trigger of floor.state.triggers) if (trigger.other === orders.id[row]) trigger.other = id
  withdraw(floor, market, row, 'CANCELED', now)
  const { clientId } = draft
  if (clientId !== '' && !isUsed(account.usedIds, clientId)) useClientId(floor, account, clientId)
  return enter(floor, market, account, { ...draft, id }, now, checked)
}
