import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { maintenanceOf, maintenanceRate } from './liquidation.ts'
import { equityOf } from './fill-settlement.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** Both ends are safe. */
export type LiquidationFreeBand = { low: number; high: number }

/** Of what an account has left, so much less is counted on, in atoms: more than all rounding could come to. */
const roundingMost = 1000

/**
 * Between which mark prices, in ticks, of one market nobody is liquidated as long as nobody trades and every other of
 * these markets keeps to its own band. Rather too narrow than too wide; low is above high where nobody can tell.
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
  // The first price of a market is a leap.
  if (mark === 0 || share <= 0) {
    band.low = Infinity
    return
  }
  const bound = (held * Number(maintenanceRate(leverage))) / 1000
  const { atomsPerQuantum } = market.roughly
  const ticks = (lossPerTick: number) =>
    lossPerTick <= 0 ? Infinity : Math.floor((share / (lossPerTick * atomsPerQuantum)) * (1 - 1e-9))
  band.low = Math.max(band.low, mark - ticks(net - bound))
  band.high = Math.min(band.high, mark + ticks(bound - net))
}
