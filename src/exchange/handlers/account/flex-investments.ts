import type { AnswerOf, WireOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { actionTypes } from '#src/venues/whitebit/contract/account/flex-investments.ts'
import { contract, type Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { innerInvalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { accrueInterest, noteDue, recordFlex } from '#src/exchange/account-data/earnings.ts'
import { balanceOf, move } from '#src/exchange/ledger/ledger.ts'
import type { FlexInvestment } from '#src/exchange/account-data/account-data.ts'
import { drawUuid } from '#src/exchange/state.ts'
import { dayMs, seconds } from '#src/exchange/time-units.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { RefusedCall, type HandlerCall, type Handler } from '#src/exchange/venue-context.ts'

export const flexInvestments: Handler<'flexInvestments'> = ({ venue, account, parameters }) => {
  const { ticker, plan, investment, investmentStatus } = parameters
  const { limit, offset } = pageOf(contract.flexInvestments, parameters)
  const active = [...account.flex.values()].map((item) => ({ item, status: 1 as const }))
  const closed = account.flexClosed.map((item) => ({ item, status: 0 as const }))
  const data = [...closed, ...active]
    .filter(({ status }) => investmentStatus === undefined || status === investmentStatus)
    .filter(({ item }) => plan === undefined || item.planId === plan)
    .filter(({ item }) => investment === undefined || item.id === investment)
    .filter(({ item }) => ticker === undefined || venue.flexPlans.get(item.planId)?.ticker === ticker)
    .slice(offset, offset + limit)
    .map(({ item, status }) => ({
      id: item.id,
      planId: item.planId,
      currency: venue.flexPlans.get(item.planId)?.ticker ?? '',
      invested: formatAtoms(item.invested),
      withAutoReinvest: item.reinvest,
      status,
      createdAt: seconds(item.openedAt),
      updatedAt: seconds(item.updatedAt),
    }))
  return { data, limit, offset }
}

export const flexHistory: Handler<'flexHistory'> = (call) => recordsOf(call, call.parameters.actionTypes)

/** A page of the investment records of an account; `types` selects some types. */
export function recordsOf(
  call: HandlerCall<WireOf<Contract['flexPayments']>>,
  types: readonly number[] | undefined,
): AnswerOf<Contract['flexHistory']> | RefusedCall {
  const { account, parameters } = call
  const { plan, investment, transaction, dateFrom, dateTo } = parameters
  const { limit, offset } = pageOf(contract.flexHistory, parameters)
  const wanted = types && new Set(types)
  const data = account.flexRecords
    .toReversed()
    .filter((record) => plan === undefined || record.planId === plan)
    .filter((record) => investment === undefined || record.investmentId === investment)
    .filter((record) => transaction === undefined || record.transactionId === transaction)
    .filter((record) => dateFrom === undefined || seconds(record.at) >= dateFrom)
    .filter((record) => dateTo === undefined || seconds(record.at) <= dateTo)
    .filter((record) => wanted === undefined || wanted.has(record.actionType))
    .slice(offset, offset + limit)
    .map((record) => ({
      createdAt: seconds(record.at),
      planId: record.planId,
      investmentId: record.investmentId,
      currency: record.ticker,
      amount: formatAtoms(record.amount),
      transaction_id: record.transactionId,
      actionType: record.actionType,
    }))
  return { data, limit, offset }
}

export const flexInvest: Handler<'flexInvest'> = ({ venue, account, parameters, now }) => {
  const { state } = venue
  const amount = parseAtoms(parameters.amount)
  const plan = venue.flexPlans.get(parameters.plan)
  if (plan === undefined) return new RefusedCall(innerInvalid('plan', 0, 'Plan is unavailable'))
  if (!plan.open) return new RefusedCall(innerInvalid('plan', 0, 'Plan is paused'))
  const found = account.flex.get(plan.id)
  if (amount < plan.minInvestment)
    return new RefusedCall(innerInvalid('amount', 2, 'Amount is less than min investment'))
  if ((found?.invested ?? 0n) + amount > plan.maxInvestment) {
    return new RefusedCall(innerInvalid('amount', 3, 'Amount is more than max investment'))
  }
  const wallet = account.wallets.main
  const available = balanceOf(state.ledger, wallet, plan.ticker)
  if (amount > available) {
    const text = `Available ${formatAtoms(available)} < ${formatAtoms(amount)}`
    // Spec §4.3 reports this under `balance`, live venues report it under `amount`.
    return new RefusedCall(innerInvalid(venue.profile === 'full' ? 'amount' : 'balance', 4, text))
  }
  move(state.ledger, wallet, 'invested', plan.ticker, amount)
  const investment: FlexInvestment = found ?? {
    id: `inv_${drawUuid(state, account)}`,
    planId: plan.id,
    invested: 0n,
    reinvest: false,
    openedAt: now,
    updatedAt: now,
    dueAt: now + dayMs,
  }
  accrueInterest(investment, now)
  investment.invested += amount
  investment.reinvest = parameters.withReinvest ?? investment.reinvest
  investment.updatedAt = now
  account.flex.set(plan.id, investment)
  noteDue(state, investment.dueAt)
  const type = found === undefined ? actionTypes.open : actionTypes.invest
  const record = recordFlex(state, account, investment, plan.ticker, { at: now, amount, actionType: type })
  return { data: { transaction_id: record.transactionId } }
}

export const flexPlans: Handler<'flexPlans'> = ({ venue, parameters }) => {
  const { ticker } = parameters
  const { limit, offset } = pageOf(contract.flexPlans, parameters)
  return [...venue.flexPlans.values()]
    .filter((plan) => ticker === undefined || plan.ticker === ticker)
    .slice(offset, offset + limit)
    .map((plan) => ({
      id: plan.id,
      ticker: plan.ticker,
      minInvestment: formatAtoms(plan.minInvestment),
      maxInvestment: formatAtoms(plan.maxInvestment),
      maxRate: formatAtoms(plan.maxRate),
    }))
}
