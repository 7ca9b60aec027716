import { actionTypes } from '#src/venues/whitebit/contract/account/flex-investments.ts'
import { cutDown, timesDown, type Atoms } from '#src/core/money/atoms.ts'
import { caps, keepNewest } from '#src/exchange/caps.ts'
import { move } from '#src/exchange/ledger/ledger.ts'
import { dayMs } from '#src/exchange/time-units.ts'
import type { FixedInvestment, FlexInvestment, FlexRecord } from './account-data.ts'
import { drawUuid, type ExchangeAccount, type ExchangeState } from '#src/exchange/state.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

const earningDigits = 8

/** The interest of one day at a yearly rate, cut to the digits that the exchange pays out. */
function dayOf(amount: Atoms, rate: Atoms): Atoms {
  return cutDown(timesDown(amount, rate) / 365n, earningDigits)
}

export function noteDue(state: ExchangeState, at: number): void {
  state.dueAt = Math.min(state.dueAt, at)
}

/**
 * Pays everything due until `now`, in the order of the due times. The exchange calls it before each request, so that a
 * result depends on the time alone and not on earlier requests.
 */
export function payUntil(venue: VenueContext, now: number): void {
  const { state } = venue
  while (state.dueAt <= now) {
    // An investment has at most one payment a day, so steps of one day keep all payments in order.
    const until = Math.min(now, state.dueAt + dayMs - 1)
    const due: { at: number; pay: () => void }[] = []
    state.dueAt = Infinity
    for (const account of state.accounts.values()) {
      for (const investment of account.flex.values()) {
        const at = investment.dueAt
        if (at > until) noteDue(state, at)
        else due.push({ at, pay: () => payFlex(venue, account, investment, at) })
      }
      for (const investment of account.fixed.values()) {
        const at = nextPayment(investment)
        if (!investment.open) continue
        if (at > until) noteDue(state, at)
        else due.push({ at, pay: () => payFixed(venue, account, investment, at) })
      }
    }
    for (const { pay } of due.sort((a, b) => a.at - b.at)) pay()
  }
}

/** Adds the invested amount times its time, as interest is paid by both. Call it before each change of the amount. */
export function accrueInterest(investment: FlexInvestment, at: number): void {
  const since = investment.accruedAt ?? investment.dueAt - dayMs
  investment.accrued = (investment.accrued ?? 0n) + investment.invested * BigInt(at - since)
  investment.accruedAt = at
}

function payFlex(
  { state, flexPlans }: VenueContext,
  account: ExchangeAccount,
  investment: FlexInvestment,
  at: number,
): void {
  accrueInterest(investment, at)
  const average = (investment.accrued ?? 0n) / BigInt(dayMs)
  investment.accrued = 0n
  investment.dueAt += dayMs
  noteDue(state, investment.dueAt)
  const plan = flexPlans.get(investment.planId)
  const amount = plan ? dayOf(average, plan.maxRate) : 0n
  if (plan === undefined || amount === 0n) return
  if (investment.reinvest) {
    move(state.ledger, 'interest', 'invested', plan.ticker, amount)
    investment.invested += amount
    investment.updatedAt = at
  } else move(state.ledger, 'interest', account.wallets.main, plan.ticker, amount)
  const actionType = investment.reinvest ? actionTypes.reinvest : actionTypes.dailyEarning
  recordFlex(state, account, investment, plan.ticker, { at, amount, actionType })
}

function payFixed(
  venue: VenueContext,
  account: ExchangeAccount,
  investment: FixedInvestment,
  at: number,
): void {
  const { state, fixedPlans } = venue
  const plan = fixedPlans.get(investment.planId)
  if (plan === undefined) return
  investment.paid += 1
  investment.updatedAt = at
  const amount = dayOf(investment.amount, plan.rate)
  if (amount > 0n) {
    move(state.ledger, 'interest', account.wallets.main, plan.ticker, amount)
    investment.interest += amount
    const payment = { at, planId: plan.id, investmentId: investment.id, ticker: plan.ticker, amount }
    keepNewest(account.interest, payment, caps.records)
  }
  if (investment.paid >= plan.days) endFixed(venue, account, investment, at)
  else noteDue(state, nextPayment(investment))
}

/** Returns the principal and ends the payments. */
export function endFixed(
  { state, fixedPlans }: VenueContext,
  account: ExchangeAccount,
  investment: FixedInvestment,
  at: number,
): void {
  const plan = fixedPlans.get(investment.planId)
  if (plan === undefined) return
  investment.open = false
  investment.updatedAt = at
  move(state.ledger, 'invested', account.wallets.main, plan.ticker, investment.amount)
}

export function nextPayment(investment: FixedInvestment): number {
  return investment.startedAt + (investment.paid + 1) * dayMs
}

export function recordFlex(
  state: ExchangeState,
  account: ExchangeAccount,
  investment: FlexInvestment,
  ticker: string,
  event: { at: number; amount: Atoms; actionType: number },
): FlexRecord {
  const record = {
    ...event,
    ticker,
    planId: investment.planId,
    investmentId: investment.id,
    transactionId: `tx_${drawUuid(state, account)}`,
  }
  keepNewest(account.flexRecords, record, caps.records)
  return record
}
