import { hourMs } from '#src/exchange/time-units.ts'

/** Funding is settled at these hours of the day, UTC, on every market of futures. */
export const fundingEveryMs = 8 * hourMs

/** What was paid once, by the name of the market: rates in 10^-8, in rising time. */
export type PaidThen = ReadonlyMap<string, readonly { at: number; rate: number }[]>

/** The next settlement after `at`. */
export function nextFunding(at: number, paid: PaidThen = new Map()): number {
  let next = (Math.floor(at / fundingEveryMs) + 1) * fundingEveryMs
  for (const rates of paid.values()) next = Math.min(next, rates[firstAfter(rates, at)]?.at ?? Infinity)
  return next
}

/** The rate that was paid at that very moment, if any was. */
export function paidAt(rates: readonly { at: number; rate: number }[], at: number): number | undefined {
  const found = rates[firstAfter(rates, at) - 1]
  return found?.at === at ? found.rate : undefined
}

function firstAfter(rates: readonly { at: number }[], at: number): number {
  let [low, high] = [0, rates.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rates[middle]?.at ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}
