import { sameNumber } from '#src/core/money/decimal-text.ts'
import type { Amended, ApprovedOrder } from '#src/engine/commands.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import type { CallOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import { saysGone } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { acceptedAnswer } from './order-progress.ts'
import { notAccepted } from './refusals.ts'

/**
 * Submits an order that replaces one that rests: the venue ends that one, and gives its client order id to the new one, which is
 * the last in the queue of its price.
 */
export async function submitAmended(
  client: Pick<Client, 'modifyOrder'>,
  order: ApprovedOrder,
  { venueId, clientId }: Amended,
  options: CallOptions,
): Promise<{ answer: OrderAnswer; pausedMs: number }> {
  const { market, side, price, amount } = order
  const outcome = await client.modifyOrder({ market, order_id: Number(venueId), amount, price }, options)
  if (outcome.kind !== 'accepted') {
    const answer = notAccepted(outcome)
    const isGone = answer.kind === 'refused' && saysGone(answer.code, answer.message)
    return { answer: isGone ? { ...answer, refusal: 'gone' } : answer, pausedMs: outcome.waitMs ?? 0 }
  }
  const { value: placed } = outcome
  const isOurs =
    placed.client_order_id === clientId &&
    String(placed.order_id) !== venueId &&
    placed.market === market &&
    placed.side === side &&
    sameNumber(placed.amount, amount) &&
    placed.price !== undefined &&
    sameNumber(placed.price, price)
  const answer: OrderAnswer = isOurs
    ? acceptedAnswer(placed)
    : { kind: 'unknown', reason: 'The answer is about another order' }
  return { answer, pausedMs: 0 }
}
