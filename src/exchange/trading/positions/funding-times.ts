import { hourMs } from '#src/exchange/time-units.ts'

/** Funding is settled every eight hours (UTC) on every futures market. */
export const fundingEveryMs = 8 * hourMs

/** Recorded funding by market name: rates in 10^-8, in ascending time. */
export type PaidThen = ReadonlyMap<string, readonly { at: number; rate: number }[]>

/** The time of the next settlement after `at`. */
export function nextFunding(at: number, paid: PaidThen = new Map()): number {
  let next = (Math.floor(at / fundingEveryMs) + 1) * fundingEveryMs
  for (const rates of paid.values()) next = Math.min(next, rates[firstAfter(rates, at)]?.at ?? Infinity)
  return next
}

/** The recorded rate at exactly this time, if there is one. */
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
