import { cutDown, formatAtoms, oneUnit, type Atoms } from '#src/core/money/atoms.ts'
import { balanceOf } from './ledger.ts'
import { above, unrealised } from '#src/exchange/trading/positions/exposure.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { liquidationPrice } from '#src/exchange/trading/positions/liquidation-price.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { initialMargin } from '#src/exchange/trading/positions/risk-brackets.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import {
  equityOf,
  freeCollateral,
  freeSpot,
  marginInUse,
} from '#src/exchange/trading/positions/fill-settlement.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/** The balances of an account. Answers and streams both read them here, so that they cannot disagree. */

export function spotBalance({ trading, switches }: VenueContext, account: Trader, asset: string) {
  const shown = switches.collateralFreeze === 'shown' ? marginInUse(trading, account, asset).reserved : 0n
  return {
    available: formatAtoms(freeSpot(trading, account, asset)),
    freeze: formatAtoms((account.spotHeld.get(asset) ?? 0n) + shown),
  }
}

/** Without zero balances. */
export function mainBalances({ world, state }: VenueContext, { wallets }: Trader): Record<string, string> {
  const balances: Record<string, string> = {}
  for (const asset in world.assets) {
    const balance = balanceOf(state.ledger, wallets.main, asset)
    if (balance > 0n) balances[asset] = formatAtoms(balance)
  }
  return balances
}

/** In the money of the first market. */
export function accountEquity(trading: Trading, account: Trader): Atoms {
  return equityOf(trading, account, moneyOf(trading))
}

/** The currency of the account summary. */
export function moneyOf({ markets }: Trading): string {
  return markets[0]?.rules.money ?? ''
}

/** `borrow` is the debt to the insurance; `available_with_borrow` is the free amount times the leverage. */
export function collateralBalance(trading: Trading, account: Trader, asset: string) {
  const free = above(freeCollateral(trading, account, asset))
  return {
    balance: formatAtoms(balanceOf(trading.state.ledger, account.wallets.collateral, asset)),
    borrowed: formatAtoms(account.collateral.owed.get(asset) ?? 0n),
    free: formatAtoms(free),
    leveraged: formatAtoms(free * BigInt(account.collateral.leverage)),
  }
}

/** Average prices and percentages can have endless decimals: they are cut to this number of digits. */
const averageDigits = 8
const percentDigits = 2

/** The average price of a position: its cost per lot. */
export function averagePrice(market: Market, lots: number, cost: Atoms): string {
  return formatAtoms(cutDown((cost * oneUnit) / (BigInt(Math.abs(lots)) * market.lotAtoms), averageDigits))
}

export function positionView(trading: Trading, account: Trader, exposure: Exposure) {
  const market = trading.markets[exposure.market]
  if (market === undefined) throw new RangeError('a position is in no market')
  const { leverage, hedged } = account.collateral
  const { lots, cost } = exposure
  const profit = unrealised(trading, exposure)
  const margin = initialMargin(market, cost, leverage)
  const free = freeCollateral(trading, account, market.rules.money)
  const liquidation = liquidationPrice(trading, account, market)
  return {
    id: exposure.positionId,
    market: market.name,
    openedAt: exposure.openedAt,
    changedAt: exposure.changedAt,
    amount: lots < 0 ? `-${market.amountText(-lots)}` : market.amountText(lots),
    cost: formatAtoms(cost),
    basePrice: averagePrice(market, lots, cost),
    liquidationPrice: liquidation === 0 ? null : market.priceText(liquidation),
    pnl: formatAtoms(profit),
    pnlPercent: formatAtoms(cutDown((profit * 100n * oneUnit) / margin, percentDigits)),
    margin: formatAtoms(margin),
    freeMargin: formatAtoms(above(free)),
    /** The account can open nothing more, and it needs its unrealised profit to keep its positions. */
    called: free < 0n,
    realised: formatAtoms(exposure.realised),
    side: hedged ? (exposure.bucket === 0 ? ('LONG' as const) : ('SHORT' as const)) : ('BOTH' as const),
  }
}
