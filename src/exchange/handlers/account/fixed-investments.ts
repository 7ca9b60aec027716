import { invalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidField, refusedField } from '#src/exchange/handlers/refused-field.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { endFixed, nextPayment, noteDue } from '#src/exchange/account-data/earnings.ts'
import { caps, makeRoom } from '#src/exchange/caps.ts'
import { balanceOf, move } from '#src/exchange/ledger/ledger.ts'
import type { FixedInvestment } from '#src/exchange/account-data/account-data.ts'
import { drawUuid, type ExchangeAccount } from '#src/exchange/state.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { RefusedCall, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'
import type { FixedPlan } from '#src/exchange/world-file.ts'

export const fixedInterest: Handler<'fixedInterest'> = ({ account, parameters }) => {
  const { planId, ticker } = parameters
  const { limit, offset } = pageOf(contract.fixedInterest, parameters)
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
  if (plan === undefined) return invalidField('planId', 'The selected planId is invalid.')
  if (!plan.open) return invalidField('planId', 'Plan is inactive')
  const amount = parseAtoms(parameters.amount)
  const refused = (finerCode: number, text: string) => notInvested(venue, finerCode, text)
  if (venue.profile === 'full' && isIn(account, plan)) return refused(1, 'You are in this plan already')
  if (amount < plan.minInvestment) return refused(2, 'Amount is less than min investment')
  if (amount > plan.maxInvestment) return refused(3, 'Amount is more than max investment')
  const wallet = account.wallets.main
  const available = balanceOf(state.ledger, wallet, plan.ticker)
  if (amount > available) return refused(4, `Available ${formatAtoms(available)} < ${formatAtoms(amount)}`)
  if (!makeRoom(account.fixed, caps.investments, ({ open }) => !open))
    return refused(1, `You have ${caps.investments} open investments already`)
  move(state.ledger, wallet, 'invested', plan.ticker, amount)
  const investment: FixedInvestment = {
    id: drawUuid(state, account),
    planId: plan.id,
    amount,
    startedAt: now,
    updatedAt: now,
    paid: 0,
    interest: 0n,
    open: true,
  }
  account.fixed.set(investment.id, investment)
  noteDue(state, nextPayment(investment))
  return { id: investment.id }
}

/** Spec.md defines inner validation for flexible investments only. */
function notInvested({ profile }: VenueContext, finerCode: number, text: string): RefusedCall {
  if (profile === 'full') return refusedField(finerCode, 'amount', text)
  return new RefusedCall({ ...invalid({ amount: [text] }), status: 422 })
}

function isIn(account: ExchangeAccount, plan: FixedPlan): boolean {
  return [...account.fixed.values()].some(({ planId, open }) => open && planId === plan.id)
}

export const fixedClose: Handler<'fixedClose'> = ({ venue, account, parameters: { id }, now }) => {
  const investment = account.fixed.get(id)
  if (investment === undefined) return invalidField('id', 'Investment not found')
  if (!investment.open) return invalidField('id', 'Investment is already closed')
  endFixed(venue, account, investment, now)
  return {}
}

export const fixedPlans: Handler<'fixedPlans'> = ({ venue, parameters: { ticker } }) => {
  return [...venue.fixedPlans.values()]
    .filter((plan) => ticker === undefined || plan.ticker === ticker)
    .map(shownPlan)
}

const minutesOfDay = 1440

/** Interest is paid in the currency of the plan, and a plan has no upper limit. */
function shownPlan(plan: FixedPlan) {
  return {
    id: plan.id,
    ticker: plan.ticker,
    status: plan.open ? (1 as const) : (3 as const),
    percent: formatAtoms(plan.rate * 100n),
    duration: plan.days * minutesOfDay,
    interestTicker: plan.ticker,
    interestRatio: '1',
    minInvestment: formatAtoms(plan.minInvestment),
    maxInvestment: formatAtoms(plan.maxInvestment),
    maxPossibleInvestment: formatAtoms(plan.open ? plan.maxInvestment : 0n),
  }
}

export const fixedInvestments: Handler<'fixedInvestments'> = ({ venue, account, parameters }) => {
  const { id, ticker, status } = parameters
  const { limit, offset } = pageOf(contract.fixedInvestments, parameters)
  const records = [...account.fixed.values()].toReversed().flatMap((investment) => {
    const plan = venue.fixedPlans.get(investment.planId)
    if (plan === undefined || (id !== undefined && investment.id !== id)) return []
    if (ticker !== undefined && plan.ticker !== ticker) return []
    if (status !== undefined && investment.open !== (status === 1)) return []
    return {
      id: investment.id,
      plan: shownPlan(plan),
      status: investment.open ? (1 as const) : (2 as const),
      created: seconds(investment.startedAt),
      updated: seconds(investment.updatedAt),
      paymentTime: seconds(investment.open ? nextPayment(investment) : investment.updatedAt),
      amount: formatAtoms(investment.amount),
      interestPaid: formatAtoms(investment.interest),
    }
  })
  return { offset, limit, records: records.slice(offset, offset + limit) }
}
