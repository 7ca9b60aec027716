import { type Decimal, raiseTo, ShortDecimal } from '#src/core/money/decimal.ts'
import { digitsWritten, type Ladder, type LadderPlan, type MarketRules } from './plan.ts'

/**
 * Gives what rounding took from the rungs back to them, by the largest remainder: one more lot to the one that lost the
 * largest part of a lot, then to the next, while another lot can be paid with it. What dropped rungs left is not touched.
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
  // Shares are quotients, so their sum may lack the last digit of what can be paid in full.
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
