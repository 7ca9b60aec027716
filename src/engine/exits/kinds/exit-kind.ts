import type { Decimal } from '#src/core/money/decimal.ts'
import { onTick, type LadderExit } from '#src/engine/exits/exit-orders.ts'

/** An exit of the whole position of a ladder. */
export type ExitKind = {
  /** In sentences: "closes its position by its …". */
  text: string
  marks: (leaving: LadderExit) => Marks
  isDue: (leaving: LadderExit, marks: Marks) => boolean
  /** Why it stands where it does; `away` says how far a price is from the average entry. */
  reason: (leaving: LadderExit, marks: Marks, away: (price: Decimal | undefined) => string) => string
}

/** The prices of an exit, each on the tick. */
export type Marks = {
  /** Where it is due: null if prices do not matter, undefined if that is unknown. */
  price: Decimal | null | undefined
  /** A price beyond these means something to it, on the better or the worse side of now. */
  good?: Decimal | undefined
  bad?: Decimal | undefined
  /** From where the best price moves, or the next better one while it does. */
  follow?: Decimal | undefined
}

/** A price that is so much better than another one, as seen from the position; below zero it is worse. */
export function away({ sign }: LadderExit, from: Decimal, distance: Decimal): Decimal {
  return from.plus(distance.times(sign))
}

/** A mark against us lies on the tick that is farther away: what touches it has reached the exact price, too. */
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
