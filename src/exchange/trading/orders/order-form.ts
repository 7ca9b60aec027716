import type { z } from 'zod'
import { shapeOf, type Field } from '#src/venues/whitebit/contract/codec/shape.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { clientOrderIdPattern } from '#src/venues/whitebit/contract/trading/order-fields.ts'
import { noProblems, type Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import type { NewOrder } from './order-draft.ts'
import { bucketOf, closable, exposureOf } from '#src/exchange/trading/positions/exposure.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { refuse, type OrderRefusal } from './order-refusal.ts'
import { bandProblem, limitSize, marketSize, readExits } from './order-size.ts'
import {
  flag,
  positionSides,
  selfTradeNumber,
  type PositionSide,
} from '#src/exchange/trading/book/order-columns.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { isUsed } from './used-client-ids.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/** The fields that the orders of one endpoint may have, and the flags that all of them have. */
export type OrderForm = {
  fields: ReadonlyMap<string, FieldCheck>
  required: readonly string[]
  flags: number
}
/** What is wrong with a value. `decimal` names the accepted forms of a decimal. */
type FieldCheck = (value: unknown, decimal: string) => string | undefined

function form(schema: z.ZodObject, flags: number): OrderForm {
  const shape = shapeOf(schema)
  if (shape.kind !== 'object') throw new TypeError(`an order is not of kind ${shape.kind}`)
  const { fields } = shape
  return {
    fields: new Map(fields.map((field) => [field.name, checkOf(field)])),
    required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    flags,
  }
}

/** Checks the type of a field only: a market and a client order id have checks and codes of their own. */
function checkOf({ name, shape }: Field): FieldCheck {
  if (shape.kind === 'choice') {
    const { values } = shape
    const isFlag = values.every((value) => typeof value === 'boolean')
    const usual = isFlag ? `The ${name} must be a boolean.` : `The selected ${name} is invalid.`
    const problem = name === 'side' ? "Side field should contain only 'buy' or 'sell' values." : usual
    return (value) => (values.includes(value) ? undefined : problem)
  }
  if (shape.kind !== 'text') throw new TypeError(`no order has a field like ${name}: ${shape.kind}`)
  if (!shape.isDecimal)
    return (value) => (typeof value === 'string' ? undefined : `The ${name} must be a string.`)
  return (value, decimal) =>
    typeof value === 'string' && isDecimalText(value)
      ? undefined
      : `${capitalised(name)} field should be ${decimal}.`
}

const bulkOrder = contract.collateralBulk.request.shape.orders.element

export const forms = {
  specBulk: form(bulkOrder.omit({ reduceOnly: true, takeProfit: true, stopLoss: true }), 0),
  bulk: form(bulkOrder, 0),
  collateralLimit: form(contract.collateralLimit.request, 0),
  collateralMarket: form(contract.collateralMarket.request, flag.market),
  stopLimit: form(contract.collateralStopLimit.request, flag.stop),
  triggerMarket: form(contract.collateralTriggerMarket.request, flag.stop | flag.market),
  oco: form(contract.collateralOco.request, flag.linked),
  spotLimit: form(contract.spotLimit.request, flag.spot),
  spotStopLimit: form(contract.spotStopLimit.request, flag.spot | flag.stop),
  spotStopMarket: form(contract.spotStopMarket.request, flag.spot | flag.stop | flag.market),
  spotMarket: form(contract.spotMarket.request, flag.spot | flag.market),
  spotStockMarket: form(contract.spotStockMarket.request, flag.spot | flag.market | flag.stock),
} as const satisfies Record<string, OrderForm>

/**
 * Reads and checks one order, in the order of the venues of this family: shape, market, amount, price, total, id,
 * flags, position side, price band.
 */
export function readOrder(
  venue: VenueContext,
  account: Trader,
  raw: Record<string, unknown>,
  about: OrderForm,
  isChecked = false,
): { market: Market; draft: NewOrder } | { refusal: OrderRefusal } {
  if (!isWellFormed(raw, about, isChecked)) return malformed(venue, raw, about)
  const { market: name, side, amount, price, client_order_id: clientId = '', positionSide } = raw
  const { postOnly = false, ioc = false, rpi = false, reduceOnly = false } = raw
  const sells = side === 'sell'
  const { activation_price: activation } = raw
  const selfTrade = selfTradeNumber(raw.stp ?? 'no')
  const market = venue.markets.get(name)
  if (market === undefined || ((about.flags & flag.spot) !== 0 && market.rules.kind !== 'spot'))
    return refuse(31, { market: ['Market is not available.'] })
  const size =
    price === undefined
      ? marketSize(venue, account, market, { sells, amount, flags: about.flags, selfTrade, activation })
      : limitSize(market, { side, amount, price })
  if ('refusal' in size) return size

  if (!isChecked && !clientOrderIdPattern.test(clientId)) {
    return refuse(36, { client_order_id: ['Letters, digits, dot, dash and underscore only, at most 64.'] })
  }
  if (clientId !== '' && isUsed(account.usedIds, clientId)) {
    return refuse(36, { client_order_id: ['This client order id is already used by the current account.'] })
  }
  if (ioc && postOnly) return refuse(37, { ioc: ['Either IOC or PostOnly flag in true state is allowed.'] })
  if (ioc && rpi) return refuse(40, { ioc: ['Either IOC or RPI flag in true state is allowed.'] })
  if (rpi && postOnly) return refuse(30, { rpi: ['An RPI order is always a maker order: omit postOnly.'] })
  const place = positionSideOf(venue, account, market, sells, positionSide)
  if ('refusal' in place) return place
  const tooFar =
    venue.profile === 'full' && price !== undefined ? bandProblem(venue, market, size.ticks) : undefined
  if (tooFar !== undefined) return refuse(250, { price: [tooFar] })
  const closes = reduceOnly || place.reduces
  const attached = readExits(venue, market, raw, {
    sells,
    ticks: size.ticks,
    isMarket: price === undefined,
    closes,
  })
  if ('refusal' in attached) return attached
  return {
    market,
    draft: {
      clientId,
      sells,
      positionSide: place.side,
      selfTrade,
      ticks: size.ticks,
      lots: size.lots,
      flags:
        about.flags |
        (postOnly ? flag.postOnly : 0) |
        (ioc ? flag.ioc : 0) |
        (rpi ? flag.rpi : 0) |
        (closes ? flag.reduceOnly : 0) |
        (attached.exits ? flag.attached : 0),
      ...attached,
    },
  }
}

type SideChoice = { side: number; reduces: boolean } | { refusal: OrderRefusal }

function opening(side: PositionSide): SideChoice {
  return { side: positionSides.indexOf(side), reduces: false }
}

/**
 * The position that the order changes. A one-way account has one position, whatever the order names. In hedge mode the
 * order names the position, and an order against it can only reduce it.
 */
function positionSideOf(
  venue: VenueContext,
  account: Trader,
  market: Market,
  sells: boolean,
  named: PositionSide | undefined,
): SideChoice {
  if (named === 'SHORT' && venue.switches.shortSide === 'refused') return unfitSide
  if (venue.profile === 'spec') return opening(named ?? 'LONG')
  if (!account.collateral.hedged) return opening('BOTH')
  if (named !== 'LONG' && named !== 'SHORT') return unfitSide
  if (named === (sells ? 'SHORT' : 'LONG')) return opening(named)
  const side = positionSides.indexOf(named)
  if (closable(exposureOf(account, market, bucketOf(account, side)), sells) > 0)
    return { side, reduces: true }
  return refuse(115, { hedgeMode: [`There is no ${named} position that this order could reduce.`] })
}

const unfitSide = refuse(114, { positionSide: ['Hedge mode position side does not match'] })

type AnyOrder = z.input<typeof contract.collateralLimit.request> &
  z.input<typeof contract.collateralStopLimit.request>
type WellFormed = Pick<AnyOrder, 'market' | 'side' | 'amount'> & Partial<AnyOrder>

function isWellFormed(
  raw: Record<string, unknown>,
  { fields, required }: OrderForm,
  isChecked: boolean,
): raw is WellFormed {
  for (const key in raw) {
    const check = fields.get(key)
    // Profile spec has fewer fields than the row.
    if (check === undefined) return false
    if (!isChecked && check(raw[key], decimals.spec) !== undefined) return false
  }
  return isChecked || required.every((key) => raw[key] !== undefined)
}

/** A malformed decimal has code 32 (amount) or 33 (price), unless there is another problem. */
function malformed(
  { profile }: VenueContext,
  raw: Record<string, unknown>,
  about: OrderForm,
): { refusal: OrderRefusal } {
  const problems = shapeProblems(raw, about, decimals[profile])
  const codes = Object.keys(problems).map((key) =>
    about.fields.has(key) && Object.hasOwn(raw, key) ? (numberCodes.get(key) ?? 30) : 30,
  )
  return refuse(Math.min(...codes), problems)
}

/** Accepted forms of a decimal (assumptions.eitherForm). */
const decimals = { spec: 'a decimal number in a string', full: 'numeric string or number' }

const numberCodes: ReadonlyMap<string, number> = new Map([
  ['amount', 32],
  ['price', 33],
])

function shapeProblems(
  raw: Record<string, unknown>,
  { fields, required }: OrderForm,
  decimal: string,
): Problems {
  const problems = noProblems()
  for (const [key, value] of Object.entries(raw)) {
    const check = fields.get(key)
    const text = check === undefined ? 'This field is not known.' : check(value, decimal)
    if (text !== undefined) problems[key] = [text]
  }
  for (const key of required) {
    if (!Object.hasOwn(raw, key)) problems[key] = [`${capitalised(key)} field is required.`]
  }
  return problems
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
