import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { BulkOutcome, OrderOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import type { ApprovedOrder } from '#src/engine/commands.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import type { Submission, SubmitPolicy } from '#src/venue/port.ts'
import { acceptedAnswer } from './order-progress.ts'
import { refusedAnswer } from './refusals.ts'
import { submitAmended } from './submit-amended.ts'
import { submitConditional } from './submit-conditional.ts'

/** The code of a request that was refused as a whole, before the venue read any order of it. */
const requestInvalid = 30

export type SubmitParts = {
  client: Pick<Client, 'collateralBulk' | 'collateralTriggerMarket' | 'modifyOrder'>
  /** Most orders in one request, as the refusals of the venue have shown. */
  batch: { max: number }
  /** Whether long and short positions are kept side by side at the venue. */
  hedged: boolean
}

/**
 * Submits orders in one request, and in smaller ones if the venue refuses a request of this size. A conditional order has a
 * request of its own, and so has an order that replaces another one: the bulk takes none.
 */
export async function submitOrders(
  { client, batch, hedged }: SubmitParts,
  orders: readonly ApprovedOrder[],
  { stopOnFail, priority, withinMs, sendWithinMs, signal, onTime }: SubmitPolicy,
): Promise<Submission> {
  let most = batch.max
  let mostTaken = Infinity
  let refusedAlone = false
  let pausedMs = 0
  const answers: OrderAnswer[] = []
  while (answers.length < orders.length) {
    if (stopOnFail && answers.some(({ kind }) => kind !== 'accepted')) {
      answers.push({ kind: 'not-attempted' })
      continue
    }
    const left = orders.slice(answers.length)
    const alone = left.findIndex(isAlone)
    const options = {
      priority,
      deadlineMs: withinMs(),
      ...(sendWithinMs && { sendWithinMs: sendWithinMs() }),
      signal,
    }
    const [first] = left
    if (first && alone === 0) {
      const single = first.amends
        ? await submitAmended(client, first, first.amends, options)
        : await submitConditional(client, first, positionOf(first, hedged), options)
      pausedMs = Math.max(pausedMs, single.pausedMs)
      answers.push(single.answer)
      continue
    }
    const some = left.slice(0, alone === -1 ? most : Math.min(most, alone))
    const parameters = { orders: some.map((order) => wire(order, hedged)), stopOnFail }
    const outcome = await client.collateralBulk(parameters, options)
    if (outcome.kind !== 'answered') pausedMs = Math.max(pausedMs, outcome.waitMs ?? 0)
    const isInvalid = outcome.kind === 'refused' && !outcome.throttle && outcome.code === requestInvalid
    if (isInvalid && some.length > 1) {
      // No order of it was placed: the venue may take a smaller request.
      most = Math.ceil(some.length / 2)
      continue
    }
    if (outcome.kind === 'answered') mostTaken = most
    if (isInvalid) {
      refusedAlone = true
      most = batch.max
    }
    answers.push(...answersOf(outcome, onTime))
  }
  // A single order was refused, too: the number of orders was not the reason, and later requests need not be smaller.
  if (!refusedAlone) batch.max = Math.min(batch.max, mostTaken)
  return { answers, pausedMs }
}

function isAlone({ activation, amends }: ApprovedOrder): boolean {
  return activation !== undefined || amends !== undefined
}

/** One for each order of a request. */
function answersOf(outcome: BulkOutcome, onTime: SubmitPolicy['onTime']): OrderAnswer[] {
  if (outcome.kind === 'refused') {
    const { throttle, message: reason, orders } = outcome
    if (throttle === 'rate') return orders.map(() => ({ kind: 'not-sent', cause: 'throttled', reason }))
    // This very call may have used the nonce, if it was delivered twice.
    if (throttle === 'nonce') return orders.map(() => ({ kind: 'unknown', reason }))
  }
  return outcome.orders.map((order): OrderAnswer => {
    if (order.kind === 'accepted' && order.order.timestamp !== undefined) onTime(order.order.timestamp * 1000)
    return answerOf(order)
  })
}

/** In the contract's order of fields: the client and the exchange read this order fastest. */
function wire(order: ApprovedOrder, hedged: boolean) {
  const { id, market, side, price, amount, postOnly, ioc, rpi, reduceOnly } = order
  return {
    market,
    side,
    amount,
    price,
    client_order_id: id,
    ...(postOnly && { postOnly }),
    ...(ioc && { ioc }),
    ...(rpi && { rpi }),
    ...positionOf(order, hedged),
    ...(reduceOnly && { reduceOnly }),
  }
}

function positionOf(order: ApprovedOrder, hedged: boolean): { positionSide?: 'LONG' | 'SHORT' } {
  const positionSide = hedged ? sideOf(order) : order.positionSide
  return hedged || positionSide === 'SHORT' ? { positionSide } : {}
}

/** Where long and short are kept side by side, an order names the position that it opens or closes. */
function sideOf({ side, role }: ApprovedOrder): 'LONG' | 'SHORT' {
  return (side === 'buy') === (role === 'entry') ? 'LONG' : 'SHORT'
}

function answerOf(outcome: OrderOutcome): OrderAnswer {
  switch (outcome.kind) {
    case 'accepted':
      return acceptedAnswer(outcome.order)
    case 'refused':
      return refusedAnswer(outcome, outcome.alreadyUsed)
    case 'not-attempted':
      return { kind: 'not-attempted' }
    case 'not-sent':
      return { kind: 'not-sent', cause: outcome.cause, reason: outcome.reason }
    case 'unknown':
      return { kind: 'unknown', reason: outcome.reason }
  }
}
