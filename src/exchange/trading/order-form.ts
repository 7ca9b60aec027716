import { clientOrderIdPattern } from '#src/contract/orders.ts'
import { noProblems, type Problems } from '#src/contract/problems.ts'
import { fitsDigits, formatAtoms, parseAtoms } from '#src/money/atoms.ts'
import { isDecimalText } from '#src/money/text.ts'
import type { Market } from './market.ts'
import type { Trader } from './trader.ts'
import { flag, positionSides, type PositionSide, type Side } from './orders.ts'
import type { Draft } from './draft.ts'
import type { NotPlaced } from './placing.ts'
import { isUsed } from './used-ids.ts'
import type { Venue } from '../venue.ts'

/** One order of a bulk, before any of it is believed. Written out by hand because it is the busiest door here. */
export type OrderRefusal = { finerCode: number; message?: string; errors: Problems }

const fields = new Set([
  'market',
  'side',
  'amount',
  'price',
  'client_order_id',
  'postOnly',
  'ioc',
  'rpi',
  'positionSide',
])

const required = ['market', 'side', 'amount', 'price'] as const

/** Checks in the order of the venues of this family: shape, market, amount, price, total, id, flags. */
export function readOrder(
  venue: Venue,
  account: Trader,
  raw: Record<string, unknown>,
): { market: Market; draft: Draft } | { refusal: OrderRefusal } {
  if (!isWellFormed(raw)) return refuse(30, shapeProblems(raw))
  const { market: name, side, amount, price, client_order_id: clientId = '', positionSide = 'LONG' } = raw
  const { postOnly = false, ioc = false, rpi = false } = raw
  const market = venue.markets.get(name)
  if (market === undefined) return refuse(31, { market: ['Market is not available.'] })
  const lots = market.lots(amount)
  if (lots === undefined || lots < market.minLots)
    return refuse(32, { amount: amountProblems(market, amount) })
  const ticks = market.ticks(price)
  if (ticks === undefined) return refuse(33, { price: [`Min price step = ${market.priceStep}`] })
  if (ticks === 0) return refuse(33, { price: ['Price should be greater than 0.'] })
  const quanta = lots * ticks
  if (quanta < market.minQuanta) {
    const least = formatAtoms(market.rules.minTotal)
    return refuse(30, { total: [`Total (amount * price) is less than ${least}`] })
  }
  if (quanta > market.maxQuanta) {
    const most = formatAtoms(market.rules.maxTotal)
    return refuse(30, { total: [`Total (amount * price) is more than ${most}`] })
  }

  if (!clientOrderIdPattern.test(clientId)) {
    return refuse(36, { client_order_id: ['Letters, digits, dot, dash and underscore only, at most 64.'] })
  }
  if (clientId !== '' && isUsed(account.usedIds, clientId)) {
    return refuse(36, { client_order_id: ['This client order id is already used by the current account.'] })
  }
  if (ioc && postOnly) return refuse(37, { ioc: ['Either IOC or PostOnly flag in true state is allowed.'] })
  if (ioc && rpi) return refuse(40, { ioc: ['Either IOC or RPI flag in true state is allowed.'] })
  if (rpi && postOnly)
    return refuse(30, { rpi: ['An RPI order is a maker order by itself: leave postOnly out.'] })
  if (positionSide === 'SHORT' && venue.switches.shortSide === 'refused') {
    return refuse(114, { positionSide: ['Hedge mode position side does not match'] })
  }
  return {
    market,
    draft: {
      clientId,
      sells: side === 'sell',
      positionSide: positionSides.indexOf(positionSide),
      selfTrade: 0,
      ticks,
      lots,
      flags: (postOnly ? flag.postOnly : 0) | (ioc ? flag.ioc : 0) | (rpi ? flag.rpi : 0),
    },
  }
}

/** Why the book or the balance did not take it. */
export function notPlaced(why: NotPlaced, draft: Draft): OrderRefusal {
  switch (why) {
    case 'would-take': {
      const text = "This order couldn't be executed as a maker order and was canceled."
      return {
        finerCode: 13,
        errors: { [(draft.flags & flag.rpi) === 0 ? 'postOnly' : 'rpi']: [text] },
      }
    }
    case 'no-balance':
      return { finerCode: 10, errors: { amount: ['Not enough balance.'] } }
    case 'too-big':
      return { finerCode: 112, errors: { amount: ['margin pending orders value too big'] } }
    case 'nothing-to-reduce':
      return {
        finerCode: 116,
        errors: { reduceOnly: ["Reduce-only: Position doesn't exist or wrong side"] },
      }
    case 'nobody-there':
      return { finerCode: 12, errors: { amount: ['Nobody offers the other side now.'] } }
  }
}

type WellFormed = { market: string; side: Side; amount: string; price: string } & Partial<{
  client_order_id: string
  positionSide: PositionSide
  postOnly: boolean
  ioc: boolean
  rpi: boolean
}>

/** The common case in one pass and without an object of its own; what is wrong is told by `shapeProblems`. */
function isWellFormed(raw: Record<string, unknown>): raw is WellFormed {
  for (const key in raw) {
    if (!fields.has(key) || shapeProblem(key, raw[key]) !== undefined) return false
  }
  return required.every((key) => raw[key] !== undefined)
}

function shapeProblems(raw: Record<string, unknown>): Problems {
  const problems = noProblems()
  for (const [key, value] of Object.entries(raw)) {
    const text = fields.has(key) ? shapeProblem(key, value) : 'This field is not known.'
    if (text !== undefined) problems[key] = [text]
  }
  for (const key of required) {
    if (!Object.hasOwn(raw, key)) problems[key] = [`${capitalised(key)} field is required.`]
  }
  return problems
}

function shapeProblem(key: string, value: unknown): string | undefined {
  switch (key) {
    case 'side':
      return isSide(value) ? undefined : "Side field should contain only 'buy' or 'sell' values."
    case 'positionSide':
      return isPositionSide(value) ? undefined : 'The selected positionSide is invalid.'
    case 'amount':
    case 'price':
      return typeof value === 'string' && isDecimalText(value)
        ? undefined
        : `${capitalised(key)} field should be a decimal number in a string.`
    case 'market':
    case 'client_order_id':
      return typeof value === 'string' ? undefined : `The ${key} must be a string.`
    default:
      return typeof value === 'boolean' ? undefined : `The ${key} must be a boolean.`
  }
}

function amountProblems(market: Market, text: string): string[] {
  const amount = parseAtoms(text)
  if (amount === 0n) return ['Amount should be greater than 0.']
  const texts: string[] = []
  if (amount < market.rules.minAmount) {
    texts.push(`Given amount is less than min amount ${formatAtoms(market.rules.minAmount)}`)
  }
  if (!fitsDigits(amount, market.rules.amountDigits)) texts.push(`Min amount step = ${market.amountStep}`)
  return texts.length > 0 ? texts : ['Given amount is too large.']
}

function isSide(value: unknown): value is Side {
  return value === 'buy' || value === 'sell'
}

function isPositionSide(value: unknown): value is PositionSide {
  return value === 'LONG' || value === 'SHORT' || value === 'BOTH'
}

function refuse(finerCode: number, errors: Problems): { refusal: OrderRefusal } {
  return { refusal: { finerCode, errors } }
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
