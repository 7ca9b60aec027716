import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { Command } from '#src/engine/commands.ts'
import { Decimal, decimal, decimalText } from '#src/core/money/decimal.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'

type Invest = Extract<Command, { kind: 'invest' }>

/** Puts idle money into the open plan that pays most for it, as much as that plan takes. */
export async function investIdleMoney(
  client: Pick<Client, 'flexPlans' | 'flexInvest'>,
  { id, ticker, amount, reinvest }: Invest,
  signal: AbortSignal,
): Promise<NewEvent> {
  const told = (outcome: 'accepted' | 'refused' | 'unknown', message: string): NewEvent => ({
    kind: 'invested',
    id,
    outcome,
    message,
  })
  const plans = await client.flexPlans({ ticker }, { signal, priority: 'account' })
  if (plans.kind !== 'answer') return told('refused', 'message' in plans ? plans.message : plans.reason)
  const wanted = decimal(amount)
  const fitting = plans.value
    .filter((plan) => plan.ticker === ticker && wanted.gte(plan.minInvestment))
    .sort((a, b) => decimal(b.maxRate).cmp(decimal(a.maxRate)))
  let last = `no plan takes ${amount} ${ticker}`
  for (const plan of fitting) {
    const part = decimalText(Decimal.min(wanted, plan.maxInvestment))
    const about = { plan: plan.id, amount: part, withReinvest: reinvest }
    const outcome = await client.flexInvest(about, { signal, priority: 'account' })
    if (outcome.kind === 'accepted') return told('accepted', `${part} ${ticker}`)
    if (outcome.kind === 'unknown') return told('unknown', outcome.reason)
    // Plans that are closed to new money are listed like the others: only asking tells.
    last = 'message' in outcome ? outcome.message : outcome.reason
    // A nonce that is not new may have been used by this very call, if it was delivered twice on its way.
    if (outcome.kind === 'refused' && outcome.throttle === 'nonce') return told('unknown', last)
  }
  return told('refused', last)
}
