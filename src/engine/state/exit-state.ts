import type { WholeLabel } from '#src/strategy/schema/exit-labels.ts'

/** What the exits of a ladder remember. */
export type ExitState = {
  /**
   * Mirror orders that should rest, by the level whose fill caused them; fills of the mirror are subtracted. Fills of a level
   * during the life of its first mirror are under `level-2`, and so on.
   */
  mirrors: Record<
    string,
    { side: 'buy' | 'sell'; price: string; amount: string; order: string | null; levels: string[] }
  >
  /**
   * Amounts that were too small to offer: positive to sell, negative to buy. The next mirror includes them. `cost`: the money
   * that they must earn; only with `earn: base`.
   */
  carried: { amount: string; levels: string[]; cost?: string }
  /** The position when the first part was sent, and how much of it has been closed since. */
  parts: { of: string; gone: string } | null
  /** The best price since the trailing exit was activated. */
  trailBest: number | null
  /** The break-even stop is active. Older states lack it. */
  breakEven?: boolean
  /** The exit that is closing the whole position until it is flat, such as a stop or an action of a rule. */
  leave: WholeLabel | null
  /** The order of a rule to close the position, and its maximum slippage. Older states lack it. */
  close?: CloseOrder
  /** Rules that would close a share now, but wait because of `daily_loss`. */
  lossWaits?: string[]
  /** An exit whose amount is below the minimum of the market; older states lack it. */
  tooSmall?: { kind: string; why: string } | null
  /** Between these prices a quote changes nothing for the exits; null if there is nothing to check. */
  watch: ExitWatch | null
}

/**
 * `share`: only this amount is closed, and how much of it is left. `postUntil`: until when its orders rest, null without an end;
 * absent if they execute at once. `mostLost`: the money that such closes may lose in a day.
 */
export type CloseOrder = {
  rule: string
  slippage: string
  share?: { of: string; left: string }
  postUntil?: number | null
  mostLost?: string
}

/** `best`: from this price on, the best price of an active trailing exit moves. */
export type ExitWatch = { of: 'bid' | 'ask'; below: number; above: number; best?: number }
