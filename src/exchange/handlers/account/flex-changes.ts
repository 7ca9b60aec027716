import { actionTypes } from '#src/venues/whitebit/contract/account/flex-investments.ts'
import { invalidField, refusedField } from '#src/exchange/handlers/refused-field.ts'
import { parseAtoms, type Atoms } from '#src/core/money/atoms.ts'
import type { FlexInvestment } from '#src/exchange/account-data/account-data.ts'
import { caps, keepNewest } from '#src/exchange/caps.ts'
import { accrueInterest, recordFlex } from '#src/exchange/account-data/earnings.ts'
import { move } from '#src/exchange/ledger/ledger.ts'
import { RefusedCall, type HandlerCall, type Handler } from '#src/exchange/venue-context.ts'
import type { FlexPlan } from '#src/exchange/world-file.ts'
import { recordsOf } from './flex-investments.ts'

type Found = { plan: FlexPlan; investment: FlexInvestment }

export const flexWithdraw: Handler<'flexWithdraw'> = (call) => {
  const found = findActive(call, 'plan')
  if (found instanceof RefusedCall) return found
  const { investment } = found
  const amount = parseAtoms(call.parameters.amount)
  if (amount === 0n) return invalidField('amount', 'The amount must be greater than 0.')
  if (amount > investment.invested) return refusedField(2, 'amount', 'The amount exceeds the investment.')
  accrueInterest(investment, call.now)
  return payOut(call, found, amount, actionTypes.withdraw)
}

export const flexClose: Handler<'flexClose'> = (call) => {
  const found = findActive(call, 'investment')
  if (found instanceof RefusedCall) return found
  const { plan, investment } = found
  call.account.flex.delete(plan.id)
  keepNewest(call.account.flexClosed, investment, caps.records)
  return payOut(call, found, investment.invested, actionTypes.close)
}

/** Pays an amount of the investment to the main balance. */
function payOut(
  { venue, account, now }: HandlerCall<unknown>,
  { plan, investment }: Found,
  amount: Atoms,
  actionType: number,
) {
  move(venue.state.ledger, 'invested', account.wallets.main, plan.ticker, amount)
  investment.invested -= amount
  investment.updatedAt = now
  const record = recordFlex(venue.state, account, investment, plan.ticker, { at: now, amount, actionType })
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
