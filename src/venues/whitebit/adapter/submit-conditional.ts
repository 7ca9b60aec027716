import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { CallOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { ApprovedOrder } from '#src/engine/commands.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import { notAccepted } from './refusals.ts'

/** Submits an order that waits for its activation price, then takes at the market price, and only reduces. */
export async function submitConditional(
  client: Pick<Client, 'collateralTriggerMarket'>,
  { id, market, side, amount, activation = '' }: ApprovedOrder,
  position: { positionSide?: 'LONG' | 'SHORT' },
  options: CallOptions,
): Promise<{ answer: OrderAnswer; pausedMs: number }> {
  const order = { market, side, amount, activation_price: activation, client_order_id: id, reduceOnly: true }
  const outcome = await client.collateralTriggerMarket({ ...order, ...position }, options)
  if (outcome.kind === 'accepted') return { answer: acceptedAs(id, outcome.value), pausedMs: 0 }
  return { answer: notAccepted(outcome), pausedMs: outcome.waitMs ?? 0 }
}

type Outcome = Awaited<ReturnType<Client['collateralTriggerMarket']>>

function acceptedAs(
  id: string,
  { client_order_id, order_id }: Extract<Outcome, { kind: 'accepted' }>['value'],
): OrderAnswer {
  if (client_order_id !== id) return { kind: 'unknown', reason: 'The answer is about another order' }
  // It waits: a read tells what follows its activation.
  return { kind: 'accepted', venueId: String(order_id), filled: '0', money: '0', fee: '0', ended: false }
}
