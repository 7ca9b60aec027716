import { firstIndex } from '#src/core/objects/first-index.ts'
import { hourMs } from '#src/exchange/time-units.ts'
import type { WorldMarket } from '#src/exchange/world-file.ts'

/** Time between settlements of a futures market, counted from midnight UTC. Worlds of older versions do not state it. */
export function fundingEveryMs({ fundingHours = 8 }: WorldMarket): number {
  return fundingHours * hourMs
}

/** Recorded funding by market name: rates in 10^-8, in ascending time. */
export type PaidThen = ReadonlyMap<string, readonly { at: number; rate: number }[]>

/** The time of the next settlement of any of the markets after `at`. Each interval is a multiple of the shorter ones. */
export function nextFunding(at: number, markets: readonly WorldMarket[], paid: PaidThen = new Map()): number {
  const everyMs = Math.min(8 * hourMs, ...markets.map(fundingEveryMs))
  let next = (Math.floor(at / everyMs) + 1) * everyMs
  for (const rates of paid.values()) next = Math.min(next, rates[firstAfter(rates, at)]?.at ?? Infinity)
  return next
}

/** The recorded rate at exactly this time, if there is one. */
export function paidAt(rates: readonly { at: number; rate: number }[], at: number): number | undefined {
  const found = rates[firstAfter(rates, at) - 1]
  return found?.at === at ? found.rate : undefined
}

function firstAfter(rates: readonly { at: number }[], at: number): number {
  return firstIndex(0, rates.length, (index) => rates[index]!.at > at)
}
