import { atomDigits } from '#src/core/money/atoms.ts'
import { dayMs } from '#src/exchange/time-units.ts'
import type { WorldMarket, World } from '#src/exchange/world-file.ts'
import { addTrade, noBars, totalSince, type Bars } from './bars.ts'

/**
 * The public data of a market: its last trades, and the bars for candles and volumes. Plain data, one for each market.
 */
export type PublicTrades = {
  /** Ticks of the last trade, or the start price of the world. */
  last: number
  /** Number of trades; the newest `tradesKept` of them are in `trades`, five numbers each. */
  count: number
  trades: number[]
  bars: Bars
}

export type Trade = {
  id: number
  at: number
  ticks: number
  lots: number
  takerSide: 'buy' | 'sell'
  /** The resting order was an RPI order. */
  rpi: boolean
}

export const tradesKept = 1000
const fieldsOfTrade = 5

export function beginPublicTrades(last: number): PublicTrades {
  return { last, count: 0, trades: [], bars: noBars() }
}

/** The start price of a market, from the prices of the assets in the world file. */
export function startTicks({ assets }: World, { base, priceDigits }: WorldMarket): number {
  return Number((assets[base]?.price ?? 0n) / 10n ** BigInt(atomDigits - priceDigits))
}

/** Records a trade of a market, in the order of time. A simulated market calls this millions of times. */
export function recordTrade(
  publicTrades: PublicTrades,
  { id, at, ticks, lots, takerSide, rpi }: Trade,
): void {
  const { trades } = publicTrades
  const place = (publicTrades.count % tradesKept) * fieldsOfTrade
  trades[place] = id
  trades[place + 1] = at
  trades[place + 2] = ticks
  trades[place + 3] = lots
  trades[place + 4] = (takerSide === 'sell' ? 1 : 0) + (rpi ? 2 : 0)
  publicTrades.count += 1
  publicTrades.last = ticks
  addTrade(publicTrades.bars, at, ticks, lots)
}

/** The newest trades, newest first; of one side if requested. */
export function lastTrades({ count, trades }: PublicTrades, most: number, side?: 'buy' | 'sell'): Trade[] {
  const found: Trade[] = []
  for (let number = count - 1; number >= 0 && number >= count - tradesKept; number--) {
    if (found.length === most) break
    const place = (number % tradesKept) * fieldsOfTrade
    const [id = 0, at = 0, ticks = 0, lots = 0, flags = 0] = trades.slice(place, place + fieldsOfTrade)
    const takerSide = flags & 1 ? 'sell' : 'buy'
    if (side === undefined || side === takerSide) {
      found.push({ id, at, ticks, lots, takerSide, rpi: flags > 1 })
    }
  }
  return found
}

export type Stats = { open: number; high: number; low: number; last: number; lots: bigint; money: bigint }

const minuteMs = 60_000

/** The last 1440 minutes, with the current one. */
export function statsOfDay(publicTrades: PublicTrades, now: number): Stats {
  return statsSince(publicTrades, now - (now % minuteMs) + minuteMs - dayMs)
}

/** Since midnight, UTC. */
export function statsOfToday(publicTrades: PublicTrades, now: number): Stats {
  return statsSince(publicTrades, now - (now % dayMs))
}

function statsSince({ bars, last }: PublicTrades, from: number): Stats {
  const total = totalSince(bars, from)
  if (total === undefined) return { open: last, high: last, low: last, last, lots: 0n, money: 0n }
  const { open, high, low, lots, money } = total
  return { open, high, low, last, lots, money }
}

/** The change from open to last, in percent with two decimals, cut towards zero. */
export function changeText({ open, last }: Stats): string {
  if (open === 0) return '0'
  const hundredths = ((BigInt(last) - BigInt(open)) * 10_000n) / BigInt(open)
  const digits = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, '0')
  const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, '')
  return hundredths < 0n ? `-${text}` : text
}
