import { Decimal } from '#src/core/money/decimal.ts'
import type { ExitStatus } from '#src/engine/exits/exit-reasons.ts'
import { exitName } from '#src/strategy/schema/exit-labels.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { spanText, timeText } from './text.ts'

/** The exits of the position of a ladder: when each of them acts, and whether an order waits at the venue. */
export function exitRows({ name, exits }: { name: string; exits: readonly ExitStatus[] }): string[][] {
  return exits.map((exit) => [
    `  ${name}.${exit.label}`,
    exitName(exit.label),
    exit.amount === '0' ? printable(exit.why) : `${offerText(exit)}; ${orderStates[exit.state ?? 'none']}`,
  ])
}

/** What the exit does, and when: at a price, with its distance from the current one, or at a time. */
export function offerText({ side, amount, price, touch, isActive, due }: ExitStatus): string {
  const offer = `${side} ${amount}`
  if (due !== undefined)
    return `${offer} at ${timeText(due.at)}${due.leftMs > 0 ? `, in ${spanText(due.leftMs)}` : ''}`
  if (price === null) return offer
  const far = distanceText(price, touch, side === 'sell' ? 'bid' : 'ask')
  return isActive === false ? `${offer}, becomes active at ${price}${far}` : `${offer} at ${price}${far}`
}

function distanceText(price: string, touch: string | undefined, name: string): string {
  if (touch === undefined) return ''
  const percent = new Decimal(price).div(touch).minus(1).times(100)
  return `, ${percent.abs().toFixed(2)} % ${percent.lt(0) ? 'below' : 'above'} the ${name} ${touch}`
}

const orderStates = {
  resting: 'its order is at the venue',
  sent: 'its order is in flight',
  doubtful: 'its order has an unknown outcome',
  waits: 'its order waits',
  filled: 'its order has filled',
  ended: 'its order has ended',
  none: 'without an order at the venue',
}
