import type { Atoms } from '#src/core/money/atoms.ts'
import { dayMs } from '#src/exchange/time-units.ts'
import type { Market } from './book/market.ts'

/**
 * The trading volume of an account, for fee tiers. As venues do, the tier is set at midnight UTC by the volume of the 30 days
 * before, and an order keeps the tier of the day on which it was placed.
 */
type TradedVolume = {
  /** Number of the current UTC day, and its volume, which counts from the next day on. */
  day: number
  today: Atoms
  /** Days before with trades, oldest first, and their sum. */
  days: [day: number, volume: Atoms][]
  sum: Atoms
}

/** By the money of the market; all markets of this money count together. Only in worlds with fee tiers. */
export type TradedVolumes = { volumes?: Map<string, TradedVolume> }

const windowDays = 30

export function addVolume(trader: TradedVolumes, money: string, worth: Atoms, at: number): void {
  const volumes = (trader.volumes ??= new Map())
  const volume = volumes.get(money) ?? { day: Math.floor(at / dayMs), today: 0n, days: [], sum: 0n }
  volumes.set(money, volume)
  passDays(volume, at)
  volume.today += worth
}

/** 0 if the account has not reached the first tier, or the market has none. */
export function feeTierOf(trader: TradedVolumes, { rules }: Market, at: number): number {
  const { feeTiers, money } = rules
  const volume = feeTiers && trader.volumes?.get(money)
  if (feeTiers === undefined || volume === undefined) return 0
  passDays(volume, at)
  return feeTiers.findLastIndex((tier) => tier.volume <= volume.sum) + 1
}

function passDays(volume: TradedVolume, at: number): void {
  const day = Math.floor(at / dayMs)
  if (day === volume.day) return
  if (volume.today > 0n) volume.days.push([volume.day, volume.today])
  volume.sum += volume.today
  volume.day = day
  volume.today = 0n
  for (let first = volume.days[0]; first && first[0] < day - windowDays; first = volume.days[0]) {
    volume.sum -= first[1]
    volume.days.shift()
  }
}
