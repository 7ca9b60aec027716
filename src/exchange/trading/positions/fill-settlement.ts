import type { Atoms } from '#src/core/money/atoms.ts'
import { above, closable, costOf, exposureOf, requirement, unrealised } from './exposure.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { balanceOf, move } from '#src/exchange/ledger/ledger.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { recordEvent } from './position-events.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import { initialMargin } from './risk-brackets.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/**
 * Moves the money of fills and keeps what accounts reserve. The counterparty of every fill is the clearing book, so its
 * balance is zero where the positions cancel out.
 */

/** The free collateral of an account: its money and unrealised profit, less the margin of orders and positions. */
export function freeCollateral(trading: Trading, account: Trader, money: string): Atoms {
  const { reserved, margin } = marginInUse(trading, account, money)
  return equityOf(trading, account, money) - reserved - margin
}

/** The margin of resting orders and open positions. It is computed from them, not stored. */
export function marginInUse(trading: Trading, account: Trader, money: string) {
  const { leverage, exposures } = account.collateral
  let reserved = 0n
  let margin = 0n
  for (const exposure of exposures) {
    const market = exposure && trading.markets[exposure.market]
    if (exposure === undefined || market?.rules.money !== money) continue
    const { opening, closing } = requirement(exposure, market, leverage)
    reserved += opening + above(closing)
    margin += initialMargin(market, exposure.cost, leverage)
  }
  return { reserved, margin }
}

/**
 * A lower bound of the free collateral in floating point, at a tenth of the work: below the exact value by more than
 * all rounding on the way. A request below the bound is covered; for others the caller computes the exact value.
 */
export function freeLowerBound(trading: Trading, account: Trader, money: string): number {
  const { leverage, exposures, owed } = account.collateral
  const wallet = Number(balanceOf(trading.state.ledger, account.wallets.collateral, money))
  const owes = owed.size === 0 ? 0 : Number(owed.get(money) ?? 0n)
  let free = wallet - owes
  let handled = wallet + owes
  for (const exposure of exposures) {
    const market = exposure && trading.markets[exposure.market]
    if (exposure === undefined || market?.rules.money !== money) continue
    const resting = (exposure.buys.quanta + exposure.sells.quanta) * market.approximate.atomsPerQuantum
    handled += resting
    // With brackets orders and position have one margin.
    if (market.rules.brackets) {
      const notional = exposure.cost + market.money(exposure.buys.quanta + exposure.sells.quanta)
      free -= Number(initialMargin(market, notional, leverage))
    } else free -= resting / leverage
    if (exposure.lots === 0) continue
    const lots = Math.abs(exposure.lots)
    const mark = trading.state.markets[exposure.market]?.mark ?? 0
    const cost = Number(exposure.cost)
    const worth = mark === 0 ? cost : lots * mark * market.approximate.atomsPerQuantum
    free += exposure.lots > 0 ? worth - cost : cost - worth
    if (!market.rules.brackets) free -= cost / leverage
    const against = exposure.lots > 0 ? exposure.sells : exposure.buys
    // The worst case: orders give away all that they close, or pay their full price.
    if (against.lots > 0)
      free -= exposure.lots > 0 ? cost : against.quanta * market.approximate.atomsPerQuantum
    handled += worth + cost
  }
  return free - handled * 1e-12 - 100
}

/** Money and unrealised profit at the mark price, less the account's debt. */
export function equityOf(trading: Trading, account: Trader, money: string): Atoms {
  const { open, owed } = account.collateral
  let equity = balanceOf(trading.state.ledger, account.wallets.collateral, money) - (owed.get(money) ?? 0n)
  for (const exposure of open) {
    if (trading.markets[exposure.market]?.rules.money === money) equity += unrealised(trading, exposure)
  }
  return equity
}

/**
 * `order` is the id of the traded order, 0 for a takeover without one. `worth` is the money of a fill that only closes or
 * only opens, if it is not that of the price.
 */
export type OrderFill = {
  order: number
  sells: boolean
  lots: number
  ticks: number
  fee: Atoms
  at: number
  worth?: Atoms
}

/** A fill of a collateral order: it closes as much of the position as possible and opens with the rest. */
export function settleCollateral(
  trading: Trading,
  account: Trader,
  market: Market,
  bucket: 0 | 1,
  fill: OrderFill,
): void {
  const { money } = market.rules
  const exposure = exposureOf(account, market, bucket)
  const before = exposure.lots
  const closing = Math.min(fill.lots, closable(exposure, fill.sells))
  const opening = fill.lots - closing
  let realised = -fill.fee
  if (closing > 0) {
    const cost = costOf(exposure, closing)
    const worth = fill.worth ?? market.money(closing * fill.ticks)
    const profit = fill.sells ? worth - cost : cost - worth
    exposure.cost -= cost
    exposure.lots += fill.sells ? -closing : closing
    exposure.realised += profit
    pay(trading, account, 'clearing', money, profit)
    // If one fill closes a position and opens the next, the new position pays the fee.
    if (opening > 0) recordFill(account, exposure, fill, { traded: closing, fee: 0n, realised: profit })
    else realised += profit
  }
  if (opening > 0) {
    if (exposure.lots === 0) begin(trading, exposure, fill.at)
    exposure.lots += fill.sells ? -opening : opening
    exposure.cost += fill.worth ?? market.money(opening * fill.ticks)
  }
  exposure.changedAt = fill.at
  exposure.realised -= fill.fee
  pay(trading, account, 'fees', money, -fill.fee)
  recordFill(account, exposure, fill, { traded: opening || closing, fee: fill.fee, realised })
  const { open } = account.collateral
  if (before === 0) open.push(exposure)
  else if (exposure.lots === 0) {
    open.splice(open.indexOf(exposure), 1)
    writeOff(trading, account, money)
  }
}

/** The house has no position history. */
function recordFill(
  account: Trader,
  exposure: Exposure,
  { order, sells, ticks, at }: OrderFill,
  { traded, fee, realised }: { traded: number; fee: Atoms; realised: Atoms },
): void {
  if (account.house) return
  const { hedged } = account.collateral
  const event = { order, sells, ticks, at, hedged, traded, fee, realised }
  recordEvent(account.positionEvents, exposure, event)
}

function begin({ state }: Trading, exposure: Exposure, at: number): void {
  state.positions += 1
  exposure.positionId = state.positions
  exposure.openedAt = at
  exposure.realised = 0n
  exposure.funding = 0n
}

/** A fill of a spot order: base asset against money, with the fee in money. */
export function settleSpot(trading: Trading, account: Trader, market: Market, fill: OrderFill): void {
  const { ledger } = trading.state
  const { spot } = account.wallets
  const goods = BigInt(fill.lots) * market.lotAtoms
  const worth = market.money(fill.lots * fill.ticks)
  const { base, money } = market.rules
  move(ledger, fill.sells ? spot : 'clearing', fill.sells ? 'clearing' : spot, base, goods)
  move(ledger, fill.sells ? 'clearing' : spot, fill.sells ? spot : 'clearing', money, worth)
  if (fill.fee < 0n) move(ledger, 'fees', spot, money, -fill.fee)
  else move(ledger, spot, 'fees', money, fill.fee)
}

/** What a spot order of so many lots reserves: for a buy the money and the higher fee, for a sell the base asset. */
export function spotHold(market: Market, sells: boolean, lots: number, ticks: number): Atoms {
  if (sells) return BigInt(lots) * market.lotAtoms
  return BigInt(lots * ticks) * (market.atomsPerQuantum + market.highestFeePerQuantum)
}

export function freeSpot(trading: Trading, account: Trader, asset: string): Atoms {
  return balanceOf(trading.state.ledger, account.wallets.spot, asset) - (account.spotHeld.get(asset) ?? 0n)
}

export function holdSpot(account: Trader, asset: string, change: Atoms): void {
  account.spotHeld.set(asset, (account.spotHeld.get(asset) ?? 0n) + change)
}

/**
 * Who advances what the balance of an account lacks while unrealised profit covers it. The clearing book can: the other
 * sides of that profit owe it the money.
 */
function lenderOf({ deleverages }: Trading): 'clearing' | 'insurance' {
  return deleverages ? 'clearing' : 'insurance'
}

/** Pays an account a profit, funding or a rebate; a negative amount is a loss, funding or a fee that it pays. */
export function pay(
  trading: Trading,
  account: Trader,
  book: 'clearing' | 'fees',
  asset: string,
  amount: Atoms,
): void {
  const { ledger } = trading.state
  const wallet = account.wallets.collateral
  if (amount > 0n) {
    // A debt is paid back first.
    const owes = account.collateral.owed.get(asset) ?? 0n
    const back = amount < owes ? amount : owes
    if (back > 0n) {
      move(ledger, book, lenderOf(trading), asset, back)
      addDebt(account, asset, owes - back)
    }
    return move(ledger, book, wallet, asset, amount - back)
  }
  const due = -amount
  if (account.house) return move(ledger, wallet, book, asset, due)
  const has = balanceOf(ledger, wallet, asset)
  const paid = due < has ? due : has
  move(ledger, wallet, book, asset, paid)
  if (due === paid) return
  // The lender advances what the balance lacks, since unrealised profit may cover it.
  move(ledger, lenderOf(trading), book, asset, due - paid)
  addDebt(account, asset, (account.collateral.owed.get(asset) ?? 0n) + due - paid)
}

/**
 * After the last position closes no profit can follow: the insurance loses the rest of the debt. Where it has a bottom,
 * liquidation has left no more than it has; only rounding, or a position that nobody opposed, could leave more to the
 * house.
 */
function writeOff(trading: Trading, account: Trader, asset: string): void {
  const { markets, deleverages } = trading
  const { ledger } = trading.state
  const { open, owed } = account.collateral
  const owes = owed.get(asset)
  if (owes === undefined || open.some(({ market }) => markets[market]?.rules.money === asset)) return
  const owned = balanceOf(ledger, account.wallets.collateral, asset)
  const paid = owes < owned ? owes : owned
  move(ledger, account.wallets.collateral, lenderOf(trading), asset, paid)
  owed.delete(asset)
  if (!deleverages) return
  const has = insuranceOf(trading, asset)
  const insured = owes - paid < has ? owes - paid : has
  move(ledger, 'insurance', 'clearing', asset, insured)
  move(ledger, 'house', 'clearing', asset, owes - paid - insured)
}

/** What the insurance can pay. */
export function insuranceOf({ state }: Trading, asset: string): Atoms {
  return above(balanceOf(state.ledger, 'insurance', asset))
}

function addDebt({ collateral: { owed } }: Trader, asset: string, amount: Atoms): void {
  if (amount === 0n) owed.delete(asset)
  else owed.set(asset, amount)
}
