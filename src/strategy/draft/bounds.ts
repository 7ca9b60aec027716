import type { MarketRules } from '#src/market/ladder/plan.ts'
import { Decimal, decimal, raiseTo } from '#src/core/money/decimal.ts'
import type { KindName } from './kind-names.ts'
import { kinds } from './kinds.ts'

/** A market during the drafting of a strategy. */
export type DraftPlace = { market: MarketRules; price: Decimal; batchMax: number }

const levelsLeast = 2
/** Steps are written in percent with four decimals, so as ratios with six. */
const stepDigits = 6
/** Prices are cut to the tick: with this many ticks between them, two rungs stay apart. */
const ticksApart = 4
const stepLeast = decimal('0.0002')

/** 1 + ratio + ratio² + …, with `terms` terms. */
function series(ratio: Decimal, terms: number): Decimal {
  let sum = new Decimal(0)
  for (let index = 0; index < terms; index++) sum = sum.times(ratio).plus(1)
  return sum
}

/** The money for this many rungs at any price, each at least the minimum order. Rounded up to a hundredth. */
export function moneyLeast(kind: KindName, levels: number, { market, price }: DraftPlace): Decimal {
  const { sides, weigh, reachMost } = kinds[kind]
  // Steps above the price compound.
  const highest = sides === 1 ? price : price.div(new Decimal(1).minus(reachMost))
  const lot = new Decimal(10).pow(-market.amountDigits)
  const rung = Decimal.max(highest.times(market.minAmount), market.minTotal.plus(highest.times(lot)))
  return raiseTo(2, rung.times(series(weigh, levels)).times(sides))
}

/** The most money with which no rung exceeds the maximum order, for any distribution. */
export function moneyMost(kind: KindName, { market }: DraftPlace): Decimal {
  return market.maxTotal.times(kinds[kind].sides).div(2).floor()
}

export function stepBounds(
  kind: KindName,
  levels: number,
  place: DraftPlace,
): { least: Decimal; most: Decimal } {
  const { fees, reachMost, grow } = kinds[kind]
  const { market } = place
  const least = Decimal.max(stepLeast, market.makerFee.times(fees).plus(ticks(place)), ticks(place))
  const most = reachMost.div(series(grow, levels)).toDecimalPlaces(stepDigits, Decimal.ROUND_DOWN)
  return { least: raiseTo(stepDigits, least), most }
}

/** The profit must cover both fees, one of them as taker. */
export function profitLeast(place: DraftPlace): Decimal {
  const { makerFee, takerFee } = place.market
  return raiseTo(stepDigits, Decimal.max(0, makerFee.plus(takerFee).times('1.5')).plus(ticks(place)))
}

/** The most rungs for this money; 0 if it does not pay the fewest. */
export function levelsMost(kind: KindName, money: Decimal, place: DraftPlace): number {
  let levels = kinds[kind].levelsMost
  while (levels >= levelsLeast && !fits(kind, levels, money, place)) levels--
  return levels < levelsLeast ? 0 : levels
}

function fits(kind: KindName, levels: number, money: Decimal, place: DraftPlace): boolean {
  const { least, most } = stepBounds(kind, levels, place)
  return moneyLeast(kind, levels, place).lte(money) && least.lte(most)
}

function ticks({ market, price }: DraftPlace): Decimal {
  return new Decimal(10).pow(-market.priceDigits).times(ticksApart).div(price)
}
