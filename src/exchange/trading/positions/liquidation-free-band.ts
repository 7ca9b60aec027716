import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { maintenanceOf } from './liquidation.ts'
import { maintenanceShares } from './risk-brackets.ts'
import { equityOf } from './fill-settlement.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** Both ends are safe. */
export type LiquidationFreeBand = { low: number; high: number }

/** Safety deduction from an account's equity, in atoms: more than all rounding errors. */
const roundingMost = 1000

/**
 * The band of mark prices, in ticks, of one market in which no account is liquidated, as long as there are no trades
 * and every other of these markets stays in its own band. The band may be too narrow, never too wide; low is above high
 * if there is none.
 */
export function safeMarks(
  trading: Trading,
  number: number,
  moving: ReadonlySet<number>,
): LiquidationFreeBand {
  const band = { low: 0, high: Infinity }
  for (const trader of trading.accounts) {
    if (!trader.house && trader.collateral.open.some(({ market }) => market === number)) {
      narrow(trading, number, moving, trader, band)
    }
  }
  return band
}

function narrow(
  trading: Trading,
  number: number,
  moving: ReadonlySet<number>,
  trader: Trader,
  band: LiquidationFreeBand,
): void {
  const { open, leverage } = trader.collateral
  const market = trading.markets[number]
  const mark = trading.state.markets[number]?.mark ?? 0
  if (market === undefined) return
  const { money } = market.rules
  const others = new Set<number>()
  let net = 0
  let held = 0
  for (const exposure of open) {
    const { market: other, lots } = exposure
    if (trading.markets[other]?.rules.money !== money) continue
    if (other === number) {
      net += lots
      held += Math.abs(lots)
    } else if (moving.has(other)) others.add(other)
  }
  const left = equityOf(trading, trader, money) - maintenanceOf(trading, trader, money)
  const share = (Number(left) - roundingMost) / (1 + others.size)
  // The first price of a market is a jump.
  if (mark === 0 || share <= 0) {
    band.low = Infinity
    return
  }
  // What a falling price frees at least, and what a rising price needs at most.
  const [least, most] = maintenanceShares(market, leverage)
  const { atomsPerQuantum } = market.approximate
  const ticks = (lossPerTick: number) =>
    lossPerTick <= 0 ? Infinity : Math.floor((share / (lossPerTick * atomsPerQuantum)) * (1 - 1e-9))
  band.low = Math.max(band.low, mark - ticks(net - held * least))
  band.high = Math.min(band.high, mark + ticks(held * most - net))
}
