import { exact } from './naive-arithmetic.ts'

/** The main account as the assumptions describe it: investments of both kinds, transfer codes and refunds. */
const one = 10n ** 18n
const dayMs = 86_400_000

type Plan = { ticker: string; minInvestment: bigint; maxInvestment: bigint; open: boolean }
type FlexPlan = Plan & { maxRate: bigint }
type FixedPlan = Plan & { rate: bigint; days: number }
/** `accrued`: the amounts since the last payment, each times the milliseconds for which it was invested. */
type Flex = {
  plan: FlexPlan
  invested: bigint
  reinvest: boolean
  dueAt: number
  accrued: bigint
  since: number
}
type Fixed = { plan: FixedPlan; amount: bigint; from: number; paid: number; open: boolean }

export class NaiveSavings {
  readonly main: Record<string, bigint>
  readonly flex = new Map<string, Flex>()
  readonly fixed: Fixed[] = []
  readonly refundable: Set<string>
  codes = 0n

  constructor(main: Record<string, bigint>, refundable: Set<string>) {
    this.main = { ...main }
    this.refundable = refundable
  }

  investFlex(
    id: string,
    plan: FlexPlan | undefined,
    text: string,
    reinvest: boolean | undefined,
    now: number,
  ) {
    const amount = exact(text)
    if (amount === undefined || plan === undefined) return false
    const found = this.flex.get(id) ?? {
      plan,
      invested: 0n,
      reinvest: false,
      dueAt: now + dayMs,
      accrued: 0n,
      since: now,
    }
    if (!this.#fits(plan, amount, found.invested + amount)) return false
    this.#add(plan.ticker, -amount)
    accrue(found, now)
    found.invested += amount
    found.reinvest = reinvest ?? found.reinvest
    this.flex.set(id, found)
    return true
  }

  investFixed(plan: FixedPlan | undefined, text: string, now: number): boolean {
    const amount = exact(text)
    if (amount === undefined || plan === undefined || !this.#fits(plan, amount, amount)) return false
    this.#add(plan.ticker, -amount)
    this.fixed.push({ plan, amount, from: now, paid: 0, open: true })
    return true
  }

  closeFixed(investment: Fixed | undefined): boolean {
    if (!investment?.open) return false
    investment.open = false
    this.#add(investment.plan.ticker, investment.amount)
    return true
  }

  makeCode(ticker: string, text: string): boolean {
    const amount = exact(text, 8)
    if (amount === undefined || amount === 0n || amount > (this.main[ticker] ?? 0n)) return false
    this.#add(ticker, -amount)
    this.codes += amount
    return true
  }

  /** Each investment separately, day by day: they are independent. */
  passUntil(now: number): void {
    for (const item of this.flex.values()) {
      for (; item.dueAt <= now; item.dueAt += dayMs) {
        accrue(item, item.dueAt)
        const earning = oneDay(item.accrued / BigInt(dayMs), item.plan.maxRate)
        item.accrued = 0n
        if (item.reinvest) item.invested += earning
        else this.#add(item.plan.ticker, earning)
      }
    }
    for (const item of this.fixed) {
      for (; item.open && item.from + (item.paid + 1) * dayMs <= now; item.paid++) {
        item.open = item.paid + 1 < item.plan.days
        this.#add(item.plan.ticker, oneDay(item.amount, item.plan.rate) + (item.open ? 0n : item.amount))
      }
    }
  }

  #fits(plan: Plan, amount: bigint, total: bigint): boolean {
    const { ticker, minInvestment, maxInvestment, open } = plan
    return open && amount >= minInvestment && total <= maxInvestment && amount <= (this.main[ticker] ?? 0n)
  }

  #add(ticker: string, amount: bigint): void {
    this.main[ticker] = (this.main[ticker] ?? 0n) + amount
  }
}

/** Interest is paid for the average amount of the day. */
function accrue(item: Flex, now: number): void {
  item.accrued += item.invested * BigInt(now - item.since)
  item.since = now
}

/** Cut to eight decimals, as the assumptions say. */
function oneDay(amount: bigint, rate: bigint): bigint {
  return ((amount * rate) / one / 365n / 10n ** 10n) * 10n ** 10n
}
