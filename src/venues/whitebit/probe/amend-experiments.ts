import { sameNumber } from '#src/core/money/decimal-text.ts'
import {
  answerText,
  historyIds,
  isDenied,
  isGone,
  onlyOrderIn,
  ordersIn,
  refusalIn,
  refusalText,
  type ProbedOrder,
} from './probe-answers.ts'
import { notFound, type ProbeResult, type ProbeSteps } from './experiment.ts'
import { cancelled, openNow, pollMs, untilListed, waitMsMax } from './list-experiments.ts'
import {
  acceptedCross,
  elementText,
  isAboutPostOnly,
  noSellOrder,
  onlyElement,
  postOnlyCross,
  takingPrice,
} from './order-experiments.ts'
import { farOrder, largerOrder, refusedChange, type ProbeOrder, type ProbePlace } from './probe-orders.ts'

/** Experiments about orders that are changed in one request, as `rebase: { amend: true }` changes them. */

/** Reads may come from a cache for a second. */
const cacheMs = 2000
const noAmend = 'do not use rebase: { amend: true } there'

/** Amends an order, reads the lists until they show it, cancels the new order, and amends that one. */
export function* amendments(place: ProbePlace, away: number): ProbeSteps {
  const topics = ['amendId', 'amendClientId', 'amendTerms', 'amendLists', 'amendGone'] as const
  const none = (why: string) => topics.map((about) => notFound(about, why))
  const sent = farOrder(place, 'amend', away)
  const placed = yield { do: 'place', orders: [sent] }
  const old = onlyElement(placed)?.order
  if (old === undefined) return none(elementText(placed))
  const change = largerOrder(place, 'amend', away - 1)
  const answer = yield { do: 'amend', orderId: old.order_id, order: change }
  const order = onlyOrderIn(answer)
  if (order === undefined) return none(answerText(answer))
  return [
    idResult(old, order),
    clientIdResult(sent, order),
    termsResult(change, order),
    yield* listsResult(place, old, order),
    yield* goneResult(place, order, sent),
  ]
}

function idResult(old: ProbedOrder, { order_id }: ProbedOrder): ProbeResult {
  const about = 'amendId'
  if (order_id !== old.order_id)
    return {
      about,
      value: 'new',
      found: `an amended order has a new id: ${order_id} after ${old.order_id}`,
      means: 'the bot distinguishes the order and the one that it replaces by their ids',
    }
  return {
    about,
    value: 'kept',
    found: `an amended order keeps its id ${order_id}`,
    means: `the outcome of each amendment would be unknown: ${noAmend}`,
  }
}

function clientIdResult(sent: ProbeOrder, { client_order_id: id }: ProbedOrder): ProbeResult {
  const about = 'amendClientId'
  if (id === sent.client_order_id)
    return {
      about,
      value: 'kept',
      found: 'an amended order has the client order id of the order that it replaces',
      means: 'the bot finds the order by this id if the answer is lost',
    }
  return {
    about,
    value: id === '' ? 'lost' : 'changed',
    found:
      id === ''
        ? 'an amended order has no client order id'
        : `an amended order has the client order id ${id}, not that of the order that it replaces`,
    means: `the bot would not find its order: ${noAmend}`,
    isDanger: true,
  }
}

function termsResult(change: ProbeOrder, { price, amount }: ProbedOrder): ProbeResult {
  const about = 'amendTerms'
  const has = `an amended order has the price ${price} and the amount ${amount}`
  if (sameNumber(price, change.price) && sameNumber(amount, change.amount))
    return { about, value: 'as sent', found: `${has}, as sent`, means: 'the bot accepts such an answer' }
  return {
    about,
    value: 'other',
    found: `${has}; the price ${change.price} and the amount ${change.amount} were sent`,
    means: `the outcome of each amendment would be unknown: ${noAmend}`,
  }
}

/** Reads the lists until they show the new order as open and the old one as ended. */
function* listsResult(place: ProbePlace, old: ProbedOrder, order: ProbedOrder): ProbeSteps<ProbeResult> {
  const about = 'amendLists'
  const { market } = place
  if (order.order_id === old.order_id) return notFound(about, 'an amended order keeps its id')
  for (let startedAt: number | undefined; ;) {
    const open = yield { do: 'ask', call: 'openOrders', parameters: { market, limit: 100 } }
    const listed = new Set(ordersIn(open)?.map(({ order_id }) => order_id))
    const read = yield { do: 'ask', call: 'orderHistory', parameters: { market, limit: 50 } }
    const [isOpen, isOldOpen] = [listed.has(order.order_id), listed.has(old.order_id)]
    if (isOpen && !isOldOpen && historyIds(read).has(String(old.order_id)))
      return {
        about,
        value: 'replaced',
        found: 'the lists show the amended order as open, and the order that it replaces as ended',
        means: 'the bot reads the last fills of the replaced order from the history',
      }
    startedAt ??= open.sentAt
    if (read.at - startedAt > waitMsMax) return lateLists(isOpen, isOldOpen)
    yield { do: 'wait', ms: pollMs }
  }
}

function lateLists(isOpen: boolean, isOldOpen: boolean): ProbeResult {
  const about = 'amendLists'
  const late = `after ${waitMsMax / 1000} s`
  if (!isOpen) return notFound(about, `an amended order was not listed ${late}`)
  if (isOldOpen)
    return {
      about,
      value: 'both open',
      found: `the order that was amended is still open ${late}, beside the new one`,
      means: `the account has two orders where the bot has one: ${noAmend}`,
      isDanger: true,
    }
  return {
    about,
    value: 'no end',
    found: `the history does not show the end of the order that was amended ${late}`,
    means: `the bot would count this order as open, and wait for its end: ${noAmend}`,
  }
}

/** Cancels the order, and amends it after that. */
function* goneResult(place: ProbePlace, order: ProbedOrder, change: ProbeOrder): ProbeSteps<ProbeResult> {
  const about = 'amendGone'
  const told = yield* cancelled(place, order)
  if (told === undefined) return notFound(about, 'the cancelled order was still listed')
  const answer = yield { do: 'amend', orderId: order.order_id, order: change }
  if (onlyOrderIn(answer))
    return {
      about,
      value: 'accepted',
      found: 'the venue accepted an amendment of an order that had ended, and placed an order',
      means: `an order that has just filled would be placed a second time: ${noAmend}`,
      isDanger: true,
    }
  const refusal = refusalIn(answer.body)
  if (refusal === undefined) return notFound(about, answerText(answer))
  const found = `the amendment of an order that has ended is refused: ${refusalText(refusal)}`
  if (isGone(refusal)) {
    const means = 'the bot searches for the order: it has filled, or the same request has arrived before'
    return { about, value: 'gone', found, means }
  }
  const means =
    'the bot cannot tell this refusal from others: it reads the lists, and cancels and places for a minute'
  return { about, value: 'refused', found, means }
}

/** Sends a change that no venue can accept, and looks whether the order is still open. */
export function* refusedAmendment(place: ProbePlace, away: number): ProbeSteps {
  const about = 'amendRefused'
  const placed = yield { do: 'place', orders: [farOrder(place, 'amend.kept', away)] }
  const order = onlyElement(placed)?.order
  if (order === undefined) return notFound(about, elementText(placed))
  if ((yield* untilListed(place, order, placed.sentAt)) === undefined)
    return notFound(about, 'an open order was not listed')
  const change = refusedChange(place, 'amend.kept', away - 1)
  const answer = yield { do: 'amend', orderId: order.order_id, order: change }
  const refusal = refusalIn(answer.body)
  // A venue without this call refuses it, too.
  if (refusal === undefined || isDenied(answer)) return notFound(about, answerText(answer))
  const isKept = yield* staysOpen(place, order)
  if (isKept === undefined) return notFound(about, 'the open orders were not listed')
  const refused = `an amendment with an invalid price and amount is refused: ${refusalText(refusal)}`
  return {
    about,
    value: isKept ? 'kept' : 'ended',
    found: isKept ? `${refused}; the order stays open` : `${refused}; the order has ended`,
    means: isKept ? keptMeans : endedMeans,
  }
}

const keptMeans = 'the bot keeps the order, and cancels and places the orders of this ladder for a minute'
const endedMeans = 'the rung has no order until the bot has read this end; then the bot places it again'

/** Whether the order is still listed a moment later; undefined if the answer is no list. */
function* staysOpen(place: ProbePlace, order: ProbedOrder): ProbeSteps<boolean | undefined> {
  yield { do: 'wait', ms: cacheMs }
  return (yield* openNow(place, order)).isListed
}

/** A new order first: a venue that does not protect this one gets no amended one. */
export function* crosses(place: ProbePlace, away: number): ProbeSteps {
  const cross = yield* postOnlyCross(place, away)
  const isProtected = cross.value === 'refused' || cross.value === 'canceled'
  const why = 'it is not known that the venue protects a new postOnly order'
  return [cross, isProtected ? yield* amendCross(place, away) : notFound('amendCross', why)]
}

/** Amends an order to another far price, which must not lose the flag, and then to a price that would take. */
function* amendCross(place: ProbePlace, away: number): ProbeSteps<ProbeResult> {
  const about = 'amendCross'
  const placed = yield { do: 'place', orders: [farOrder(place, 'amend.cross', away)] }
  const old = onlyElement(placed)?.order
  if (old === undefined) return notFound(about, elementText(placed))
  const far = farOrder(place, 'amend.cross', away - 1)
  const answer = yield { do: 'amend', orderId: old.order_id, order: far }
  const order = onlyOrderIn(answer)
  if (order === undefined) return notFound(about, answerText(answer))
  if (order.postOnly !== true)
    return notFound(about, 'the venue did not confirm postOnly of an amended order')
  if ((yield* untilListed(place, order, answer.sentAt)) === undefined)
    return notFound(about, 'an amended order was not listed')
  const price = yield* takingPrice(place)
  if (price === undefined) return notFound(about, noSellOrder)
  // The amount stays: a venue that ignores it cannot buy more than the probe has announced.
  const crossing = { ...far, price: price.toFixed() }
  const crossed = yield { do: 'amend', orderId: order.order_id, order: crossing }
  const taken = onlyOrderIn(crossed)
  if (taken) return yield* acceptedCross(about, place, taken)
  const refusal = refusalIn(crossed.body)
  if (refusal === undefined) return notFound(about, answerText(crossed))
  if (!isAboutPostOnly(refusal)) return notFound(about, refusalText(refusal))
  const isKept = yield* staysOpen(place, order)
  if (isKept === undefined) return notFound(about, 'the open orders were not listed')
  const refused = `an amendment of a postOnly order that would take is refused: ${refusalText(refusal)}`
  return {
    about,
    value: isKept ? 'refused' : 'refused, ended',
    found: isKept ? `${refused}; the order stays open` : `${refused}; the order has ended`,
    means: isKept ? keptMeans : endedMeans,
  }
}
