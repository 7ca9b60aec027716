import { levelsMax, tradesMax } from '#src/venues/whitebit/contract/market-data/market-data.ts'
import { emptySide, shownLevels, type BookSide } from '#src/exchange/trading/book/levels.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { changeText, lastTrades, statsOfDay } from '#src/exchange/trades/public-trades.ts'
import { RefusedCall, type PublicHandler, type VenueContext } from '#src/exchange/venue-context.ts'
import { bestText, moneyText, quoted, marketsWithTrades, volumeText } from './quoted-markets.ts'

export const ticker: PublicHandler<'ticker'> = ({ venue, now }) =>
  Object.fromEntries(
    marketsWithTrades(venue).map(({ market, publicTrades }) => {
      const stats = statsOfDay(publicTrades, now)
      return [
        market.name,
        {
          base_id: 0,
          quote_id: 0,
          last_price: market.priceText(stats.last),
          quote_volume: moneyText(market, stats.money),
          base_volume: volumeText(market, stats.lots),
          isFrozen: false,
          change: changeText(stats),
        },
      ]
    }),
  )

export const marketTicker: PublicHandler<'marketTicker'> = ({ venue, parameters, now }) => {
  const found = quoted(venue, parameters.market)
  if (found instanceof RefusedCall) return found
  const { market, publicTrades } = found
  const stats = statsOfDay(publicTrades, now)
  return {
    success: true,
    message: null,
    result: {
      open: market.priceText(stats.open),
      bid: bestText(venue, market, false),
      ask: bestText(venue, market, true),
      low: market.priceText(stats.low),
      high: market.priceText(stats.high),
      last: market.priceText(stats.last),
      volume: volumeText(market, stats.lots),
      deal: moneyText(market, stats.money),
      change: changeText(stats),
    },
  }
}

const joiningMax = 10

export const orderbook: PublicHandler<'orderbook'> = ({ venue, parameters, now }) => {
  const found = quoted(venue, parameters.market)
  if (found instanceof RefusedCall) return found
  // A level above the maximum is clamped, not refused.
  const step = 10 ** Math.min(Math.max(parameters.level ?? 0, 0), joiningMax)
  return shown(venue, found.market, now, { step, limit: parameters.limit || levelsMax })
}

const depthLevelsMax = 1000

export const depth: PublicHandler<'depth'> = ({ venue, parameters, now }) => {
  const found = quoted(venue, parameters.market)
  if (found instanceof RefusedCall) return found
  const last = BigInt(found.publicTrades.last)
  const isNear = ({ ticks }: Level) => {
    const hundredfold = BigInt(ticks) * 100n
    return hundredfold >= last * 98n && hundredfold <= last * 102n
  }
  return shown(venue, found.market, now, { step: 1, limit: depthLevelsMax, isNear })
}

type Level = { ticks: number; lots: number }
/** How many levels of so many ticks; and which of them, if not all. */
type View = { step: number; limit: number; isNear?: (level: Level) => boolean }

function shown({ trading }: VenueContext, market: Market, now: number, about: View) {
  const { step, limit, isNear = () => true } = about
  const texts = (sells: boolean) =>
    levelsOf(shownLevels(bookOf(trading, market), sells, step, emptySide(limit)))
      .filter(isNear)
      .map(({ ticks, lots }): [string, string] => [market.priceText(ticks), market.amountText(lots)])
  return { ticker_id: market.name, timestamp: seconds(now), asks: texts(true), bids: texts(false) }
}

function levelsOf({ ticks, lots, count }: BookSide): Level[] {
  return Array.from({ length: count }, (_, index) => ({ ticks: ticks[index] ?? 0, lots: lots[index] ?? 0 }))
}

export const trades: PublicHandler<'trades'> = ({ venue, parameters }) => {
  const found = quoted(venue, parameters.market)
  if (found instanceof RefusedCall) return found
  const { market, publicTrades } = found
  return lastTrades(publicTrades, tradesMax, parameters.type).map(
    ({ id, at, ticks, lots, takerSide, rpi }) => ({
      tradeID: id,
      price: market.priceText(ticks),
      quote_volume: market.amountText(lots),
      base_volume: market.moneyText(lots * ticks),
      trade_timestamp: seconds(at),
      type: takerSide,
      rpi,
    }),
  )
}
