import { Decimal, raiseTo } from '#src/core/money/decimal.ts'
import { isRecord } from '#src/core/objects/objects.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import {
  answerText,
  elementsIn,
  isAboutId,
  refusalText,
  type BulkElement,
  type ProbedOrder,
  type ProbeRefusal,
} from './probe-answers.ts'
import {
  notFound,
  type ProbeAnswer,
  type ProbeResult,
  type ProbeStep,
  type ProbeSteps,
  type ProbeTopic,
} from './experiment.ts'
import { farOrder, orderAt, usualAwayPercent, type ProbePlace } from './probe-orders.ts'

/**
 * Sends an order with an invalid client order id and two flags that exclude each other, in both spellings. A venue that knows the
 * name of the id names the id; one that ignores the name reports the flags. No venue can accept such an order.
 */
export function* spelling(place: ProbePlace): ProbeSteps {
  const about = 'spelling'
  const seen: { sent: Spelling; names: readonly string[] }[] = []
  let last = 'no answer named the client order id'
  for (const sent of ['camel', 'spec'] as const) {
    const order = {
      ...farOrder(place, '', usualAwayPercent),
      client_order_id: 'rungs probe',
      ioc: true,
    } as const
    const answer = yield { do: 'place', orders: [order], spelling: sent }
    const refusal = onlyElement(answer)?.refusal
    if (refusal === undefined) last = answerText(answer)
    else if (isAboutId(refusal)) seen.push({ sent, names: refusal.names })
  }
  const names = new Set(seen.flatMap((each) => each.names))
  const isEither = seen.length === 2
  const isCamel = isEither ? names.has('clientOrderId') : seen[0]?.sent === 'camel'
  const isSpec = isEither ? names.has('client_order_id') : seen[0]?.sent === 'spec'
  if (isCamel === isSpec) return notFound(about, seen.length === 0 ? last : 'the answers use both names')
  const value = isCamel ? 'camel' : 'spec'
  const [name, other] = isCamel ? ['clientOrderId', 'client_order_id'] : ['client_order_id', 'clientOrderId']
  return {
    about,
    value,
    found: isEither
      ? `the venue accepts both names of the client order id, and answers ${name}`
      : `the venue knows ${name}, and ignores ${other}`,
    means: isEither ? 'both spellings work' : 'orders in the other spelling would have no client order id',
    settings: { spelling: value },
  }
}

const bandTriedMost = 95

/** Looks for a price that is far enough, and then for the farthest price that the venue accepts. */
export function* priceBand(place: ProbePlace): ProbeSteps {
  const about = 'priceBand'
  const tried = new Map<number, BulkElement>()
  const isAccepted = function* (percent: number): Generator<ProbeStep, boolean | string, ProbeAnswer> {
    const answer = yield { do: 'place', orders: [farOrder(place, `band.${percent}`, percent)] }
    const element = onlyElement(answer)
    if (element?.order) {
      yield { do: 'cancel', orderId: element.order.order_id }
      return true
    }
    if (element?.refusal === undefined) return answerText(answer)
    tried.set(percent, element)
    const { code, errors } = element.refusal
    return code === 250 || Object.hasOwn(errors, 'price') ? false : refusalText(element.refusal)
  }
  let [near, far] = [0, bandTriedMost + 1]
  for (const percent of [usualAwayPercent, 20, 10, 5]) {
    const told = yield* isAccepted(percent)
    if (typeof told === 'string') return notFound(about, told)
    if (told) near = percent
    else far = percent
    if (told) break
  }
  if (near === 0) return notFound(about, 'the venue refuses prices 5 % below the last one')
  while (far - near > 1) {
    const percent = far > bandTriedMost ? bandTriedMost : Math.floor((near + far) / 2)
    const told = yield* isAccepted(percent)
    if (typeof told === 'string') return notFound(about, told)
    if (told) near = percent
    else far = percent
  }
  const refusal = tried.get(far)?.refusal
  return {
    about,
    value: refusal === undefined ? 'none' : String(near),
    found:
      refusal === undefined
        ? `the venue accepts buy prices ${near} % below the last one`
        : `the venue accepts buy prices ${near} % below the last one, and refuses ${far} %: ${refusalText(refusal)}`,
    means: 'levels of a ladder beyond it are refused',
  }
}

/** The distance of the orders of an experiment: the usual one, or what the band leaves while the price moves. */
export function awayIn(known: ReadonlyMap<ProbeTopic, ProbeResult>): number | undefined {
  const value = known.get('priceBand')?.value
  if (value === undefined || value === null) return undefined
  return value === 'none' ? usualAwayPercent : Math.min(usualAwayPercent, Math.floor(Number(value) * 0.8))
}

export const noDistance = 'no price is known that is far from the market and that the venue accepts'

export function* postOnlyCross(place: ProbePlace, away: number): ProbeSteps<ProbeResult> {
  const about = 'postOnlyCross'
  const first = yield { do: 'place', orders: [farOrder(place, 'maker.far', away)] }
  const rested = onlyElement(first)?.order
  if (rested === undefined) return notFound(about, elementText(first))
  yield { do: 'cancel', orderId: rested.order_id }
  // Whoever does not repeat the flag may have ignored it.
  if (rested.postOnly !== true) return notFound(about, 'the venue did not confirm postOnly of a far order')
  const price = yield* takingPrice(place)
  if (price === undefined) return notFound(about, noSellOrder)
  const answer = yield { do: 'place', orders: [orderAt(place, 'maker.cross', price)] }
  const { order, refusal } = onlyElement(answer) ?? {}
  if (refusal) {
    if (!isAboutPostOnly(refusal)) return notFound(about, refusalText(refusal))
    const found = `a postOnly order that would take is refused: ${refusalText(refusal)}`
    return { about, value: 'refused', found, means: 'the bot moves the entry behind the market' }
  }
  if (order === undefined) return notFound(about, answerText(answer))
  return yield* acceptedCross(about, place, order)
}

export const noSellOrder = 'the book has no sell order'

/** A price at which a buy would take; undefined if the book has no sell order. */
export function* takingPrice({ market, priceDigits }: ProbePlace): ProbeSteps<Decimal | undefined> {
  const book = yield { do: 'ask', call: 'orderbook', parameters: { market, limit: 1 } }
  const ask = bestAsk(book.body)
  return ask && raiseTo(priceDigits, ask.times('1.002'))
}

/** A refusal because the order would take. */
export function isAboutPostOnly({ code, errors }: ProbeRefusal): boolean {
  return code === 13 || Object.hasOwn(errors, 'postOnly')
}

/** What became of a postOnly order that would take and that the venue has accepted. */
export function* acceptedCross(
  about: 'postOnlyCross' | 'amendCross',
  { market }: ProbePlace,
  { order_id, status, deal_stock, price }: ProbedOrder,
): ProbeSteps<ProbeResult> {
  const what = about === 'amendCross' ? 'an amended postOnly order' : 'a postOnly order'
  if (new Decimal(deal_stock).gt(0))
    return {
      about,
      value: 'ignored',
      found: `${what} took from the book: it bought ${deal_stock} of ${market} at ${price}`,
      means: 'postOnly does not protect there, and the account has this position now: close it by hand',
      isDanger: true,
    }
  const open = yield { do: 'ask', call: 'openOrders', parameters: { market, limit: 100 } }
  if (!/cancel/i.test(status) || JSON.stringify(open.body).includes(String(order_id)))
    return notFound(about, `the order rests with the status ${status}: the price moved away from it`)
  const found = `${what} that would take is accepted, and cancelled at once (status ${status})`
  return { about, value: 'canceled', found, means: 'the bot sees an order that ended without a fill' }
}

export function* shortSide(place: ProbePlace, away: number): ProbeSteps {
  const about = 'shortSide'
  const order = { ...farOrder(place, 'short', away), positionSide: 'SHORT' } as const
  const answer = yield { do: 'place', orders: [order] }
  const { order: placed, refusal } = onlyElement(answer) ?? {}
  if (placed) {
    const side = typeof placed['positionSide'] === 'string' ? placed['positionSide'] : 'nothing'
    const found = `positionSide SHORT is accepted, and answered with ${side}`
    return { about, value: 'accepted', found, means: 'the bot may name the side of a position' }
  }
  if (refusal === undefined) return notFound(about, answerText(answer))
  // In hedge mode a buy can only reduce a short position, and there is none.
  if (refusal.code === 115) {
    const found = `positionSide SHORT is known: ${refusalText(refusal)}`
    return { about, value: 'accepted', found, means: 'the bot may name the side of a position' }
  }
  if (refusal.code !== 114 && !Object.hasOwn(refusal.errors, 'positionSide'))
    return notFound(about, refusalText(refusal))
  const found = `positionSide SHORT is refused: ${refusalText(refusal)}`
  return {
    about,
    value: 'refused',
    found,
    means: 'strategies that need short positions of their own cannot run',
  }
}

/** The element of the answer to a bulk of one order. */
export function onlyElement(answer: ProbeAnswer): BulkElement | undefined {
  const elements = elementsIn(answer)
  return elements?.length === 1 ? elements[0] : undefined
}

/** Why the first order was not placed as expected. */
export function elementText(answer: ProbeAnswer): string {
  const elements = elementsIn(answer)
  if (elements === undefined) return answerText(answer)
  const refusal = elements.find((each) => each.refusal)?.refusal
  const count = `the answer has ${elements.length} elements`
  return refusal === undefined ? count : `${count}; the venue refused an order with ${refusalText(refusal)}`
}

function bestAsk(body: unknown): Decimal | undefined {
  const asks = isRecord(body) ? body['asks'] : undefined
  const first: unknown = Array.isArray(asks) ? asks[0] : undefined
  const price: unknown = Array.isArray(first) ? first[0] : undefined
  return typeof price === 'string' && /^\d+(?:\.\d+)?$/.test(price) ? new Decimal(price) : undefined
}
