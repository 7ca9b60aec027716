import type { VariantOutcome } from '#src/research/sweep/ranking.ts'

type Told = { maxDrawdown?: string; sharpe?: number | null; fills?: number; halts?: number; days?: number }

/** A possible outcome. */
export function won(
  netProfit: string,
  { maxDrawdown = '10', sharpe = null, fills = 100, halts = 0, days = 30 }: Told = {},
): VariantOutcome {
  const summary = {
    fills,
    orders: 100,
    netProfit,
    fees: '1',
    funding: '0',
    maxDrawdown,
    maxDrawdownShare: 0.01,
    liquidations: 0,
    halts,
    sharpe,
    sortino: null,
    exposure: 0.5,
    holdingMs: null,
    events: 1000,
    from: 0,
    to: days * 86_400_000,
    startEquity: '1000',
    endEquity: '1000',
  }
  return { summary }
}
