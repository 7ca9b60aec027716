import type { z } from 'zod'
import { sameNumber } from '#src/core/money/decimal-text.ts'
import type { ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { inverted, orderNames, respellProblems } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { Switches } from '#src/venues/whitebit/contract/assumptions/switches.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Unread } from './partial-answer.ts'
import type {
  AnsweredOutcome,
  BulkOutcome,
  NotSent,
  OrderOutcome,
  PlacedOrder,
  RefusedOutcome,
  UnknownOutcome,
} from './outcome.ts'

type Bulk = Contract['collateralBulk']
/** The bulk as it is on the wire, before any respelling. */
export type SentBulk = z.input<Bulk['request']>
type SentOrder = SentBulk['orders'][number]
type Element = ReadOf<Bulk>[number]
/** An element that could not be read keeps its place. */
type Elements = readonly (Element | undefined)[]

/** Public venues answer 36 for an id that is taken; the spec's 32 tells it by its text alone. */
const idTakenCode = 36
const idTakenText = /already (?:used|exists)|duplicate/i

const specNames = inverted(orderNames)

/** The elements of an answer in their places. */
function inPlaces(read: readonly Element[], unread: readonly Unread[]): Elements {
  const elements: (Element | undefined)[] = [...read]
  // In the order of the answer: each place is right once those before it are filled.
  for (const { path } of unread) elements.splice(Number(path[0]), 0, undefined)
  return elements
}

/** A bulk that has no elements to read: every order shares what became of the call. */
export function sharedOutcome(
  sent: readonly unknown[],
  outcome: RefusedOutcome | NotSent | UnknownOutcome,
): BulkOutcome {
  const order: OrderOutcome =
    outcome.kind === 'refused'
      ? {
          kind: 'refused',
          code: outcome.code,
          message: outcome.message,
          errors: outcome.errors,
          alreadyUsed: false,
        }
      : outcome
  return { ...outcome, orders: sent.map(() => order) }
}

/**
 * Reads the elements of an answer for the orders they belong to. An element with a result must be the order
 * of its position in every respect that we can check; one that is not makes all of them unknown, because
 * then no position can be trusted.
 */
export function readBulk(
  sent: SentBulk,
  { value, unread = [] }: Pick<AnsweredOutcome<Element[]>, 'value' | 'unread'>,
  shape: StoppedBulkShape,
): BulkOutcome {
  const elements = inPlaces(value, unread)
  const isForeign = unread.some(({ path }) => path.length === 1)
  const doubt = isForeign
    ? 'An element of the answer is neither an order nor an error'
    : mistakeIn(sent, elements)
  if (doubt !== undefined) return sharedOutcome(sent.orders, { kind: 'unknown', reason: doubt })
  const answered = elements.map(outcomeOf)
  const { length } = sent.orders
  const orders = sent.stopOnFail === true ? shape.complete(answered, length) : answered
  return { kind: 'answered', orders: filledWith(unanswered, orders, length) }
}

function filledWith(outcome: OrderOutcome, orders: OrderOutcome[], length: number): OrderOutcome[] {
  if (orders.length === length) return orders
  return [...orders, ...Array.from({ length: length - orders.length }, () => outcome)]
}

/** How a venue answers a bulk that `stopOnFail` has ended; see `stoppedBulk` in assumptions.ts. */
export type StopOnFailAnswer = Switches['stopOnFailAnswer']

/**
 * Which orders a bulk with `stopOnFail` has not reached. Every element with an error behind the first one names such an order.
 * A missing element is a proof only behind an error, at a venue whose answers end with it (`included`). Without an error, an
 * answer that ends before the failing order (`absent`) looks like one that has lost its end: missing orders may be open.
 */
export class StoppedBulkShape {
  /** Whether each order has an element: by the venue file, or by an answer. */
  #isFull: boolean

  constructor(declared?: StopOnFailAnswer) {
    this.#isFull = declared === 'full'
  }

  /** The outcomes of the elements, and of missing ones where they are proven. */
  complete(answered: readonly OrderOutcome[], length: number): OrderOutcome[] {
    const failed = answered.findIndex(({ kind }) => kind === 'refused')
    if (failed === -1) return [...answered]
    this.#isFull ||= failed < answered.length - 1
    const known = answered.map((order, index) =>
      index > failed && order.kind === 'refused' ? notAttempted : order,
    )
    return this.#isFull ? known : filledWith(notAttempted, known, length)
  }
}

function mistakeIn(sent: SentBulk, elements: Elements): string | undefined {
  if (elements.length > sent.orders.length) return 'The venue answered more orders than were sent'
  let failed = false
  let index = -1
  for (const element of elements) {
    index += 1
    const order = sent.orders[index]
    if (element === undefined) continue
    if ((element.result === null) === (element.error === null)) {
      return `The answer for order ${index} must hold either a result or an error`
    }
    if (element.result !== null && order && !isSameOrder(order, element.result)) {
      return `The answer at position ${index} is about another order`
    }
    // What was accepted under stopOnFail is a prefix; a result behind a failure contradicts the request.
    if (element.result !== null && failed && sent.stopOnFail === true) {
      return 'The venue continued after the order that should have stopped the bulk'
    }
    failed ||= element.error !== null
  }
  return undefined
}

function isSameOrder(sent: SentOrder, placed: PlacedOrder): boolean {
  const id = sent.client_order_id ?? ''
  return (
    (id === '' || id === placed.client_order_id) &&
    sent.side === placed.side &&
    sent.market === placed.market &&
    sameNumber(sent.price, placed.price) &&
    // A reduce-only order is cut to the position.
    (sent.reduceOnly === true || sameNumber(sent.amount, placed.amount))
  )
}

function outcomeOf(element: Element | undefined): OrderOutcome {
  if (element === undefined) return unreadable
  if (element.result !== null) return { kind: 'accepted', order: element.result }
  // mistakeIn has seen to it that one of the two is there.
  if (element.error === null) return unanswered
  const { code, message } = element.error
  // An answer of nothing but errors fits in either spelling; the names in them are ours all the same.
  const errors = respellProblems(element.error.errors ?? {}, specNames)
  return { kind: 'refused', code, message, errors, alreadyUsed: isIdTaken({ code, message, errors }) }
}

/** Whether the venue has refused an order since its client order id is taken. */
export function isIdTaken({
  code,
  message,
  errors,
}: Pick<RefusedOutcome, 'code' | 'message' | 'errors'>): boolean {
  const aboutId = [message, ...(errors['client_order_id'] ?? [])]
  return code === idTakenCode || aboutId.some((text) => idTakenText.test(text))
}

const notAttempted: OrderOutcome = { kind: 'not-attempted' }
const unreadable: OrderOutcome = { kind: 'unknown', reason: 'The answer for this order could not be read' }
const unanswered: OrderOutcome = { kind: 'unknown', reason: 'The answer of the venue omits this order' }
