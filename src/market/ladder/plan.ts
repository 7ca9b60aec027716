import type { Decimal } from '#src/core/money/decimal.ts'

/** What a market asks of every order; fees are ratios. */
export type MarketRules = {
  priceDigits: number
  amountDigits: number
  minAmount: Decimal
  minTotal: Decimal
  maxTotal: Decimal
  makerFee: Decimal
  takerFee: Decimal
}

export type OrderSide = 'buy' | 'sell'

/** Where the rungs stand. Ratios are of a price: 0.015 is 1.5 percent. */
export type Spacing =
  /** Equal steps, each a share of the anchor. */
  | { kind: 'arithmetic'; first: Decimal; step: Decimal }
  /** Each step is a share of the price before it, and each is `grow` times as wide as the last. */
  | { kind: 'geometric'; first: Decimal; step: Decimal; grow: Decimal }
  /** Lines from one price to another, with equal steps or equal ratios; the anchor says which side they are on. */
  | { kind: 'range'; from: Decimal; to: Decimal; by: 'price' | 'ratio' }
  /** Each distance by itself. */
  | { kind: 'offsets'; at: readonly Decimal[] }
  /** Steps in multiples of a unit that was measured, such as the average true range. */
  | { kind: 'volatility'; unit: Decimal; first: Decimal; step: Decimal }

/** How the budget is spread, from the rung next to the anchor outwards. */
export type Shape =
  | { kind: 'flat' | 'fibonacci' | 'valley' | 'mountain' }
  | { kind: 'linear'; from: Decimal; to: Decimal }
  | { kind: 'geometric'; ratio: Decimal }
  | { kind: 'list'; weights: readonly Decimal[] }

export type Budget = {
  amount: Decimal
  /** Whether the budget is money or the amount of the base currency. */
  of: 'quote' | 'base'
  /** Whether it is all of it, or the share of the first rung from which the others follow. */
  for: 'all' | 'first'
  /** The most that all of it may come to. */
  cap?: Decimal | undefined
}

export type LadderPlan = {
  side: OrderSide | 'both'
  /** Lines of a range; otherwise the rungs on each side. */
  levels: number
  spacing: Spacing
  shape: Shape
  budget: Budget
  /** What comes of a rung that the market would not take, or that falls on the tick of the one before it. */
  belowMin: 'merge' | 'drop' | 'refuse'
  /** What comes of the parts of a lot that rounding left: kept, or given out lot by lot. */
  leftover: 'keep' | 'spread'
}

export type Rung = {
  /** Counted from the anchor; with a letter for its side where a ladder has both. It is part of the order's id. */
  level: string
  side: OrderSide
  price: Decimal
  amount: Decimal
  notional: Decimal
}

/** The same as it is sent. */
export type RungText = Pick<Rung, 'level' | 'side'> & { price: string; amount: string }

export type Ladder = {
  rungs: Rung[]
  /** Of the budget, in its own unit: what rounding and dropped rungs left. */
  budget: Decimal
  unused: Decimal
  /** Levels that gave their share to the next one, or gave it up. */
  merged: string[]
  dropped: string[]
}

/** Why a plan gives no ladder, and which part of the plan is wrong. */
export type RefusedLadder = { refusal: string; of: 'anchor' | 'spacing' | 'size'; hint: string }

/** What is reported must be a number that can be written down. */
export const digitsWritten = 18
