import { actionTypes } from '#src/venues/whitebit/contract/account/flex-investments.ts'
import { invalidField, refusedField } from '#src/exchange/handlers/refused-field.ts'
import { parseAtoms } from '#src/core/money/atoms.ts'
import type { FlexInvestment } from '#src/exchange/account-data/account-data.ts'
import { caps, keepNewest } from '#src/exchange/caps.ts'
import { accrueInterest, recordFlex } from '#src/exchange/account-data/earnings.ts'
import { move } from '#src/exchange/ledger/ledger.ts'
import { walletOf } from '#src/exchange/state.ts'
import { RefusedCall, type HandlerCall, type Handler } from '#src/exchange/venue-context.ts'
import type { FlexPlan } from '#src/exchange/world-file.ts'
import { recordsOf } from './flex-investments.ts'

type Found = { plan: FlexPlan; investment: FlexInvestment }

export const flexWithdraw: Handler<'flexWithdraw'> = (call) => {
  const found = findActive(call, 'plan')
  if (found instanceof RefusedCall) return found
  const { venue, account, parameters, now } = call
  const { plan, investment } = found
  const amount = parseAtoms(parameters.amount)
  if (amount === 0n) return invalidField('amount', 'The amount must be greater than 0.')
  if (amount > investment.invested) return refusedField(2, 'amount', 'The amount exceeds the investment.')
  move(venue.state.ledger, 'invested', walletOf(account, 'main'), plan.ticker, amount)
  accrueInterest(investment, now)
  investment.invested -= amount
  investment.updatedAt = now
  const event = { at: now, amount, actionType: actionTypes.withdraw }
  const record = recordFlex(venue.state, account, investment, plan.ticker, event)
  return { data: { transaction_id: record.transactionId } }
}

export const flexClose: Handler<'flexClose'> = (call) => {
  const found = findActive(call, 'investment')
  if (found instanceof RefusedCall) return found
  const { venue, account, now } = call
  const { plan, investment } = found
  const amount = investment.invested
  move(venue.state.ledger, 'invested', walletOf(account, 'main'), plan.ticker, amount)
  investment.invested = 0n
  investment.updatedAt = now
  account.flex.delete(plan.id)
  keepNewest(account.flexClosed, investment, caps.records)
  const event = { at: now, amount, actionType: actionTypes.close }
  const record = recordFlex(venue.state, account, investment, plan.ticker, event)
  return { data: { transaction_id: record.transactionId } }
}

export const flexAutoInvest: Handler<'flexAutoInvest'> = (call) => {
  const found = findActive(call, 'investment')
  if (found instanceof RefusedCall) return found
  found.investment.reinvest = call.parameters.enabled ?? false
  found.investment.updatedAt = call.now
  return { data: [] }
}

export const flexPayments: Handler<'flexPayments'> = (call) => recordsOf(call, [actionTypes.dailyEarning])

/** `key` is the field under which the refusal reports a missing investment. */
function findActive(
  { venue, account, parameters }: HandlerCall<{ plan: string }>,
  key: string,
): Found | RefusedCall {
  const plan = venue.flexPlans.get(parameters.plan)
  if (plan === undefined) return invalidField('plan', 'The selected plan is invalid.')
  const investment = account.flex.get(plan.id)
  if (investment !== undefined) return { plan, investment }
  return refusedField(2, key, 'There is no active investment in this plan.')
}
