import { Decimal, isLess } from '#src/core/money/decimal.ts'
import { isCapitalShare } from '#src/strategy/file/capital.ts'
import { isShare } from '#src/strategy/schema/quantities.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { ProfitAndLoss, State } from '#src/engine/state/state.ts'
import { readEquity } from '#src/engine/state/validity.ts'

/** The equity of the account, if it is known. */
export function equityOf({ account }: Pick<State, 'account'>): Decimal | undefined {
  readEquity()
  return knownEquity({ account })
}

/** The same for a caller that records itself at which equity something changes. */
export function knownEquity({ account }: Pick<State, 'account'>): Decimal | undefined {
  return numberIn(account?.equity)
}

/** The equity from which a share in `daily_loss` counts: that at 00:00 UTC, as the loss. */
export function dayEquityOf(worth: ProfitAndLoss | undefined): Decimal | undefined {
  return numberIn(worth?.equity?.day)
}

/**
 * The equity from which the capital of `drawdown` counts: the highest at a start of a day. With the current equity, a loss would
 * make the limit smaller that it counts against.
 */
export function peakEquityOf(worth: ProfitAndLoss | undefined): Decimal | undefined {
  return numberIn(worth?.equity?.peak)
}

function numberIn(text: string | null | undefined): Decimal | undefined {
  return text === undefined || text === null ? undefined : new Decimal(text)
}

const keeping = new WeakMap<Strategy, boolean>()

/** Whether limits of losses are shares of an equity that is kept; cached for each file. */
export function keepsEquity(strategy: Strategy): boolean {
  let keeps = keeping.get(strategy)
  if (keeps === undefined) keeping.set(strategy, (keeps = hasEquityLimit(strategy)))
  return keeps
}

function hasEquityLimit(strategy: Strategy): boolean {
  const closes = strategy.rules.flatMap((rule) => rule.do.map(({ close }) => close?.daily_loss))
  const losses = [strategy.risk.daily_loss, ...closes]
  return isCapitalShare(strategy) || losses.some((limit) => limit !== undefined && isShare(limit))
}

/** Keeps the equity of the day once it is known, and the highest one of all days. */
export function keepEquity({ account }: State, worth: ProfitAndLoss, isNewDay: boolean): void {
  const { day = null, peak = null } = worth.equity ?? {}
  if (!isNewDay && day !== null && peak !== null) return
  const now = account?.equity ?? null
  const today = isNewDay ? now : (day ?? now)
  const highest = peak === null ? now : today !== null && isLess(peak, today) ? today : peak
  worth.equity = { day: today, peak: highest }
}
