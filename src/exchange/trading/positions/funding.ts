import { formatAtoms, oneUnit, type Atoms } from '#src/core/money/atoms.ts'
import { caps, keepNewest } from '#src/exchange/caps.ts'
import { move } from '#src/exchange/ledger/ledger.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { fundingEveryMs, nextFunding, paidAt, type PaidThen } from './funding-times.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { FundingPayment } from './position-events.ts'
import { worthAtMark } from './exposure.ts'
import { pay } from './fill-settlement.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** Rates are whole numbers of 10^-8. */
const unit = 100_000_000n
export const fundingRateMost = 750_000
export function rateText(rate: number): string {
  return formatAtoms(BigInt(rate) * (oneUnit / unit))
}

/** Number of past settlements kept for requests. */
const kept = 1000

/** How far the rate may be from the premium towards the base: 0.05 %. */
const basePull = 50_000

/** The rate that long positions pay to short ones, from the premium of the last price over the mark price. */
export function fundingRate({ state }: Trading, market: Market): number {
  const { last, mark, fundingBase } = state.markets[market.number] ?? { last: 0, mark: 0 }
  if (last === 0 || mark === 0) return 0
  const premium = Number((BigInt(last - mark) * unit) / BigInt(mark))
  return clamp(fundingBase === undefined ? premium : rateOfPremium(premium, fundingBase), fundingRateMost)
}

/** The formula that large venues publish: the base, unless the premium is more than 0.05 % away from it. */
export function rateOfPremium(premium: number, base: number): number {
  return premium + clamp(base - premium, basePull)
}

function clamp(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value))
}

/**
 * One settlement of all futures markets; markets with recorded rates pay those, at the recorded times. The insurance
 * receives the rounding remainder.
 */
export function settleFunding(trading: Trading, at: number, paid?: PaidThen): void {
  const { state } = trading
  for (const market of trading.markets) {
    const marketState = state.markets[market.number]
    if (market.rules.kind !== 'futures' || marketState === undefined) continue
    const rates = paid?.get(market.name)
    if (rates === undefined && at % fundingEveryMs(market.rules) !== 0) continue
    const rate = rates ? paidAt(rates, at) : fundingRate(trading, market)
    if (rate === undefined) continue
    const { money } = market.rules
    keepNewest(marketState.fundings, { at, rate, ticks: marketState.mark }, kept)
    const settled = { at, market: market.number, rate, ticks: marketState.mark }
    let over: Atoms = 0n
    for (const trader of trading.accounts) {
      for (const exposure of trader.collateral.open) {
        if (exposure.market !== market.number) continue
        const { lots } = exposure
        const share = worthAtMark(trading, market.number, Math.abs(lots)) * BigInt(Math.abs(rate))
        const amount = lots > 0 === rate > 0 ? -((share + unit - 1n) / unit) : share / unit
        pay(trading, trader, 'clearing', money, amount)
        exposure.funding += amount
        recordPayment(trading, trader, { ...settled, lots, amount })
        over -= amount
      }
    }
    move(state.ledger, 'clearing', 'insurance', money, over)
  }
  const rules = trading.markets.map((market) => market.rules)
  state.fundingAt = nextFunding(at, rules, paid)
  state.stirred = true
}

function recordPayment(trading: Trading, trader: Trader, payment: FundingPayment): void {
  if (trader.house || payment.amount === 0n) return
  keepNewest(trader.fundingPayments, payment, caps.events)
  trading.listener?.funding?.(trader, payment)
}
