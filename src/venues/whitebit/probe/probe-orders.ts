import { cutTo, Decimal, raiseTo } from '#src/core/money/decimal.ts'

/** Where and how the orders of a probe are placed. */
export type ProbePlace = {
  market: string
  money: string
  priceDigits: number
  amountDigits: number
  minAmount: Decimal
  minTotal: Decimal
  /** The last price. */
  price: Decimal
  /** The account keeps long and short positions side by side: each order must name its side. */
  hedged: boolean
  /** Client order ids of this run begin with it. */
  tag: string
}

/** An order as it is sent. */
export type ProbeOrder = {
  market: string
  side: 'buy'
  price: string
  amount: string
  client_order_id: string
  postOnly: true
  ioc?: true
  positionSide?: 'LONG' | 'SHORT'
}

/** All client order ids of probes begin with it. No id of a bot does: an id of a bot has dots. */
export const probePrefix = 'rungs-probe-'
/** Far enough that no usual market comes near within the minutes of a probe. */
export const usualAwayPercent = 40
/** Orders of one experiment that are open at the same time. */
export const openAtOnceMax = 2

/** A buy of the smallest amount, so many percent below the last price. It can only rest. */
export function farOrder(place: ProbePlace, label: string, awayPercent: number): ProbeOrder {
  const price = cutTo(place.priceDigits, place.price.times(100 - awayPercent).div(100))
  return orderAt(place, label, price)
}

/** A far buy of one amount step more: an amendment to it changes both price and amount. */
export function largerOrder(place: ProbePlace, label: string, awayPercent: number): ProbeOrder {
  const order = farOrder(place, label, awayPercent)
  return { ...order, amount: new Decimal(10).pow(-place.amountDigits).plus(order.amount).toFixed() }
}

/** A buy of the smallest amount at this price. */
export function orderAt(place: ProbePlace, label: string, price: Decimal): ProbeOrder {
  return {
    market: place.market,
    side: 'buy',
    price: price.toFixed(),
    amount: smallestAmount(place, price).toFixed(),
    client_order_id: `${place.tag}${label}`,
    postOnly: true,
    ...(place.hedged && { positionSide: 'LONG' }),
  }
}

/** The smallest amount that keeps both minimums, with a hundredth more for the total. */
function smallestAmount({ amountDigits, minAmount, minTotal }: ProbePlace, price: Decimal): Decimal {
  return raiseTo(amountDigits, Decimal.max(minAmount, minTotal.times('1.01').div(price)))
}

/** A change of an order that no venue can accept: amount and price have one digit more than the market has. */
export function refusedChange(place: ProbePlace, label: string, awayPercent: number): ProbeOrder {
  const { ioc: _ioc, ...order } = refusedOrder(place, label, awayPercent)
  const price = new Decimal(10).pow(-place.priceDigits - 1).plus(order.price)
  return { ...order, price: price.toFixed() }
}

/** An order that no venue can accept: a tenth of the amount step, and two flags that exclude each other. */
export function refusedOrder(place: ProbePlace, label: string, awayPercent: number): ProbeOrder {
  const order = farOrder(place, label, awayPercent)
  return { ...order, amount: new Decimal(10).pow(-place.amountDigits - 1).toFixed(), ioc: true }
}
