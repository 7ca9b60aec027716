import type { Client } from '#src/client/client.ts'
import type { OrderOutcome, PlacedOrder } from '#src/client/outcome.ts'
import type { Approved, Submit } from '#src/engine/commands.ts'
import type { OrderAnswer, Progress } from '#src/engine/events.ts'
import type { Told } from './driver.ts'

/** Words of venues for an order that will not change any more; any other word means that it may still live. */
const endings = new Set(['FILLED', 'CANCELED', 'CANCELLED', 'REJECTED', 'EXPIRED'])

export function progressOf(order: Omit<PlacedOrder, 'price' | 'positionSide'>): Progress {
  return {
    venueId: String(order.order_id),
    filled: order.deal_stock,
    money: order.deal_money,
    fee: order.deal_fee,
    ended: order.ioc || endings.has(order.status),
  }
}

/**
 * Sends one chunk. Its deadline is a span of the venue's time when it is decided and of our own time on its way: a
 * network is as slow as it is, however fast the venue's clock runs.
 */
export async function submit(
  client: Pick<Client, 'collateralBulk'>,
  { chunk, orders, stopOnFail, priority }: Submit,
  about: { deadlineMs: number; signal: AbortSignal; heard: (at: number) => void },
): Promise<Told> {
  const { deadlineMs, signal, heard } = about
  const outcome = await client.collateralBulk(
    { orders: orders.map(wire), stopOnFail },
    { priority, deadlineMs, signal },
  )
  const answers = outcome.orders.map((order): OrderAnswer => {
    if (order.kind === 'accepted') heard(order.order.timestamp * 1000)
    return answerOf(order)
  })
  return { kind: 'answered', chunk, orders: answers }
}

function wire(order: Approved) {
  const { id, market, side, positionSide, price, amount, postOnly, ioc, rpi } = order
  return {
    market,
    side,
    price,
    amount,
    client_order_id: id,
    ...(positionSide === 'SHORT' && { positionSide }),
    ...(postOnly && { postOnly }),
    ...(ioc && { ioc }),
    ...(rpi && { rpi }),
  }
}

function answerOf(outcome: OrderOutcome): OrderAnswer {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', ...progressOf(outcome.order) }
    case 'refused': {
      const { code, message, errors, alreadyUsed } = outcome
      const details = Object.values(errors).flat().join('; ')
      return { kind: 'refused', code, message: details === '' ? message : details, alreadyUsed }
    }
    case 'not-attempted':
      return { kind: 'not-attempted' }
    case 'not-sent':
      return { kind: 'not-sent', cause: outcome.cause, reason: outcome.reason }
    case 'unknown':
      return { kind: 'unknown', reason: outcome.reason }
  }
}
