import type { Atoms } from '#src/core/money/atoms.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { equityOf } from './fill-settlement.ts'
import { maintenance } from './liquidation.ts'
import { maintenanceMargin, maintenanceRate } from './risk-brackets.ts'

/**
 * The first price in ticks at which the account would be liquidated if no other market moved; 0 if there is none. In
 * hedge mode both positions move with the price: their net amount counts.
 */
export function liquidationPrice(trading: Trading, trader: Trader, market: Market): number {
  const { money, brackets } = market.rules
  const mark = trading.state.markets[market.number]?.mark ?? 0
  const here: Exposure[] = []
  let others = 0n
  for (const exposure of trader.collateral.open) {
    if (exposure.market === market.number) here.push(exposure)
    else if (trading.markets[exposure.market]?.rules.money === money)
      others += maintenance(trading, trader, exposure)
  }
  const net = market.money(here.reduce((sum, { lots }) => sum + lots, 0))
  const held = market.money(here.reduce((sum, { lots }) => sum + Math.abs(lots), 0))
  const { leverage } = trader.collateral
  // Equity less maintenance: the part without this market.
  const rest = equityOf(trading, trader, money) - net * BigInt(mark) - others
  const price = brackets
    ? firstBelow(mark, net > 0n, (ticks) => {
        const worths = here.map(({ lots }) => market.money(Math.abs(lots)) * ticks)
        const needs = worths.map((worth) => maintenanceMargin(market, worth, leverage))
        return needs.reduce((left, need) => left - need, rest + net * ticks)
      })
    : firstAtRate(rest * 1000n, net * 1000n - held * maintenanceRate(leverage))
  return price > 0n && price <= Number.MAX_SAFE_INTEGER ? Number(price) : 0
}

/** With one rate: in thousandths, the part without this market, and what each tick adds. */
function firstAtRate(rest: Atoms, perTick: Atoms): bigint {
  if (perTick === 0n) return 0n
  return perTick > 0n ? -(rest / perTick) - (rest % perTick === 0n ? 1n : 0n) : rest / -perTick + 1n
}

/**
 * With brackets: each bracket takes more of what is left, so between the mark price and the end there is one price from
 * which on it is below zero, and halving finds it. An account that should be liquidated has the mark price itself.
 */
function firstBelow(mark: number, falling: boolean, leftAt: (ticks: bigint) => Atoms): bigint {
  let safe = BigInt(mark)
  let below = falling ? 0n : BigInt(Number.MAX_SAFE_INTEGER) + 1n
  if (leftAt(safe) < 0n) return safe
  if (leftAt(below) >= 0n) return 0n
  while (falling ? safe - below > 1n : below - safe > 1n) {
    const middle = (safe + below) / 2n
    if (leftAt(middle) < 0n) below = middle
    else safe = middle
  }
  return below
}
