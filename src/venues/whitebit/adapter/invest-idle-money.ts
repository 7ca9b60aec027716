import type { Client } from '#src/venues/whitebit/client/client.ts'
import { Decimal, decimal, decimalText } from '#src/core/money/decimal.ts'
import type { InvestOrder, InvestResult } from '#src/venue/port.ts'
import { reasonOf } from './read-of.ts'

/** Invests idle money in the open plan with the highest rate, up to the maximum of that plan. */
export async function investIdleMoney(
  client: Pick<Client, 'flexPlans' | 'flexInvest'>,
  { ticker, amount, reinvest }: InvestOrder,
  signal: AbortSignal,
): Promise<InvestResult> {
  const plans = await client.flexPlans({ ticker }, { signal, priority: 'account' })
  if (plans.kind !== 'answer') return { outcome: 'refused', message: reasonOf(plans) }
  const wanted = decimal(amount)
  const fitting = plans.value
    .filter((plan) => plan.ticker === ticker && wanted.gte(plan.minInvestment))
    .sort((a, b) => decimal(b.maxRate).cmp(decimal(a.maxRate)))
  let last = `no plan takes ${amount} ${ticker}`
  for (const plan of fitting) {
    const part = decimalText(Decimal.min(wanted, plan.maxInvestment))
    const about = { plan: plan.id, amount: part, withReinvest: reinvest }
    const outcome = await client.flexInvest(about, { signal, priority: 'account' })
    if (outcome.kind === 'accepted') return { outcome: 'accepted', message: `${part} ${ticker}` }
    if (outcome.kind === 'unknown') return { outcome: 'unknown', message: outcome.reason }
    // The venue lists plans that are closed to new money, too: only the call shows it.
    last = reasonOf(outcome)
    // This very call may have used the nonce, if it was delivered twice.
    if (outcome.kind === 'refused' && outcome.throttle === 'nonce')
      return { outcome: 'unknown', message: last }
  }
  return { outcome: 'refused', message: last }
}
