import type { Decimal } from '#src/core/money/decimal.ts'
import type { ExitLabel } from '#src/strategy/schema/exit-labels.ts'
import { onTick, type ExitLadder, type LadderExit } from '#src/engine/exits/exit-orders.ts'
import type { LadderState } from '#src/engine/state/state.ts'

/** An exit of a ladder: a row of the table of exits. */
export type ExitKind = {
  /** For sentences: "closes its position by its …". */
  text: string
  /** Once it is due, it closes the whole position until that is flat. */
  lasts: boolean
  marks: (leaving: LadderExit) => Marks
  isDue: (leaving: LadderExit, marks: Marks) => boolean
  /** Moves the price of an exit that follows the best price. */
  follow?: (leaving: LadderExit, marks: Marks) => void
  /** For an exit that closes nothing before the price has reached its first price: whether it has. */
  isActive?: (own: LadderState) => boolean
  /** When it is due, whatever the price. */
  dueAt?: (ladder: Pick<ExitLadder, 'file'>, own: LadderState) => number | undefined
  /** The reason of its price. */
  reason: (leaving: LadderExit, marks: Marks, about: About) => string
}

/** `far`: the distance of a price from the average entry. `key`: the part of a take profit, the key of a mirror, or empty. */
type About = { far: (price: Decimal | null | undefined) => string; key: string }

/** The prices of an exit, each on the tick. */
export type Marks = {
  /** The price at which it is due: null if prices do not matter, undefined if unknown. */
  price: Decimal | null | undefined
  /** A price beyond these changes something for the exit, on the worse or the better side of now. */
  good?: Decimal | undefined
  bad?: Decimal | undefined
  /** From this price on, an active exit follows. */
  best?: Decimal | undefined
  /** What a take profit still has to sell. */
  parts?: readonly Part[]
}

export type Part = { label: ExitLabel; price: Decimal; amount: Decimal }

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
