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
  switch (why) {
    case 'would-take': {
      const text = "This order couldn't be executed as a maker order and was canceled."
      return {
        finerCode: 13,
        errors: { [(flags & flag.rpi) === 0 ? 'postOnly' : 'rpi']: [text] },
      }
    }
    case 'no-balance':
      return { finerCode: 10, errors: { amount: ['Not enough balance.'] } }
    case 'too-big':
      return { finerCode: 112, errors: { amount: ['margin pending orders value too big'] } }
    case 'position-too-big':
      return { finerCode: 111, errors: { amount: ['margin position too big'] } }
    case 'nothing-to-reduce':
      return {
        finerCode: 116,
        errors: { reduceOnly: ["Reduce-only: Position doesn't exist or wrong side"] },
      }
    case 'too-many':
      return { finerCode: 103, errors: { error: ['Max. limit of open orders has been reached.'] } }
    case 'no-opposite-order':
      return { finerCode: 12, errors: { amount: ['The other side of the book is empty.'] } }
  }
}
