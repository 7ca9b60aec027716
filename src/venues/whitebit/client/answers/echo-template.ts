import type { SentBulk } from './bulk-answer.ts'
import type { PlacedOrder } from './outcome.ts'

type SentOrder = SentBulk['orders'][number]

/** So many digits are exact in every number of JavaScript. */
const digitsMax = 15
const zero = 0x30

/**
 * How a venue gives back an order as it was sent: the words between the values that every order brings along. Of
 * an order in the very same words, only the id is left to read.
 */
export class EchoTemplate {
  /** Where the order read last ended. */
  end = 0
  readonly #order: PlacedOrder
  readonly #toId: string
  readonly #toClientId: string
  readonly #toAmount: string
  readonly #toLeft: string
  readonly #toPrice: string
  readonly #toEnd: string

  /**
   * An order of which nothing is filled, and the text it was read from. No value in it holds a quote, so that a
   * name in quotes stands there once.
   */
  constructor(text: string, order: PlacedOrder) {
    const { client_order_id, amount, price } = order
    this.#order = order
    const idAt = text.indexOf(':', text.indexOf(':') + 1) + 1
    this.#toId = text.slice(0, idAt)
    const idEnd = text.indexOf(',', idAt)
    const clientIdAt = text.indexOf(':"', idEnd) + 2
    this.#toClientId = text.slice(idEnd, clientIdAt)
    const amountAt = text.indexOf('"amount":"') + '"amount":"'.length
    this.#toAmount = text.slice(clientIdAt + client_order_id.length, amountAt)
    const leftAt = text.indexOf('"left":"') + '"left":"'.length
    this.#toLeft = text.slice(amountAt + amount.length, leftAt)
    const priceAt = text.indexOf('"price":"') + '"price":"'.length
    this.#toPrice = text.slice(leftAt + amount.length, priceAt)
    this.#toEnd = text.slice(priceAt + price.length)
  }

  /** The order that begins here, if it is the one that was sent (as its schema wants it), in the same words. */
  read(body: string, from: number, sent: SentOrder): PlacedOrder | undefined {
    const { client_order_id = '', amount, price } = sent
    const idAt = past(this.#toId, body, from)
    if (idAt === nowhere) return undefined
    let order_id = 0
    let at = idAt
    for (; ; at++) {
      const digit = body.charCodeAt(at) - zero
      // Behind the end it is NaN.
      if (!(digit >= 0 && digit <= 9)) break
      order_id = order_id * 10 + digit
    }
    const digits = at - idAt
    if (digits === 0 || digits > digitsMax || (digits > 1 && body.charCodeAt(idAt) === zero)) return undefined
    at = past(this.#toClientId, body, at)
    at = past(client_order_id, body, at)
    at = past(this.#toAmount, body, at)
    at = past(amount, body, at)
    at = past(this.#toLeft, body, at)
    at = past(amount, body, at)
    at = past(this.#toPrice, body, at)
    at = past(price, body, at)
    at = past(this.#toEnd, body, at)
    if (at === nowhere) return undefined
    this.end = at
    return { ...this.#order, order_id, client_order_id, amount, left: amount, price }
  }
}

const nowhere = -1

/** Where these words end, if they stand here. */
function past(words: string, body: string, at: number): number {
  const end = at + words.length
  return at !== nowhere && body.slice(at, end) === words ? end : nowhere
}
