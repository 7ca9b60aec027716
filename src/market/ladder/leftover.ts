import { type Decimal, raiseTo, ShortDecimal } from '#src/core/money/decimal.ts'
import { digitsWritten, type Ladder, type LadderPlan, type MarketRules } from './plan.ts'

/**
 * Gives the rounding loss back to the rungs by the largest remainder: one lot to the rung that lost the largest part of
 * a lot, then to the next, while the budget pays another lot. The shares of dropped rungs are not used.
 */
export function spreadLeftover(
  ladder: Ladder,
  shares: readonly Decimal[],
  plan: LadderPlan,
  market: MarketRules,
): void {
  const lot = new ShortDecimal(10).pow(-market.amountDigits)
  const inBase = plan.budget.of === 'base'
  const losers = ladder.rungs.map((rung, index) => {
    const lost = (shares[index] ?? rung.amount).minus(inBase ? rung.amount : rung.notional)
    const cost = inBase ? lot : lot.times(rung.price)
    return { rung, lost, cost, part: lost.div(cost) }
  })
  // Shares are rounded quotients, so their sum may lack the last digit.
  let left = raiseTo(
    digitsWritten,
    losers.reduce((sum, { lost }) => sum.plus(lost), new ShortDecimal(0)),
  )
  if (left.gt(ladder.unused)) left = ladder.unused
  for (const { rung, cost } of losers.sort((a, b) => b.part.cmp(a.part))) {
    const amount = rung.amount.plus(lot)
    const notional = amount.times(rung.price)
    if (cost.gt(left) || notional.gt(market.maxTotal)) continue
    Object.assign(rung, { amount, notional })
    left = left.minus(cost)
    ladder.unused = ladder.unused.minus(cost)
  }
}
