import { usualOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { invalidTradeField } from '#src/exchange/handlers/refused-field.ts'
import { orderRequestNames, respellProblems } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { forms, readOrder, type OrderForm } from '#src/exchange/trading/orders/order-form.ts'
import { notPlaced, type OrderRefusal } from '#src/exchange/trading/orders/order-refusal.ts'
import { orderText, orderValue } from '#src/exchange/trading/orders/order-text.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { isFull, tooManyText } from './trigger-orders.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import {
  ValueAnswer,
  WrittenAnswer,
  type HandlerCall,
  type Handler,
  type RefusedCall,
  type VenueContext,
} from '#src/exchange/venue-context.ts'
import { refusedOrder } from './order-changes.ts'

type Raw = Record<string, unknown>

const stopsUsually = usualOf(contract.collateralBulk, 'stopOnFail')

export const collateralBulk: Handler<'collateralBulk'> = (call) =>
  placeAll(call, call.venue.profile === 'full' ? forms.bulk : forms.specBulk)

export const spotBulk: Handler<'spotBulk'> = (call) => placeAll(call, forms.spotLimit)

export const collateralLimit: Handler<'collateralLimit'> = (call) => placeAlone(call, forms.collateralLimit)

export const collateralMarket: Handler<'collateralMarket'> = (call) =>
  placeAlone(call, forms.collateralMarket)

export const spotLimit: Handler<'spotLimit'> = (call) => placeAlone(call, forms.spotLimit)

export const spotMarket: Handler<'spotMarket'> = (call) => placeAlone(call, forms.spotMarket)

export const spotStockMarket: Handler<'spotStockMarket'> = (call) => placeAlone(call, forms.spotStockMarket)

function placeAll(
  call: HandlerCall<{ orders: Raw[]; stopOnFail?: boolean | undefined }>,
  form: OrderForm,
): WrittenAnswer | ValueAnswer | RefusedCall {
  const { venue, parameters } = call
  const { orders, stopOnFail = stopsUsually } = parameters
  const { batchMax, stopOnFailAnswer } = venue.switches
  if (orders.length > batchMax)
    return invalidTradeField('orders', `The orders may not have more than ${batchMax} items.`)
  const answer = call.isDirect ? valueElements(venue) : textElements(venue)
  for (const [index, raw] of orders.entries()) {
    const refused = placeOne(call, raw, form, (market, row) => answer.placed(market, row))
    if (refused === undefined) continue
    if (!stopOnFail || stopOnFailAnswer !== 'absent') answer.failed(refused)
    if (!stopOnFail) continue
    if (stopOnFailAnswer === 'full')
      for (let rest = index + 1; rest < orders.length; rest++) answer.failed(notAttempted)
    break
  }
  return answer.whole()
}

/** The elements of the answer to a bulk, as text. */
function textElements(venue: VenueContext) {
  let texts = ''
  // One string instead of a list that is joined: the engine of JavaScript flattens such a string once, when it is sent.
  const add = (text: string) => {
    texts = texts === '' ? text : `${texts},${text}`
  }
  return {
    placed: (market: Market, row: number) => add(`{"result":${orderText(venue, market, row)},"error":null}`),
    failed(refusal: OrderRefusal) {
      const error = errorOf(venue, refusal)
      const errors =
        venue.spelling === 'camel' ? respellProblems(error.errors, orderRequestNames) : error.errors
      add(JSON.stringify({ result: null, error: { ...error, errors } }))
    },
    whole: () => new WrittenAnswer(`[${texts}]`),
  }
}

/** The same as values. */
function valueElements(venue: VenueContext) {
  const elements: unknown[] = []
  return {
    placed: (market: Market, row: number) =>
      void elements.push({ result: orderValue(venue, market, row), error: null }),
    failed: (refusal: OrderRefusal) => void elements.push({ result: null, error: errorOf(venue, refusal) }),
    whole: () => new ValueAnswer(elements),
  }
}

const notAttempted: OrderRefusal = { finerCode: 32, message: 'Not attempted', errors: {} }

function placeAlone(call: HandlerCall<Raw>, form: OrderForm): WrittenAnswer | RefusedCall {
  let text = ''
  const refused = placeOne(call, call.parameters, form, (market, row) => {
    text = orderText(call.venue, market, row)
  })
  return refused ? refusedOrder(refused) : new WrittenAnswer(text)
}

/** Calls `onPlaced` before prices react to the order, or returns why it was not placed. */
function placeOne(
  { venue, account, now, isChecked }: HandlerCall<unknown>,
  raw: Raw,
  about: OrderForm,
  onPlaced: (market: Market, row: number) => void,
): OrderRefusal | undefined {
  const form = readOrder(venue, account, raw, about, isChecked)
  if ('refusal' in form) return form.refusal
  if (form.draft.exits && isFull(venue, account)) return { finerCode: 103, errors: { error: [tooManyText] } }
  const placed = place(venue.trading, form.market, account, form.draft, now)
  if (typeof placed === 'string') return notPlaced(placed, form.draft.flags)
  onPlaced(form.market, placed)
  react(venue.trading, now)
  return undefined
}

function errorOf(
  { profile }: VenueContext,
  { finerCode, message = 'Validation failed', errors }: OrderRefusal,
) {
  return { code: profile === 'full' ? finerCode : 32, message, errors }
}
