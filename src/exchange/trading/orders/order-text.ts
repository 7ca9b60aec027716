import type { z } from 'zod'
import {
  objectMaker,
  objectWriters,
  type FieldValues,
} from '#src/venues/whitebit/contract/codec/text-writer.ts'
import { orderOut } from '#src/venues/whitebit/contract/trading/order-fields.ts'
import { orderNames } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, positionSides, selfTrades, statuses } from '#src/exchange/trading/book/order-columns.ts'
import type { Trigger } from '#src/exchange/trading/records.ts'
import type { AttachedExits } from './order-draft.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import { attachedTo } from './attached-exits.ts'
import { factsAt, waitingFacts, type OrderFacts } from './order-history.ts'

/** What many orders have in common: the text of it is written once. */
export type OrderTraits = Pick<OrderFacts, 'sells' | 'flags' | 'positionSide' | 'selfTrade'> & {
  venue: VenueContext
  market: Market
  status: ShownStatus
  /** In lists of both accounts, the types of collateral orders begin with `margin`. */
  isListed: boolean
  stop: (typeof stopStages)[number]
}
type ShownStatus = (typeof shownStatuses)[number]
const shownStatuses = [...statuses, 'NEW', 'ACTIVE', 'PARTIALLY_FILLED'] as const
const stopStages = ['none', 'waiting', 'activated'] as const

const known = new WeakMap<Market, Map<number, OrderTraits>>()

export function traitsOf(
  venue: VenueContext,
  market: Market,
  order: OrderFacts,
  status: ShownStatus,
  isListed: boolean,
): OrderTraits {
  const { sells, flags, positionSide, selfTrade, stop } = order
  const stage = stop === undefined ? 0 : stop.activatedAt === 0 ? 1 : 2
  let key = flags * 2 + (sells ? 1 : 0)
  key = key * 2 + (isListed ? 1 : 0)
  key = key * stopStages.length + stage
  key = key * positionSides.length + positionSides.indexOf(positionSide)
  key = key * selfTrades.length + selfTrades.indexOf(selfTrade)
  key = key * shownStatuses.length + shownStatuses.indexOf(status)
  let all = known.get(market)
  if (all === undefined) known.set(market, (all = new Map<number, OrderTraits>()))
  let traits = all.get(key)
  if (traits === undefined) {
    traits = {
      venue,
      market,
      sells,
      flags,
      positionSide,
      selfTrade,
      status,
      isListed,
      stop: stopStages[stage],
    }
    all.set(key, traits)
  }
  return traits
}

type OrderValue<Value> = (traits: OrderTraits, order: OrderFacts) => Value

/** The fields with one name in answers, history and streams. */
export const orderValues = {
  client_order_id: (_, order) => order.clientId,
  market: ({ market }) => market.name,
  amount: ({ market }, order) => market.amountText(order.lots),
  left: ({ market }, order) => market.amountText(order.left),
  deal_stock: ({ market }, order) => market.amountText(order.lots - order.left),
  deal_money: ({ market }, order) => market.moneyText(order.quanta),
  deal_fee: ({ market }, order) => market.feeText(order),
  status: ({ status }) => status,
  ioc: ({ flags }) => (flags & flag.ioc) !== 0,
  rpi: ({ flags }) => (flags & flag.rpi) !== 0,
} satisfies Record<string, OrderValue<string | boolean>>

export const activationPrice: OrderValue<string | undefined> = ({ market }, { stop }) =>
  stop && market.priceText(stop.activation)

const answerValues: FieldValues<typeof orderOut, OrderTraits, OrderFacts> = {
  ...orderValues,
  order_id: (_, order) => order.id,
  side: ({ sells }) => (sells ? 'sell' : 'buy'),
  type: typeOf,
  timestamp: (_, order) => order.at / 1000,
  postOnly: ({ flags }) => (flags & flag.postOnly) !== 0,
  price: ({ market, flags }, order) =>
    (flags & flag.market) === 0 ? market.priceText(order.ticks) : undefined,
  activation_price: activationPrice,
  stp: ({ selfTrade }) => selfTrade,
  oto: ({ venue, flags }) => (hasExits(venue, flags) ? null : undefined),
  positionSide: ({ flags, positionSide }) => ((flags & flag.spot) === 0 ? positionSide : undefined),
  reduceOnly: ({ venue, flags }) =>
    (flags & flag.spot) === 0 && venue.profile === 'full' ? (flags & flag.reduceOnly) !== 0 : undefined,
}
const write = objectWriters(orderOut, orderNames, answerValues)

const nothing = () => '0'
/** Most orders of a bulk have no fills: their text has fewer parts. */
const writeUntouched = objectWriters<typeof orderOut, OrderTraits, OrderFacts>(orderOut, orderNames, {
  ...answerValues,
  deal_stock: nothing,
  deal_money: nothing,
  deal_fee: nothing,
})

/** Few orders have exits: only theirs are looked up. */
const attachedValues: typeof answerValues = {
  ...answerValues,
  oto: ({ venue, market }, { id }) => {
    const attached = attachedTo(venue.state, id)
    if (attached === undefined) return null
    return { otoId: attached.id, ...exitTexts(market, attached) }
  },
}
const writeAttached = objectWriters(orderOut, orderNames, attachedValues)

const make = objectMaker(orderOut, answerValues)
const makeAttached = objectMaker(orderOut, attachedValues)

/** The list of conditional orders has the exits beside their order. */
const writeBare = objectWriters<typeof orderOut, OrderTraits, OrderFacts>(orderOut, orderNames, {
  ...answerValues,
  oto: () => undefined,
})

/** Orders that wait, that belong to a pair, or that are of the spot account cannot have exits. */
const exitless = flag.spot | flag.stop | flag.linked

function hasExits({ profile, world }: VenueContext, flags: number): boolean {
  return profile === 'full' && world.attachedExits === 'placed' && (flags & exitless) === 0
}

export function exitTexts(market: Market, { stopLoss, takeProfit }: AttachedExits) {
  const text = (ticks: number) => (ticks === 0 ? null : market.priceText(ticks))
  return { stopLoss: text(stopLoss), takeProfit: text(takeProfit) }
}

const { positionSide, reduceOnly } = orderOut.shape
/** A waiting order has `rpi` before its position. */
const waitingOut = orderOut
  .omit({ positionSide: true, reduceOnly: true })
  .extend({ positionSide, reduceOnly })
const writeWaiting = objectWriters(waitingOut, orderNames, answerValues)

/** The order of a row as JSON, for answers. */
export function orderText(venue: VenueContext, market: Market, row: number, isListed = false): string {
  const order = factsOf(venue, row)
  const traits = traitsOf(venue, market, order, statusOf(venue, order), isListed)
  const isUntouched = order.left === order.lots && order.quanta === 0
  const writers = isAttached(venue, order) ? writeAttached : isUntouched ? writeUntouched : write
  return writers[venue.spelling](traits, order)
}

/** The same as a value, in the names of the specification. */
export function orderValue(venue: VenueContext, market: Market, row: number): z.input<typeof orderOut> {
  const order = factsOf(venue, row)
  const traits = traitsOf(venue, market, order, statusOf(venue, order), false)
  return (isAttached(venue, order) ? makeAttached : make)(traits, order)
}

function isAttached(venue: VenueContext, { flags }: OrderFacts): boolean {
  return (flags & flag.attached) !== 0 && hasExits(venue, flags)
}

/** The same without its exits. */
export function bareOrderText(venue: VenueContext, market: Market, row: number): string {
  const order = factsOf(venue, row)
  return writeBare[venue.spelling](traitsOf(venue, market, order, statusOf(venue, order), false), order)
}

function factsOf({ trading, state: { orders } }: VenueContext, row: number): OrderFacts {
  return factsAt(orders, row, trading.accounts[(orders.account[row] ?? 0) - 1]?.stops)
}

/** An order that waits for its activation price, or that was cancelled before. */
export function waitingText(
  venue: VenueContext,
  market: Market,
  trigger: Trigger,
  isListed = false,
  status: 'OPEN' | 'CANCELED' = 'OPEN',
): string {
  const order = waitingFacts(trigger)
  return writeWaiting[venue.spelling](traitsOf(venue, market, order, status, isListed), order)
}

export function typeOf({ flags, isListed }: Pick<OrderTraits, 'flags' | 'isListed'>): string {
  const bare = (flags & flag.market) === 0 ? 'limit' : (flags & flag.stock) === 0 ? 'market' : 'stock market'
  const stop = (flags & flag.stop) === 0 ? bare : `stop ${bare}`
  return isListed && (flags & flag.spot) === 0 ? `margin ${stop}` : stop
}

export function statusOf({ switches }: VenueContext, { status, left, lots }: OrderFacts): ShownStatus {
  if (status !== 'OPEN') return status
  return left === lots ? switches.restingStatus : 'PARTIALLY_FILLED'
}
