import { Decimal } from '#src/core/money/decimal.ts'
import { isRecord } from '#src/core/objects/objects.ts'
import {
  answerText,
  historyIds,
  isAboutId,
  ordersIn,
  refusalText,
  type ProbedOrder,
} from './probe-answers.ts'
import {
  notFound,
  type ProbeAnswer,
  type ProbeResult,
  type ProbeStep,
  type ProbeSteps,
} from './experiment.ts'
import { elementText, onlyElement } from './order-experiments.ts'
import { farOrder, type ProbeOrder, type ProbePlace } from './probe-orders.ts'

export const pollMs = 500
/** Lists that take longer are not waited for. */
export const waitMsMax = 60_000
const rounds = 3
/** The measured time is a sample, and a bot needs a bound. */
const settleFactor = 3
const settleSecondsLeast = 10

/** Milliseconds; `history` is undefined if the order was not there in time. */
type Round = {
  listed: number
  gone: number
  history: number | undefined
  historyLag: number
  /** Monotonic time of the answer to the cancellation. */
  cancelledAt: number
}

/** Places an order, reads the lists until they show it, cancels it, and reads them until they do not; three times. */
export function* lists(place: ProbePlace, away: number): ProbeSteps {
  const topics = ['restingStatus', 'executionDelay', 'historyLag', 'settle', 'collateralFreeze'] as const
  const none = (why: string) => topics.map((about) => notFound(about, why))
  const before = yield balance
  const results: ProbeResult[] = []
  const seen: Round[] = []
  for (let round = 1; round <= rounds; round++) {
    const sent = farOrder(place, `list.${round}`, away)
    const placed = yield { do: 'place', orders: [sent] }
    const order = onlyElement(placed)?.order
    if (order === undefined) return none(elementText(placed))
    const listed = yield* untilListed(place, order, placed.sentAt)
    if (listed === undefined) return none(`an open order was not listed within ${waitMsMax / 1000} s`)
    if (round === 1) {
      results.push(statusOf(order), delayOf(before, placed))
      results.push(yield* freeze(place, sent, before))
    }
    const told = yield* cancelled(place, order)
    if (told === undefined) return none(`a cancelled order was still listed after ${waitMsMax / 1000} s`)
    seen.push({ ...told, listed })
    if (told.history === undefined) break
  }
  return [...results, ...timesOf(seen)]
}

/** Milliseconds from `since` until the order is among the open orders. */
export function* untilListed(
  place: ProbePlace,
  order: ProbedOrder,
  since: number,
): ProbeSteps<number | undefined> {
  for (;;) {
    const { at, isListed } = yield* openNow(place, order)
    if (isListed === true) return at - since
    if (at - since > waitMsMax) return undefined
    yield { do: 'wait', ms: pollMs }
  }
}

/** Whether the order is among the open orders; undefined if the answer is no list. */
export function* openNow(
  { market }: ProbePlace,
  { order_id }: ProbedOrder,
): ProbeSteps<{ at: number; isListed: boolean | undefined }> {
  const open = yield { do: 'ask', call: 'openOrders', parameters: { market, limit: 100 } }
  return { at: open.at, isListed: ordersIn(open)?.some((each) => each.order_id === order_id) }
}

/** Cancels the order; undefined if it stays listed. */
export function* cancelled(
  place: ProbePlace,
  order: ProbedOrder,
): ProbeSteps<Omit<Round, 'listed'> | undefined> {
  const cancel = yield { do: 'cancel', orderId: order.order_id }
  const { market } = place
  const cancelledAt = cancel.at
  let history: { since: number; lag: number } | undefined
  let gone: number | undefined
  for (;;) {
    if (gone === undefined) {
      const { at, isListed } = yield* openNow(place, order)
      if (isListed === false) gone = at - cancel.sentAt
    }
    const read = yield { do: 'ask', call: 'orderHistory', parameters: { market, limit: 50 } }
    if (history === undefined && historyIds(read).has(String(order.order_id)))
      history = { since: read.at - cancel.sentAt, lag: read.at - cancelledAt }
    const isLate = read.at - cancelledAt > waitMsMax
    if (gone !== undefined && (history || isLate))
      return { gone, history: history?.since, historyLag: history?.lag ?? Infinity, cancelledAt }
    if (isLate) return undefined
    yield { do: 'wait', ms: pollMs }
  }
}

function statusOf({ status }: ProbedOrder): ProbeResult {
  const about = 'restingStatus'
  if (status === '') return notFound(about, 'the answer has no status')
  return {
    about,
    value: status,
    found: `an open order has the status ${status}`,
    means: 'the bot reads the lists, not this word',
  }
}

function delayOf(read: ProbeAnswer, placed: ProbeAnswer): ProbeResult {
  const [readMs, placedMs] = [read.at - read.sentAt, placed.at - placed.sentAt]
  const value = `${Math.round(Math.max(0, placedMs - readMs) / 1000)}s`
  const found = `an order was answered after ${secondsText(placedMs)}, a read after ${secondsText(readMs)}`
  return {
    about: 'executionDelay',
    value,
    found,
    means: 'the venue executes an order this long after the request',
  }
}

const balance: ProbeStep = { do: 'ask', call: 'tradingBalance', parameters: {} }

/** Whether the trading balance shows what the open order holds back. */
function* freeze(
  place: ProbePlace,
  { price, amount }: ProbeOrder,
  before: ProbeAnswer,
): ProbeSteps<ProbeResult> {
  const about = 'collateralFreeze'
  const held = frozenIn(before, place.money)
  // Reads may come from a cache for a second.
  yield { do: 'wait', ms: 2000 }
  const after = yield balance
  const now = frozenIn(after, place.money)
  if (held === undefined || now === undefined)
    return notFound(about, `the trading balance has no ${place.money}`)
  const more = now.minus(held)
  const money = new Decimal(price).times(amount)
  if (more.isZero())
    return {
      about,
      value: 'hidden',
      found: 'the trading balance does not show what an open collateral order holds back',
      means: 'leave leverage out of the venue file: the balance proves nothing about unknown orders',
    }
  const leverage = more.gt(0) ? money.div(more).toDecimalPlaces(2) : new Decimal(0)
  const found = `an order for ${money.toFixed()} ${place.money} changed freeze by ${more.toFixed()}`
  if (!leverage.isInteger() || leverage.isZero())
    return notFound(about, `${found}, which no leverage explains: something else changed the balance`)
  return {
    about,
    value: 'shown',
    found: `${found}: leverage ${leverage.toFixed()}`,
    means: `if only one bot trades on the account, leverage: ${leverage.toFixed()} in the venue file makes it evidence`,
  }
}

function frozenIn({ body }: ProbeAnswer, money: string): Decimal | undefined {
  const entry = isRecord(body) ? body[money] : undefined
  const text = isRecord(entry) ? entry['freeze'] : undefined
  return typeof text === 'string' && /^-?\d+(?:\.\d+)?$/.test(text) ? new Decimal(text) : undefined
}

function timesOf(seen: readonly Round[]): ProbeResult[] {
  const missing = seen.find(({ history }) => history === undefined)
  if (missing !== undefined) {
    const why = `the history did not show a cancelled order within ${waitMsMax / 1000} s`
    return [notFound('historyLag', why), notFound('settle', why)]
  }
  const lag = Math.min(...seen.map(({ historyLag }) => historyLag))
  const [listed, gone, history] = [
    Math.max(...seen.map((each) => each.listed)),
    Math.max(...seen.map((each) => each.gone)),
    Math.max(...seen.map((each) => each.history ?? 0)),
  ]
  const longest = Math.ceil(Math.max(listed, gone, history) / 1000)
  const settle = Math.max(settleSecondsLeast, settleFactor * longest)
  return [
    {
      about: 'historyLag',
      value: `${Math.floor(lag / 1000)}s`,
      found: `the history showed a cancelled order ${secondsText(lag)} after the answer to the cancellation`,
      means: 'the bot waits this long before it believes that an order is absent',
    },
    {
      about: 'settle',
      value: `${longest}s`,
      found:
        `of ${seen.length} orders, the longest times from the request: listed ${secondsText(listed)}, no longer listed ` +
        `${secondsText(gone)}, in the history ${secondsText(history)}`,
      means: `a sample is no bound: the venue file gets ${settleFactor} times the longest, at least ${settleSecondsLeast} s`,
      settings: { settle: `${settle}s` },
    },
  ]
}

/** Uses one client order id three times: while its order is open, and after it has ended. */
export function* clientIds(place: ProbePlace, away: number): ProbeSteps {
  const about = 'clientIds'
  const first = yield { do: 'place', orders: [farOrder(place, 'id', away)] }
  const order = onlyElement(first)?.order
  if (order === undefined) return notFound(about, elementText(first))
  // Another price: the order is no copy of the first one.
  const second = yield { do: 'place', orders: [farOrder(place, 'id', away - 1)] }
  const again = onlyElement(second)
  if (again?.order)
    return {
      about,
      value: 'reusable',
      found: 'the venue accepted a client order id while another open order had it',
      means: 'the id does not tell orders apart there',
      settings: { clientIds: 'unproven' },
      isDanger: true,
    }
  if (!again?.refusal) return notFound(about, answerText(second))
  if (!isAboutId(again.refusal)) return notFound(about, refusalText(again.refusal))
  const told = yield* cancelled(place, order)
  if (told === undefined) return notFound(about, 'the cancelled order was still listed')
  yield { do: 'wait', ms: 2000 }
  const third = yield { do: 'place', orders: [farOrder(place, 'id', away)] }
  const last = onlyElement(third)
  if (!last?.order && !last?.refusal) return notFound(about, answerText(third))
  if (last.refusal && !isAboutId(last.refusal)) return notFound(about, refusalText(last.refusal))
  return idResult(last.refusal && refusalText(last.refusal), third.sentAt - told.cancelledAt)
}

function idResult(refusal: string | undefined, afterMs: number): ProbeResult {
  const about = 'clientIds'
  if (refusal === undefined)
    return {
      about,
      value: 'until-ended',
      found: 'a client order id is refused while its order is open, and accepted after its end',
      means: 'sending an order again proves nothing about the first one',
      settings: { clientIds: 'until-ended' },
    }
  return {
    about,
    value: 'forever',
    found: `a client order id is still refused ${secondsText(afterMs)} after the end of its order: ${refusal}`,
    means:
      'the venue file gets until-ended: a venue that forgets ids after a longer time looks the same. Write forever ' +
      'only if its documents say so',
    settings: { clientIds: 'until-ended' },
  }
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
