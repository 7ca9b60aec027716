import { invalid } from '#src/contract/refusals.ts'
import { formatAtoms, parseAtoms } from '#src/money/atoms.ts'
import { endFixed, nextPayment, noteDue } from '../earnings.ts'
import { balanceOf, move } from '../ledger.ts'
import type { FixedInvestment } from '../belongings.ts'
import { drawUuid, walletOf } from '../state.ts'
import { seconds } from '../moments.ts'
import { Refused, type Handler } from '../venue.ts'

export const fixedInterest: Handler<'fixedInterest'> = ({ venue, account, parameters }) => {
  const { planId, ticker, limit = 100, offset = 0 } = parameters
  if (planId !== undefined && !venue.fixedPlans.has(planId)) {
    return new Refused(invalid({ planId: ['The selected planId is invalid.'] }))
  }
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    return new Refused(invalid({ ticker: ['The selected ticker is invalid.'] }))
  }
  const records = account.interest
    .toReversed()
    .filter((payment) => planId === undefined || payment.planId === planId)
    .filter((payment) => ticker === undefined || payment.ticker === ticker)
    .slice(offset, offset + limit)
    .map((payment) => ({
      planId: payment.planId,
      investmentId: payment.investmentId,
      amount: formatAtoms(payment.amount),
      ticker: payment.ticker,
      timestamp: seconds(payment.at),
    }))
  return { offset, limit, records }
}

export const fixedInvest: Handler<'fixedInvest'> = ({ venue, account, parameters, now }) => {
  const { state } = venue
  const plan = venue.fixedPlans.get(parameters.planId)
  if (plan === undefined) return new Refused(invalid({ planId: ['The selected planId is invalid.'] }))
  if (!plan.open) return new Refused(invalid({ planId: ['Plan is inactive'] }))
  const amount = parseAtoms(parameters.amount)
  if (amount < plan.minInvestment) return refused(2, 'Amount is less than min investment')
  if (amount > plan.maxInvestment) return refused(3, 'Amount is more than max investment')
  const wallet = walletOf(account, 'main')
  const available = balanceOf(state.ledger, wallet, plan.ticker)
  if (amount > available) return refused(4, `Available ${formatAtoms(available)} < ${formatAtoms(amount)}`)
  move(state.ledger, wallet, 'invested', plan.ticker, amount)
  const investment: FixedInvestment = {
    id: drawUuid(state, account),
    planId: plan.id,
    amount,
    startedAt: now,
    paid: 0,
    open: true,
  }
  account.fixed.set(investment.id, investment)
  noteDue(state, nextPayment(investment))
  return { id: investment.id }
}

function refused(finerCode: number, text: string): Refused {
  return new Refused({ ...invalid({ amount: [text] }), status: 422, finerCode })
}

export const fixedClose: Handler<'fixedClose'> = ({ venue, account, parameters: { id } }) => {
  const investment = account.fixed.get(id)
  if (investment === undefined) return new Refused(invalid({ id: ['Investment not found'] }))
  if (!investment.open) return new Refused(invalid({ id: ['Investment is already closed'] }))
  endFixed(venue, account, investment)
  return {}
}
