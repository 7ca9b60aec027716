import type { PositionSide, ExchangeSide } from '#src/exchange/trading/book/order-columns.ts'

/**
 * An order out of a plain bulk. Nobody else makes them, so whoever meets one knows that every field has the right
 * shape, and the client id the right letters.
 */
export class FastBulkOrder {
  readonly market: string
  readonly side: ExchangeSide
  readonly amount: string
  readonly price: string
  readonly client_order_id: string
  // Only there when they were sent.
  declare readonly postOnly?: boolean
  declare readonly ioc?: boolean
  declare readonly rpi?: boolean
  declare readonly positionSide?: PositionSide

  constructor(market: string, side: ExchangeSide, amount: string, price: string, clientId: string) {
    this.market = market
    this.side = side
    this.amount = amount
    this.price = price
    this.client_order_id = clientId
  }
}

export type FastBulkRequest = {
  orders: FastBulkOrder[]
  stopOnFail?: boolean
  request: string
  nonce: string
  nonceWindow?: boolean
}

/** An order up to its price, and behind its client id: the parts that the next order nearly always repeats. */
const head =
  /\{"market":"([A-Z0-9]{1,20}_[A-Z0-9]{1,20})","side":"(buy|sell)","amount":"((?:0|[1-9]\d{0,17})(?:\.\d{1,18})?)","price":"/y
const tail =
  /"(?:,"postOnly":(true|false))?(?:,"ioc":(true|false))?(?:,"rpi":(true|false))?(?:,"positionSide":"(LONG|SHORT|BOTH)")?\}/y
const nameOfId = '","client_order_id":"'
const between = Buffer.from(nameOfId)
const begin = '{"orders":['
/** Without an escape or a letter beyond ASCII, so that these bytes and their text are one. */
const end =
  /\](?:,"stopOnFail":(true|false))?,"request":"([A-Za-z0-9/._-]*)","nonce":"(\d{1,19})"(?:,"nonceWindow":(true|false))?\}$/y

const idLettersMax = 64
const comma = 44
const point = 46
const zero = 48
const letters = table('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-')
const digits = table('0123456789')

function table(of: string): Uint8Array {
  const known = new Uint8Array(256)
  for (const letter of of) known[letter.charCodeAt(0)] = 1
  return known
}

/**
 * Reads the body of a bulk as our own client writes it: without spaces or escapes, the fields in the contract's order,
 * each in the right shape. Everything else is undefined, for JSON.parse and the checks behind it, which take three times
 * as long; tests hold this against them.
 */
export function readFastBulkRequest(bytes: Buffer): FastBulkRequest | undefined {
  const text = bytes.toString('latin1')
  if (!text.startsWith(begin)) return undefined
  const orders: FastBulkOrder[] = []
  let [headAt, headLength, tailAt, tailLength] = [0, 0, 0, 0]
  let [market, side, amount] = ['', 'buy' as ExchangeSide, '']
  let flags: Partial<FastBulkOrder> | undefined
  for (let at = begin.length; ; at++) {
    if (headLength === 0 || !same(bytes, at, bytes, headAt, headLength)) {
      const found = match(head, text, at)
      if (found === null) return undefined
      ;[, market = '', , amount = ''] = found
      side = found[2] === 'buy' ? 'buy' : 'sell'
      headAt = at
      headLength = found[0].length
    }
    const priceAt = at + headLength
    const priceEnd = decimalEnd(bytes, priceAt)
    if (priceEnd === -1 || !same(bytes, priceEnd, between, 0, between.length)) return undefined
    const idAt = priceEnd + between.length
    let idEnd = idAt
    while (letters[bytes[idEnd] ?? 0] === 1) idEnd += 1
    if (idEnd - idAt > idLettersMax) return undefined
    // A copy by itself: a part of the text would keep all of it alive as long as the id.
    const clientId = bytes.toString('latin1', idAt, idEnd)
    const order = new FastBulkOrder(market, side, amount, text.slice(priceAt, priceEnd), clientId)
    at = idEnd
    if (tailLength === 0 || !same(bytes, at, bytes, tailAt, tailLength)) {
      const found = match(tail, text, at)
      if (found === null) return undefined
      flags = flagsOf(found)
      tailAt = at
      tailLength = found[0].length
    }
    orders.push(flags === undefined ? order : Object.assign(order, flags))
    at += tailLength
    if (bytes[at] === comma) continue
    const found = match(end, text, at)
    if (found === null) return undefined
    const [, stopOnFail, request = '', nonce = '', nonceWindow] = found
    return {
      orders,
      ...(stopOnFail !== undefined && { stopOnFail: stopOnFail === 'true' }),
      request,
      nonce,
      ...(nonceWindow !== undefined && { nonceWindow: nonceWindow === 'true' }),
    }
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Whether the bytes from `at` on are those of `others` from `from` on. */
function same(bytes: Buffer, at: number, others: Buffer, from: number, length: number): boolean {
  for (let index = 0; index < length; index++) {
    if (bytes[at + index] !== others[from + index]) return false
  }
  return true
}

function flagsOf([, postOnly, ioc, rpi, side]: RegExpExecArray): Partial<FastBulkOrder> | undefined {
  if ((postOnly ?? ioc ?? rpi ?? side) === undefined) return undefined
  return {
    ...(postOnly !== undefined && { postOnly: postOnly === 'true' }),
    ...(ioc !== undefined && { ioc: ioc === 'true' }),
    ...(rpi !== undefined && { rpi: rpi === 'true' }),
    ...(side !== undefined && { positionSide: side === 'LONG' || side === 'SHORT' ? side : 'BOTH' }),
  }
}

/** Where the decimal ends that begins here, or -1 when it is none; the same that `isDecimalText` takes. */
function decimalEnd(bytes: Buffer, at: number): number {
  let end = at
  while (digits[bytes[end] ?? 0] === 1) end += 1
  const whole = end - at
  if (whole === 0 || whole > 18 || (whole > 1 && bytes[at] === zero)) return -1
  if (bytes[end] !== point) return end
  const fraction = end + 1
  for (end = fraction; digits[bytes[end] ?? 0] === 1;) end += 1
  return end > fraction && end - fraction <= 18 ? end : -1
}
