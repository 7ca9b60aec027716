import type { Atoms } from '#src/core/money/atoms.ts'
import { shareDown, type Market } from '#src/exchange/trading/book/market.ts'
import { noExposure, type Exposure } from '#src/exchange/trading/records.ts'
import { initialMargin } from './risk-brackets.ts'
import { marketOf, ownerOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/**
 * The exposure of one account in one market: its position, its resting orders, and the margin that both need. Pure
 * arithmetic; `fill-settlement.ts` moves the money.
 */

/** Two buckets a market in hedge mode, else one. */
export function bucketOf(account: Trader, positionSide: number): 0 | 1 {
  return account.collateral.hedged && positionSide === 1 ? 1 : 0
}

export function exposureOf(account: Trader, market: Market, bucket: 0 | 1): Exposure {
  const { exposures } = account.collateral
  const place = 2 * market.number + bucket
  return (exposures[place] ??= noExposure(market.number, bucket))
}

/** The exposure that this order is part of. */
export function exposureOfOrder(trading: Trading, row: number): Exposure {
  const owner = ownerOf(trading, row)
  const bucket = bucketOf(owner, trading.state.orders.positionSide[row] ?? 0)
  return exposureOf(owner, marketOf(trading, row), bucket)
}

/** The position alone. */
export function withoutOrders(exposure: Exposure): Exposure {
  return { ...exposure, buys: { lots: 0, quanta: 0 }, sells: { lots: 0, quanta: 0 } }
}

/** The lots that an order on this side could close. */
export function closable(exposure: Exposure, sells: boolean): number {
  return sells ? Math.max(0, exposure.lots) : Math.max(0, -exposure.lots)
}

/**
 * The margin that resting orders reserve, with `more` lots on one side. Orders against the position close it together,
 * each in proportion; lots beyond the position open the other direction. `opening` is for the lots that would open a
 * position. `closing` is for those that would close one: the loss at the prices of the orders less the margin that it frees
 * (`freed`), often negative.
 */
export function requirement(
  exposure: Exposure,
  market: Market,
  leverage: number,
  more?: { sells: boolean; lots: number; quanta: number },
) {
  let quanta = exposure.buys.quanta + exposure.sells.quanta + (more?.quanta ?? 0)
  if (exposure.lots === 0) return { opening: openingMargin(), closing: 0n, freed: 0n }
  const closesBySelling = exposure.lots > 0
  const against = closesBySelling ? exposure.sells : exposure.buys
  const adds = more !== undefined && more.sells === closesBySelling
  const lots = against.lots + (adds ? more.lots : 0)
  const closingLots = Math.min(lots, Math.abs(exposure.lots))
  if (closingLots === 0) return { opening: openingMargin(), closing: 0n, freed: 0n }
  const closingQuanta = shareDown(against.quanta + (adds ? more.quanta : 0), closingLots, lots)
  quanta -= closingQuanta
  const cost = costOf(exposure, closingLots)
  const money = market.money(closingQuanta)
  const loss = closesBySelling ? cost - money : money - cost
  const freed = market.rules.brackets
    ? margin(exposure.cost) - margin(exposure.cost - cost)
    : cost / BigInt(leverage)
  return { opening: openingMargin(), closing: loss - freed, freed }

  function margin(notional: Atoms): Atoms {
    return initialMargin(market, notional, leverage)
  }
  /** With brackets, orders begin where the position ends. */
  function openingMargin(): Atoms {
    const notional = market.money(quanta)
    return market.rules.brackets ? margin(exposure.cost + notional) - margin(exposure.cost) : margin(notional)
  }
}

/** The cost of so many lots of the position. Rounded down: the remainder leaves with the last lot. */
export function costOf(exposure: Exposure, lots: number): Atoms {
  const open = Math.abs(exposure.lots)
  return lots === open ? exposure.cost : (exposure.cost * BigInt(lots)) / BigInt(open)
}

/** The unrealised profit (positive) or loss of the position at the mark price. */
export function unrealised(trading: Trading, { market, lots, cost }: Exposure): Atoms {
  const worth = worthAtMark(trading, market, Math.abs(lots))
  if (worth === 0n) return 0n
  return lots > 0 ? worth - cost : cost - worth
}

/** The value of so many lots at the mark price. */
export function worthAtMark({ state, markets }: Trading, market: number, lots: number): Atoms {
  return (markets[market]?.money(lots) ?? 0n) * BigInt(state.markets[market]?.mark ?? 0)
}

export function above(amount: Atoms): Atoms {
  return amount > 0n ? amount : 0n
}
