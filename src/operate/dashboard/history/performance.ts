import { setImmediate } from 'node:timers/promises'
import { formatAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { TradeHistory } from './trade-history.ts'

/** Figures of the kept trades of a strategy. */
export type Performance = {
  trades: number
  /** Trades with a profit after fees. */
  won: number
  profit: string
  /** Sum of the profits by the sum of the losses; null without a loss. */
  profitFactor: string | null
  /** The newest days in UTC with a closed trade, the newest first. */
  days: { day: string; trades: number; profit: string }[]
}

const daysMax = 60
const factorDigits = 2

export async function performanceOf(
  trades: Pick<TradeHistory, 'pages'>,
  strategy: string,
): Promise<Performance> {
  let [count, won, gained, lost] = [0, 0, 0n, 0n]
  const days = new Map<string, { trades: number; profit: bigint }>()
  for (const page of trades.pages()) {
    for (const row of page) {
      if (row.strategy !== strategy) continue
      const profit = parseSignedAtoms(row.profit)
      count += 1
      if (profit > 0n) won += 1
      if (profit > 0n) gained += profit
      else lost -= profit
      const day = new Date(row.closedAt).toISOString().slice(0, 10)
      const known = days.get(day) ?? { trades: 0, profit: 0n }
      days.set(day, { trades: known.trades + 1, profit: known.profit + profit })
    }
    await setImmediate()
  }
  const factor = lost === 0n ? null : new Decimal(formatAtoms(gained)).div(formatAtoms(lost))
  return {
    trades: count,
    won,
    profit: formatAtoms(gained - lost),
    profitFactor: factor?.toDecimalPlaces(factorDigits).toFixed() ?? null,
    days: [...days]
      .slice(0, daysMax)
      .map(([day, { trades: closed, profit }]) => ({ day, trades: closed, profit: formatAtoms(profit) })),
  }
}
