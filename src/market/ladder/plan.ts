import type { Decimal } from '#src/core/money/decimal.ts'

/** The rules of a market for every order; fees are ratios. */
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

/** The positions of the rungs. Ratios are of a price: 0.015 is 1.5 percent. */
export type Spacing =
  /** Equal steps, each a ratio of the anchor. */
  | { kind: 'arithmetic'; first: Decimal; step: Decimal }
  /** Each step is a ratio of the price before it, and `grow` times as wide as the step before. */
  | { kind: 'geometric'; first: Decimal; step: Decimal; grow: Decimal }
  /** Lines from one price to another, with equal steps or equal ratios; the anchor determines their side. */
  | { kind: 'range'; from: Decimal; to: Decimal; by: 'price' | 'ratio' }
  /** Each distance separately. */
  | { kind: 'offsets'; at: readonly Decimal[] }
  /** Steps in multiples of a measured unit, such as the average true range. */
  | { kind: 'volatility'; unit: Decimal; first: Decimal; step: Decimal }

export type RangeSpacing = Extract<Spacing, { kind: 'range' }>
export type Steps = Exclude<Spacing, RangeSpacing>

/** A shape without numbers: one word in a strategy file. */
export type WordShape = 'flat' | 'fibonacci' | 'valley' | 'mountain'

/** The distribution of the budget, from the rung next to the anchor outwards. */
export type WeightShape =
  | { kind: WordShape }
  | { kind: 'linear'; from: Decimal; to: Decimal }
  | { kind: 'geometric'; ratio: Decimal }
  | { kind: 'list'; weights: readonly Decimal[] }

export type Budget = {
  amount: Decimal
  /** Whether the budget is money (`quote`) or an amount of the base currency. */
  of: 'quote' | 'base'
  /** Whether it is the whole budget, or the share of the first rung, which determines the others. */
  for: 'all' | 'first'
  /** Maximum of the whole budget. */
  cap?: Decimal | undefined
}

export type LadderPlan = {
  side: OrderSide | 'both'
  /** Lines of a range; for other spacings the rungs on each side. */
  levels: number
  spacing: Spacing
  shape: WeightShape
  budget: Budget
  /** What happens to a rung that the market refuses, or that is on the same tick as the rung before. */
  belowMin: 'merge' | 'drop' | 'refuse'
  /** What happens to the rounding remainder: kept, or distributed lot by lot. */
  leftover: 'keep' | 'spread'
}

export type Rung = {
  /** Counted from the anchor; with a letter for the side if the ladder has both. It is part of the order's id. */
  level: string
  side: OrderSide
  price: Decimal
  amount: Decimal
  notional: Decimal
}

/** A rung with its numbers as the request contains them. */
export type RungText = Pick<Rung, 'level' | 'side'> & { price: string; amount: string }

export type Ladder = {
  rungs: Rung[]
  /** The part of the budget left by rounding and dropped rungs, in the unit of the budget. */
  budget: Decimal
  unused: Decimal
  /** Levels whose share went to the next level (merged), or to none (dropped). */
  merged: string[]
  dropped: string[]
}

/** Why a plan gives no ladder, and which part of the plan is wrong. */
export type RefusedLadder = { refusal: string; of: 'anchor' | 'spacing' | 'size'; hint: string }

/** Reported numbers are cut to these decimals. */
export const digitsWritten = 18
