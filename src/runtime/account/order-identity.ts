import type { Order, State } from '#src/engine/state/state.ts'
import { isLess } from '#src/core/money/decimal.ts'
import { sameNumber } from '#src/core/money/decimal-text.ts'
import type { ListedOrder } from '#src/venue/port.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'

/** Fields of a sent order that must agree with the listed one. */
export type Sent = Pick<
  Order,
  'id' | 'market' | 'side' | 'price' | 'amount' | 'sentAt' | 'heard' | 'venueId'
> &
  Pick<Order, 'activation' | 'reduceOnly'>

/**
 * `ours` is the order that we sent. `older` was placed by others before ours. `other` differs in market, side, price, amount
 * or the venue's id. `unsure` differs in its time only, and the venue's clock is not known well enough.
 */
export type Identity = 'ours' | 'older' | 'other' | 'unsure'

export type DatingClock = Pick<VenueClock, 'speed' | 'isSure'>

/** The venue may date an order this much earlier than its own last timestamp, because of whole seconds. */
const roundedMs = 2000
/** For an order of which that timestamp is not known: how much earlier than our own time the venue may date it. */
const toleranceMs = { sure: 2000, unsure: 60_000 }

/** Whether an order that the venue lists under our client id is the order that was sent under it. */
export function identityOf(sent: Sent, listed: ListedOrder, clock: DatingClock): Identity {
  const { market, side, venueId } = listed
  const isSure = clock.isSure(sent.sentAt)
  const isOlder = listed.placedAt < earliestDate(sent, clock.speed, isSure)
  const isKnown = sent.venueId !== null && sent.venueId !== ''
  const isSame =
    market === sent.market &&
    side === sent.side &&
    isPriceOf(sent, listed) &&
    isAmountOf(sent, listed) &&
    (!isKnown || venueId === sent.venueId)
  // The venue has answered with this id: the date needs no check.
  if (isSame && (isKnown || !isOlder)) return 'ours'
  // Our own clock may have been ahead at the send: without the venue's time before it, a date proves nothing.
  if (isOlder && isSure && (!isSame || sent.heard !== undefined)) return 'older'
  return isSame ? 'unsure' : 'other'
}

/** A conditional order has another price, or none, before and after its activation. */
function isPriceOf(sent: Sent, { price, activation }: ListedOrder): boolean {
  const listed = sent.activation === undefined ? price : activation
  return typeof listed === 'string' && sameNumber(listed, sent.activation ?? sent.price)
}

/** A venue cuts an order that only reduces to the position. */
function isAmountOf(sent: Sent, { amount }: ListedOrder): boolean {
  return sameNumber(amount, sent.amount) || (sent.reduceOnly === true && isLess(amount, sent.amount))
}

function earliestDate({ sentAt, heard }: Sent, speed: number, isSure: boolean): number {
  if (heard !== undefined) return heard - roundedMs * speed
  return sentAt - (isSure ? toleranceMs.sure : toleranceMs.unsure) * speed
}

/** Our order that the venue lists here, if it is known. */
export function ourOrder(
  { orders }: Pick<State, 'orders'>,
  listed: ListedOrder,
  clock: DatingClock,
): Order | undefined {
  const order = orders[listed.id]
  return order && identityOf(order, listed, clock) === 'ours' ? order : undefined
}
