import type { Atoms } from '#src/core/money/atoms.ts'
import { bestPrice, crosses } from '#src/exchange/trading/book/book.ts'
import { bookOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import { flag, has, restingRows } from '#src/exchange/trading/book/order-columns.ts'
import { placeChecked, takerBand } from '#src/exchange/trading/orders/order-matching.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import { cancelResting } from '#src/exchange/trading/orders/resting-orders.ts'
import {
  bankruptcyPrice,
  closeAgainstOwn,
  closingDraft,
  deleverage,
  type LiquidationStep,
} from './deleveraging.ts'
import { unrealised, worthAtMark } from './exposure.ts'
import { equityOf, settleCollateral } from './fill-settlement.ts'
import { maintenanceMargin } from './risk-brackets.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/**
 * Liquidation: if money and unrealised profit of an account fall below its maintenance margin, the exchange cancels its
 * orders and sells a quarter of a position at the market, repeatedly, until the margin suffices. What does not fill
 * within the band is closed against opposite positions, and no fill costs more than the account has. Worlds that name no
 * `shortfalls` do it as before ADR 0031: the house takes over at the mark price, and the insurance pays what the account
 * cannot.
 */

export function maintenanceOf(trading: Trading, trader: Trader, money: string): Atoms {
  let sum = 0n
  for (const exposure of trader.collateral.open) {
    if (trading.markets[exposure.market]?.rules.money === money) sum += maintenance(trading, trader, exposure)
  }
  return sum
}

export function maintenance(trading: Trading, trader: Trader, exposure: Exposure): Atoms {
  const market = trading.markets[exposure.market]
  return market ? maintenanceMargin(market, worthOf(trading, exposure), trader.collateral.leverage) : 0n
}

function worthOf(trading: Trading, { market, lots }: Exposure): Atoms {
  return worthAtMark(trading, market, Math.abs(lots))
}

/** Liquidates a quarter at a time, until the margin suffices or no position is left. */
export function liquidate(trading: Trading, trader: Trader, now: number): void {
  for (let exposure = weakest(trading, trader); exposure; exposure = weakest(trading, trader)) {
    const market = trading.markets[exposure.market]
    if (market === undefined) return
    trading.quote?.(now)
    for (const row of restingRows(trading.state.orders, trader)) {
      if (trading.state.orders.market[row] === market.number && !has(trading.state.orders, row, flag.spot)) {
        cancelResting(trading, row, 'AUTO_CANCELED_LIQUIDATION', now)
      }
    }
    const step = { trading, trader, market, exposure, sells: exposure.lots > 0, at: now }
    if (trading.deleverages && closeAgainstOwn(step)) continue
    const all = Math.abs(exposure.lots)
    const bankrupt = equityOf(trading, trader, market.rules.money) <= 0n
    const wanted = bankrupt || all <= 4 * market.minLots ? all : Math.ceil(all / 4)
    closeStep(step, Math.min(wanted, largestStep(step)))
  }
}

/** Closes the lots of one step, in the book as far as it goes. */
function closeStep(step: LiquidationStep, lots: number): void {
  const { trading, market } = step
  const band = takerBand(trading, market, step.sells)
  if (!trading.deleverages) {
    const left = sellOff(step, lots, band)
    if (left > 0) takeOver(step, left)
    return
  }
  const worst = bankruptcyPrice(step)
  const ticks = step.sells ? Math.max(band, worst) : Math.min(band, worst)
  const left = sellOff(step, lots, ticks)
  if (left > 0) deleverage(step, left)
}

/** The position to reduce next, if the margin does not suffice: margin markets before futures, the largest first. */
function weakest(trading: Trading, trader: Trader): Exposure | undefined {
  const toLiquidate = trader.collateral.open.filter(({ market }) => {
    const money = trading.markets[market]?.rules.money ?? ''
    return equityOf(trading, trader, money) < maintenanceOf(trading, trader, money)
  })
  const rank = ({ market }: Exposure) => (trading.markets[market]?.rules.kind === 'spot' ? 0 : 1)
  // The position that lost the money bears the loss; for the others the mark price is a price that all can pay.
  const bankrupt = trading.deleverages && toLiquidate.some((each) => hasNothing(trading, trader, each))
  if (bankrupt) {
    return toLiquidate.reduce((first, next) =>
      unrealised(trading, next) < unrealised(trading, first) ? next : first,
    )
  }
  return toLiquidate.reduce<Exposure | undefined>((first, next) => {
    if (first === undefined || rank(next) < rank(first)) return next
    return rank(next) === rank(first) && worthOf(trading, next) > worthOf(trading, first) ? next : first
  }, undefined)
}

function hasNothing(trading: Trading, trader: Trader, { market }: Exposure): boolean {
  return equityOf(trading, trader, trading.markets[market]?.rules.money ?? '') < 0n
}

/** Limits a step on a giant position, so that its value stays a safe number of quanta. */
function largestStep(step: LiquidationStep): number {
  const { trading, market, sells } = step
  const highest = Math.max(
    trading.state.markets[market.number]?.mark ?? 0,
    sells ? bestPrice(bookOf(trading, market), false) : takerBand(trading, market, false),
    sells && trading.deleverages ? bankruptcyPrice(step) : 0,
  )
  return Math.max(1, Math.floor(Number.MAX_SAFE_INTEGER / highest))
}

/** Sells through the book down to a price. Returns the lots that did not fill. */
function sellOff(step: LiquidationStep, lots: number, ticks: number): number {
  const { trading, trader, market, sells, at } = step
  if (!crosses(bookOf(trading, market), sells, ticks)) return lots
  const draft = closingDraft({ ...step, lots, ticks, name: 'liquidation' })
  if (trading.deleverages) draft.flags |= flag.forced
  const row = placeChecked(trading, market, trader, draft, at)
  return trading.state.orders.left[row] ?? 0
}

/** The house takes over the lots at the mark price. */
function takeOver(step: LiquidationStep, lots: number): void {
  const { trading, trader, market, exposure, sells, at } = step
  const [insurance] = trading.state.houses
  const ticks = trading.state.markets[market.number]?.mark ?? 0
  if (insurance === undefined) throw new RangeError('the state has no insurance')
  const taken = { order: 0, lots, ticks, fee: 0n, at }
  settleCollateral(trading, trader, market, exposure.bucket, { ...taken, sells })
  settleCollateral(trading, insurance, market, 0, { ...taken, sells: !sells })
}
