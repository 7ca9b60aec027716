import type { Decimal } from '#src/core/money/decimal.ts'
import { onTick, type LadderExit } from '#src/engine/exits/exit-orders.ts'

/** An exit of the whole position of a ladder. */
export type ExitKind = {
  /** For sentences: "closes its position by its …". */
  text: string
  marks: (leaving: LadderExit) => Marks
  isDue: (leaving: LadderExit, marks: Marks) => boolean
  /** The reason of its price; `away` is the distance of a price from the average entry. */
  reason: (leaving: LadderExit, marks: Marks, away: (price: Decimal | undefined) => string) => string
}

/** The prices of an exit, each on the tick. */
export type Marks = {
  /** The price at which it is due: null if prices do not matter, undefined if unknown. */
  price: Decimal | null | undefined
  /** A price beyond these changes something for the exit, on the worse or the better side of now. */
  good?: Decimal | undefined
  bad?: Decimal | undefined
  /** The price from which the best price moves, or the next better one while it moves. */
  follow?: Decimal | undefined
}

/** A price that is better than another one by this share, seen from the position; negative is worse. */
export function away({ sign }: LadderExit, from: Decimal, distance: Decimal): Decimal {
  return from.plus(distance.times(sign))
}

/** A price that triggers a loss is rounded to the farther tick: a quote that touches it has reached the exact price, too. */
export function badTick({ market, side }: LadderExit, price: Decimal): Decimal {
  return onTick(market, side === 'sell' ? 'buy' : 'sell', price)
}

export function isReached({ touch, sign }: LadderExit, price: Decimal | null | undefined): boolean {
  return Boolean(touch && price && touch.cmp(price) * sign >= 0)
}

export function isFallenTo({ touch, sign }: LadderExit, price: Decimal | null | undefined): boolean {
  return Boolean(touch && price && touch.cmp(price) * sign <= 0)
}

export function priceText(price: Decimal | null | undefined): string {
  return price?.toFixed() ?? 'no price'
}
