import type { Atoms } from '#src/money/atoms.ts'
import { crosses } from './book.ts'
import { restingRows } from './changing.ts'
import { bookOf, type Floor } from './floor.ts'
import type { Market } from './market.ts'
import { flag, has } from './orders.ts'
import { drawOrderId, enter, takerBand } from './placing.ts'
import type { Exposure } from './records.ts'
import { withdraw } from './resting.ts'
import { equityOf, settleCollateral } from './settling.ts'
import type { Trader } from './trader.ts'

/**
 * What happens to an account whose money and profits no longer cover the maintenance of its positions: their orders
 * are canceled, a quarter of a position is sold at the market, and again, until they do. What nobody takes within
 * the band goes to the house at the mark price; what the account cannot pay, the insurance does.
 */

/** Of the worth of a position at the mark price, in thousandths; never more than half of the margin that opened it. */
function maintenanceRate(leverage: number): bigint {
  return leverage <= 10 ? 30n : leverage <= 20 ? 25n : leverage <= 50 ? 10n : 5n
}

export function maintenanceOf(floor: Floor, trader: Trader, money: string): Atoms {
  let sum = 0n
  for (const exposure of trader.collateral.open) {
    if (floor.markets[exposure.market]?.rules.money === money) sum += maintenance(floor, trader, exposure)
  }
  return sum
}

function maintenance(floor: Floor, trader: Trader, exposure: Exposure): Atoms {
  return (worthAtMark(floor, exposure) * maintenanceRate(trader.collateral.leverage) + 999n) / 1000n
}

function worthAtMark({ state, markets }: Floor, exposure: Exposure): Atoms {
  const market = markets[exposure.market]
  if (market === undefined) return 0n
  return market.money(Math.abs(exposure.lots)) * BigInt(state.markets[exposure.market]?.mark ?? 0)
}

/** The price in ticks at which the account would be liquidated if nothing else moved; 0 when there is none. */
export function liquidationPrice(floor: Floor, trader: Trader, market: Market, exposure: Exposure): number {
  const { money } = market.rules
  const rate = maintenanceRate(trader.collateral.leverage)
  const worth = worthAtMark(floor, exposure)
  const equity = equityOf(floor, trader, money)
  const others = maintenanceOf(floor, trader, money) - maintenance(floor, trader, exposure)
  const perTick = market.money(Math.abs(exposure.lots))
  const price =
    exposure.lots > 0
      ? ((others - equity + worth) * 1000n) / (perTick * (1000n - rate))
      : ((equity + worth - others) * 1000n) / (perTick * (1000n + rate))
  return price > 0n ? Number(price) : 0
}

/** Sells off, a quarter at a time, until the account stands again or holds nothing. */
export function liquidate(floor: Floor, trader: Trader, now: number): void {
  for (let exposure = weakest(floor, trader); exposure; exposure = weakest(floor, trader)) {
    const market = floor.markets[exposure.market]
    if (market === undefined) return
    for (const row of restingRows(floor.state.orders, trader)) {
      if (floor.state.orders.market[row] === market.number && !has(floor.state.orders, row, flag.spot)) {
        withdraw(floor, market, row, 'AUTO_CANCELED_LIQUIDATION', now)
      }
    }
    const all = Math.abs(exposure.lots)
    const bankrupt = equityOf(floor, trader, market.rules.money) <= 0n
    const lots = bankrupt || all <= 4 * market.minLots ? all : Math.ceil(all / 4)
    const left = sellOff(floor, trader, market, exposure, lots, now)
    if (left > 0) takeOver(floor, trader, market, exposure, left, now)
  }
}

/** The position to reduce next, if the account does not stand: those of margin before futures, the largest first. */
function weakest(floor: Floor, trader: Trader): Exposure | undefined {
  const fallen = trader.collateral.open.filter(({ market }) => {
    const money = floor.markets[market]?.rules.money ?? ''
    return equityOf(floor, trader, money) < maintenanceOf(floor, trader, money)
  })
  const rank = ({ market }: Exposure) => (floor.markets[market]?.rules.kind === 'spot' ? 0 : 1)
  return fallen.reduce<Exposure | undefined>((first, next) => {
    if (first === undefined || rank(next) < rank(first)) return next
    return rank(next) === rank(first) && worthAtMark(floor, next) > worthAtMark(floor, first) ? next : first
  }, undefined)
}

/** Through the book, as far as the band reaches. Returns the lots that nobody took. */
function sellOff(
  floor: Floor,
  trader: Trader,
  market: Market,
  exposure: Exposure,
  lots: number,
  now: number,
): number {
  const sells = exposure.lots > 0
  const book = bookOf(floor, market)
  const ticks = takerBand(floor, market, sells)
  if (!crosses(book, sells, ticks)) return lots
  const id = drawOrderId(trader)
  const draft = {
    id,
    clientId: `liquidation_${id}_!`,
    sells,
    positionSide: trader.collateral.hedged ? exposure.bucket : 2,
    selfTrade: 0,
    ticks,
    lots,
    flags: flag.market | flag.reduceOnly,
  }
  const row = enter(floor, market, trader, draft, now)
  return floor.state.orders.left[row] ?? 0
}

/** The house takes the lots at the mark price. */
function takeOver(
  floor: Floor,
  trader: Trader,
  market: Market,
  exposure: Exposure,
  lots: number,
  now: number,
): void {
  const [insurance] = floor.state.houses
  const ticks = floor.state.markets[market.number]?.mark ?? 0
  if (insurance === undefined) throw new RangeError('the state has no insurance')
  const sells = exposure.lots > 0
  settleCollateral(floor, trader, market, exposure.bucket, { sells, lots, ticks, fee: 0n, at: now })
  settleCollateral(floor, insurance, market, 0, { sells: !sells, lots, ticks, fee: 0n, at: now })
}
