import { usualOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { invalidTradeField } from '#src/exchange/handlers/refused-field.ts'
import { orderRequestNames, respellProblems } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { forms, readOrder, type OrderForm } from '#src/exchange/trading/orders/order-form.ts'
import { notPlaced, type OrderRefusal } from '#src/exchange/trading/orders/order-refusal.ts'
import { orderText } from '#src/exchange/trading/orders/order-text.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { isFull, tooManyText } from './trigger-orders.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import {
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
): WrittenAnswer | RefusedCall {
  const { venue, parameters } = call
  const { orders, stopOnFail = stopsUsually } = parameters
  const { batchMax, stopOnFailAnswer } = venue.switches
  if (orders.length > batchMax)
    return invalidTradeField('orders', `The orders may not have more than ${batchMax} items.`)
  let answer = ''
  for (const [index, raw] of orders.entries()) {
    const placed = placeOne(call, raw, form)
    if (typeof placed === 'string') {
      answer = joined(answer, `{"result":${placed},"error":null}`)
      continue
    }
    if (!stopOnFail || stopOnFailAnswer !== 'absent') answer = joined(answer, failed(venue, placed))
    if (!stopOnFail) continue
    if (stopOnFailAnswer === 'full') {
      for (let rest = index + 1; rest < orders.length; rest++) {
        answer = joined(answer, failed(venue, notAttempted))
      }
    }
    break
  }
  return new WrittenAnswer(`[${answer}]`)
}

/**
 * Appends to one string instead of joining a list: the engine of JavaScript flattens such a string once, when it is
 * sent.
 */
function joined(texts: string, text: string): string {
  return texts === '' ? text : `${texts},${text}`
}

const notAttempted: OrderRefusal = { finerCode: 32, message: 'Not attempted', errors: {} }

function placeAlone(call: HandlerCall<Raw>, form: OrderForm): WrittenAnswer | RefusedCall {
  const placed = placeOne(call, call.parameters, form)
  return typeof placed === 'string' ? new WrittenAnswer(placed) : refusedOrder(placed)
}

/** The order as the answer shows it, or its refusal. */
function placeOne(
  { venue, account, now, isChecked }: HandlerCall<unknown>,
  raw: Raw,
  about: OrderForm,
): string | OrderRefusal {
  const form = readOrder(venue, account, raw, about, isChecked)
  if ('refusal' in form) return form.refusal
  if (form.draft.exits && isFull(venue, account)) return { finerCode: 103, errors: { error: [tooManyText] } }
  const placed = place(venue.trading, form.market, account, form.draft, now)
  if (typeof placed === 'string') return notPlaced(placed, form.draft.flags)
  const text = orderText(venue, form.market, placed)
  react(venue.trading, now)
  return text
}

function failed(
  venue: VenueContext,
  { finerCode, message = 'Validation failed', errors }: OrderRefusal,
): string {
  const spelled = venue.spelling === 'camel' ? respellProblems(errors, orderRequestNames) : errors
  const error = { code: venue.profile === 'full' ? finerCode : 32, message, errors: spelled }
  return JSON.stringify({ result: null, error })
}
