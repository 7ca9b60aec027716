import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import type { NotPlaced } from './order-matching.ts'

/** Why an order is refused. `finerCode` is the code of the venue family; profile `spec` returns 32 for all of them. */
export type OrderRefusal = { finerCode: number; message?: string; errors: Problems }

export function refuse(finerCode: number, errors: Problems): { refusal: OrderRefusal } {
  return { refusal: { finerCode, errors } }
}

/** The refusal of an order by the book or the balance. */
export function notPlaced(why: NotPlaced, flags: number): OrderRefusal {
  const [finerCode, field, text] = reasons[why]
  const named = why === 'would-take' && (flags & flag.rpi) !== 0 ? 'rpi' : field
  return { finerCode, errors: { [named]: [text] } }
}

const reasons: Readonly<Record<NotPlaced, readonly [finerCode: number, field: string, text: string]>> = {
  'would-take': [13, 'postOnly', "This order couldn't be executed as a maker order and was canceled."],
  'no-balance': [10, 'amount', 'Not enough balance.'],
  'too-big': [112, 'amount', 'margin pending orders value too big'],
  'position-too-big': [111, 'amount', 'margin position too big'],
  'nothing-to-reduce': [116, 'reduceOnly', "Reduce-only: Position doesn't exist or wrong side"],
  'too-many': [103, 'error', 'Max. limit of open orders has been reached.'],
  'no-opposite-order': [12, 'amount', 'The other side of the book is empty.'],
}
