import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { BulkOutcome, OrderOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import type { ApprovedOrder, Submit } from '#src/engine/commands.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { progressOf } from '#src/runtime/account/order-progress.ts'

/** Words of venues for an order that will not change any more; any other word means that it may still live. */
const endings = new Set(['FILLED', 'CANCELED', 'CANCELLED', 'REJECTED', 'EXPIRED'])

/** The code of a request that was refused as a whole, before any order of it was looked at. */
const requestInvalid = 30

export type SubmitParts = {
  client: Pick<Client, 'collateralBulk'>
  /** Orders in one request at most, as the venue has let us know: it learns, and stays. */
  batch: { max: number }
  signal: AbortSignal
  /** Whether long and short positions stand side by side at the venue. */
  hedged: boolean
  /** How many times as fast as ours the venue's time runs. */
  speed?: number
  heard: (at: number) => void
}

/**
 * Sends one chunk. Its deadline is a span of the venue's time when it is decided and of our own time on its way: a
 * network is as slow as it is, however fast the venue's clock runs.
 */
export async function submitOrders(
  sending: SubmitParts,
  command: Submit,
  withinMs: () => number,
): Promise<NewEvent> {
  const { client, batch, signal, hedged, speed = 1, heard } = sending
  const { chunk, orders, stopOnFail, priority } = command
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
    const some = orders.slice(answers.length, answers.length + most)
    const parameters = { orders: some.map((order) => wire(order, hedged)), stopOnFail }
    const outcome = await client.collateralBulk(parameters, { priority, deadlineMs: withinMs(), signal })
    if (outcome.kind !== 'answered') pausedMs = Math.max(pausedMs, (outcome.waitMs ?? 0) * speed)
    const isInvalid = outcome.kind === 'refused' && !outcome.throttle && outcome.code === requestInvalid
    if (isInvalid && some.length > 1) {
      // None of them was sent: fewer of them may be taken.
      most = Math.ceil(some.length / 2)
      continue
    }
    if (outcome.kind === 'answered') mostTaken = most
    if (isInvalid) {
      refusedAlone = true
      most = batch.max
    }
    answers.push(...answersOf(outcome, heard))
  }
  // Where one of them was refused alone, too, it was not how many there were: what comes next need not leave one by one.
  if (!refusedAlone) batch.max = Math.min(batch.max, mostTaken)
  return { kind: 'answered', chunk, orders: answers, ...(pausedMs > 0 && { pausedMs }) }
}

/** One for each order of a request. */
function answersOf(outcome: BulkOutcome, heard: SubmitParts['heard']): OrderAnswer[] {
  if (outcome.kind === 'refused') {
    const { throttle, message: reason, orders } = outcome
    if (throttle === 'rate') return orders.map(() => ({ kind: 'not-sent', cause: 'throttled', reason }))
    // A nonce that is not new may have been used by this very call, if it was delivered twice on its way.
    if (throttle === 'nonce') return orders.map(() => ({ kind: 'unknown', reason }))
  }
  return outcome.orders.map((order): OrderAnswer => {
    if (order.kind === 'accepted' && order.order.timestamp !== undefined) heard(order.order.timestamp * 1000)
    return answerOf(order)
  })
}

/** In the contract's order of fields: anything else is looked at with a magnifying glass, here and at the venue. */
function wire(order: ApprovedOrder, hedged: boolean) {
  const { id, market, side, price, amount, postOnly, ioc, rpi } = order
  const positionSide = hedged ? sideOf(order) : order.positionSide
  return {
    market,
    side,
    amount,
    price,
    client_order_id: id,
    ...(postOnly && { postOnly }),
    ...(ioc && { ioc }),
    ...(rpi && { rpi }),
    ...((hedged || positionSide === 'SHORT') && { positionSide }),
  }
}

/** Where long and short stand side by side, an order names the one that it opens or leaves. */
function sideOf({ side, role }: ApprovedOrder): 'LONG' | 'SHORT' {
  return (side === 'buy') === (role === 'entry') ? 'LONG' : 'SHORT'
}

function answerOf(outcome: OrderOutcome): OrderAnswer {
  switch (outcome.kind) {
    case 'accepted': {
      const { order } = outcome
      const ended = order.ioc || endings.has(order.status)
      const progress = progressOf(order.order_id, order, ended)
      // What fills at once fills when the order is taken.
      const hasFilled = Number(progress.filled) !== 0
      const dealtAt = hasFilled && order.timestamp !== undefined ? order.timestamp * 1000 : undefined
      return { kind: 'accepted', ...progress, ...(dealtAt !== undefined && { dealtAt }) }
    }
    case 'refused': {
      const { code, message, errors, alreadyUsed } = outcome
      const details = Object.values(errors).flat().join('; ')
      const fields = Object.keys(errors)
      return { kind: 'refused', code, message: details === '' ? message : details, alreadyUsed, fields }
    }
    case 'not-attempted':
      return { kind: 'not-attempted' }
    case 'not-sent':
      return { kind: 'not-sent', cause: outcome.cause, reason: outcome.reason }
    case 'unknown':
      return { kind: 'unknown', reason: outcome.reason }
  }
}
