import type { Atoms } from '#src/core/money/atoms.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import type { NewOrder } from '#src/exchange/trading/orders/order-draft.ts'
import { cancelReduceOnly, fill } from '#src/exchange/trading/orders/order-fills.ts'
import { drawOrderId, newOrderRow } from '#src/exchange/trading/orders/order-intake.ts'
import { endOrder } from '#src/exchange/trading/orders/resting-orders.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { above, exposureOf, unrealised, worthAtMark } from './exposure.ts'
import { equityOf, insuranceOf, settleCollateral } from './fill-settlement.ts'

/**
 * Auto-deleveraging: what a liquidation cannot close in the book is closed against the positions of others, at a price
 * that the account can pay. So a loss ends at the money of its account and of the insurance (ADR 0031).
 */

/** A position, here one that gives way. */
type Opposite = { trader: Trader; exposure: Exposure }

/** One step of a liquidation. It sells a long position and buys back a short one. */
export type LiquidationStep = Opposite & { trading: Trading; market: Market; sells: boolean; at: number }

/**
 * The price in ticks at which closing the whole position with a taker fee leaves nothing of the account and the
 * insurance, rounded to the side on which something is left; 1 if no price does that.
 */
export function bankruptcyPrice({ trading, trader, market, exposure: { lots } }: LiquidationStep): number {
  const left = assetsOf(trading, trader, market)
  const worth = worthAtMark(trading, market.number, Math.abs(lots))
  const fee = market.feePerQuantum.taker
  const perTick = BigInt(Math.abs(lots)) * (market.atomsPerQuantum + (lots > 0 ? -fee : fee))
  const price = lots > 0 ? (worth - left + perTick - 1n) / perTick : (worth + left) / perTick
  return price < 1n ? 1 : Math.min(Number(price), Number.MAX_SAFE_INTEGER)
}

/** What can pay the losses of an account: its equity and the insurance. */
function assetsOf(trading: Trading, trader: Trader, { rules: { money } }: Market): Atoms {
  return equityOf(trading, trader, money) + insuranceOf(trading, money)
}

/**
 * Closes the position against the account's own opposite one in hedge mode, at the mark price, which costs nothing.
 * Returns whether there is one.
 */
export function closeAgainstOwn(step: LiquidationStep): boolean {
  const { trading, trader, market, exposure } = step
  const left = Math.abs(exposure.lots)
  const own = trader.collateral.open.find(
    (each) => each.market === market.number && each.lots < 0 !== exposure.lots < 0,
  )
  if (own === undefined) return false
  const closing = { ...step, ticks: trading.state.markets[market.number]?.mark ?? 0, left }
  const lots = Math.min(left, Math.abs(own.lots))
  closeAtMark(closing, { trader, exposure: own, lots })
  return true
}

/**
 * Closes lots of a position against those of others. First by orders that pay fees, at the mark price or, if it is better
 * for the account, at its bankruptcy price. If somebody could not pay that, without fees and without orders: then all
 * together pay what the account lacks.
 */
export function deleverage(step: LiquidationStep, lots: number): void {
  const { trading, market } = step
  // A closed position may have been the hedge of another one: its account is looked at again, also if no price moves.
  trading.state.stirred = true
  const mark = trading.state.markets[market.number]?.mark ?? 0
  const worst = bankruptcyPrice(step)
  const ticks = step.sells ? Math.max(mark, worst) : Math.min(mark, worst)
  const closing = { ...step, ticks, left: lots }
  const others = ranked(step)
  const parts = partsOf(others, lots)
  const close = (how: typeof closeByOrders, part: Part) => {
    how(closing, part)
    closing.left -= part.lots
    if (part.exposure.reducing > 0) cancelReduceOnly(trading, part.trader, part.exposure, step.at)
  }
  if (parts.every((part) => canPay(closing, part))) for (const part of parts) close(closeByOrders, part)
  else {
    // Those that have the most pay, and of them those that have less pay first: the others pay the rest.
    for (const part of partsOf(richestFirst(closing, others), lots).toReversed()) close(closeAtMark, part)
  }
  // Positions of margin markets have no opposite ones if the base asset came from the spot account of the seller.
  const [house] = trading.state.houses
  if (closing.left > 0 && house)
    close(closeAtMark, { trader: house, exposure: exposureOf(house, market, 0), lots: closing.left })
}

/** `ticks` is the price for orders. `left`: the lots of the liquidated position that are left to close. */
type Closing = LiquidationStep & { ticks: number; left: number }

/** The lots of an opposite position that are closed. */
type Part = Opposite & { lots: number }

/** The first positions, as many as have these lots. */
function partsOf(opposites: readonly Part[], lots: number): Part[] {
  const parts: Part[] = []
  let left = lots
  for (const opposite of opposites) {
    if (left === 0) break
    const part = Math.min(left, opposite.lots)
    parts.push({ ...opposite, lots: part })
    left -= part
  }
  return parts
}

/** The most money for each lot first, the house last. */
function richestFirst({ trading, market }: Closing, opposites: readonly Part[]): Part[] {
  const has = ({ trader }: Part) => equityOf(trading, trader, market.rules.money)
  return opposites.toSorted(
    (a, b) => houseLast(a, b) || descending(has(a) * BigInt(b.lots), has(b) * BigInt(a.lots)),
  )
}

function houseLast(a: Opposite, b: Opposite): number {
  return Number(a.trader.house) - Number(b.trader.house)
}

function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? -1 : 1
}

/**
 * The opposite positions of others: the highest profit for the margin first, those of the house last. In hedge mode only
 * what is more than the account's own other position, which would lose what this one gains.
 */
function ranked({ trading, market, sells, trader: except }: LiquidationStep): Part[] {
  const found: (Part & { rank: bigint })[] = []
  for (const trader of trading.accounts) {
    if (trader === except) continue
    const positions = trader.collateral.open.filter((each) => each.market === market.number)
    const net = positions.reduce((sum, { lots }) => sum + lots, 0)
    const exposure = positions.find(({ lots }) => lots < 0 === sells)
    if (exposure === undefined || net === 0 || net < 0 !== sells) continue
    const rank = rankOf(trading, trader, exposure)
    found.push({ trader, exposure, lots: Math.abs(net), rank })
  }
  return found.toSorted((a, b) => houseLast(a, b) || descending(a.rank, b.rank))
}

/** As venues publish it: profit in percent times leverage; a loss in percent, divided by the leverage. */
function rankOf(trading: Trading, { collateral }: Trader, exposure: Exposure): bigint {
  if (exposure.cost === 0n) return 0n
  const share = (unrealised(trading, exposure) * 1_000_000n) / exposure.cost
  const leverage = BigInt(collateral.leverage)
  return share > 0n ? share * leverage : share / leverage
}

/**
 * Without orders and fees, at the mark price. Of what the account lacks, the other side pays the share of its lots, but no
 * more than it has.
 */
function closeAtMark(from: Closing, to: Part): void {
  const { trading, market, sells, at, ticks } = from
  const { lots } = to
  const lacks = above(-assetsOf(trading, from.trader, market))
  const share = (lacks * BigInt(lots) + BigInt(from.left) - 1n) / BigInt(from.left)
  const has = to.trader === from.trader ? 0n : above(equityOf(trading, to.trader, market.rules.money))
  const pays = to.trader.house || share < has ? share : has
  const worth = worthAtMark(trading, market.number, lots) + (sells ? pays : -pays)
  const taken = { order: 0, lots, ticks, fee: 0n, at, worth }
  settleCollateral(trading, from.trader, market, from.exposure.bucket, { ...taken, sells })
  settleCollateral(trading, to.trader, market, to.exposure.bucket, { ...taken, sells: !sells })
}

/** Two orders of the exchange that fill each other. The public trades do not show them, and no price moves. */
function closeByOrders(from: Closing, to: Part): void {
  const { trading, market, sells, at, ticks } = from
  const { state } = trading
  const { lots } = to
  const takes = closingDraft({ ...from, lots, name: 'liquidation' })
  const taker = newOrderRow(trading, market, from.trader, takes, at)
  const makes = closingDraft({ ...to, sells: !sells, ticks, name: 'adl' })
  const maker = newOrderRow(trading, market, to.trader, makes, at)
  state.trades += 1
  for (const row of [maker, taker]) {
    state.orders.left[row] = 0
    state.orders.quanta[row] = lots * ticks
  }
  state.orders.taken[taker] = lots * ticks
  const meeting = { maker, taker, lots, ticks, at }
  fill(trading, market, meeting, 'maker')
  fill(trading, market, meeting, 'taker')
  endOrder(trading, maker, 'FILLED', at)
  endOrder(trading, taker, 'FILLED', at)
}

/** Whether the other side has something left after closing these lots at this price. */
function canPay({ trading, market, sells, ticks }: Closing, { trader, lots }: Part): boolean {
  if (trader.house) return true
  const mark = trading.state.markets[market.number]?.mark ?? 0
  const worse = BigInt(sells ? ticks - mark : mark - ticks)
  const perLot = worse * market.atomsPerQuantum + BigInt(ticks) * market.feePerQuantum.maker
  return equityOf(trading, trader, market.rules.money) >= perLot * BigInt(lots)
}

/** An order of the exchange that closes lots of a position. Its client order id begins with `name`. */
export function closingDraft(about: Part & { sells: boolean; ticks: number; name: string }): NewOrder {
  const { trader, exposure, sells, lots, ticks, name } = about
  const id = drawOrderId(trader)
  return {
    id,
    clientId: `${name}_${id}_!`,
    sells,
    positionSide: trader.collateral.hedged ? exposure.bucket : 2,
    selfTrade: 0,
    ticks,
    lots,
    flags: flag.market | flag.reduceOnly,
  }
}
