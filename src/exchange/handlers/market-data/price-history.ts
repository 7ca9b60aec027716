import { usualOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { invalidField } from '#src/exchange/handlers/refused-field.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { leverages } from '#src/venues/whitebit/contract/trading/leverages.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import type { WorldMarket } from '#src/exchange/world-file.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { candlesOf } from '#src/exchange/trades/candles.ts'
import { startTicks, statsOfDay } from '#src/exchange/trades/public-trades.ts'
import { fundingRate, fundingRateMost, rateText } from '#src/exchange/trading/positions/funding.ts'
import { fundingEveryMs, nextFunding } from '#src/exchange/trading/positions/funding-times.ts'
import { RefusedCall, type PublicHandler } from '#src/exchange/venue-context.ts'
import {
  bestText,
  candleTexts,
  moneyText,
  openLots,
  quoted,
  marketsWithTrades,
  volumeText,
} from './quoted-markets.ts'

export const kline: PublicHandler<'kline'> = ({ venue, parameters, now }) => {
  const found = quoted(venue, parameters.market)
  if (found instanceof RefusedCall) return found
  const { market, publicTrades } = found
  const { start, end } = parameters
  const { interval = usualOf(contract.kline, 'interval'), limit = usualOf(contract.kline, 'limit') } =
    parameters
  if (start !== undefined && end !== undefined && start > end) {
    return invalidField('end', 'End should not be before start.')
  }
  const about = {
    from: start === undefined ? undefined : start * 1000,
    until: end === undefined ? now : end * 1000,
    most: limit,
    now,
  }
  return {
    success: true,
    message: null,
    result: candlesOf(publicTrades, interval, about, venue.simulatedHistory(market)).map((bar) =>
      candleTexts(market, bar),
    ),
  }
}

/** The largest notional of a position at each leverage; 0 if there is no limit. */
function bracketsOf({ brackets }: WorldMarket): Record<string, number> {
  if (brackets === undefined) return Object.fromEntries(leverages.map((leverage) => [leverage, 0]))
  return Object.fromEntries(
    leverages.flatMap((leverage) => {
      const last = brackets.findLast(({ maxLeverage }) => maxLeverage >= leverage)
      return last ? [[leverage, Number(formatAtoms(last.notional))]] : []
    }),
  )
}

export const futures: PublicHandler<'futures'> = ({ venue, now }) => ({
  success: true,
  message: null,
  result: marketsWithTrades(venue)
    .filter(({ market }) => market.rules.kind === 'futures')
    .map(({ market, publicTrades }) => {
      const { rules } = market
      const stats = statsOfDay(publicTrades, now)
      const marketState = venue.state.markets[market.number]
      // A market has no mark price before its first trade or its first simulated price.
      const mark = marketState?.mark || publicTrades.last
      return {
        ticker_id: market.name,
        stock_currency: rules.base,
        money_currency: rules.money,
        last_price: market.priceText(stats.last),
        stock_volume: volumeText(market, stats.lots),
        money_volume: moneyText(market, stats.money),
        bid: bestText(venue, market, false),
        ask: bestText(venue, market, true),
        high: market.priceText(stats.high),
        low: market.priceText(stats.low),
        product_type: 'Perpetual',
        open_interest: volumeText(market, openLots(venue, market)),
        mark_price: market.priceText(mark),
        index_price: market.priceText(marketState?.indexed ? mark : startTicks(venue.world, rules)),
        index_name: rules.base,
        index_currency: rules.base,
        funding_rate: rateText(fundingRate(venue.trading, market)),
        funding_cap: rateText(fundingRateMost),
        funding_floor: rateText(-fundingRateMost),
        next_funding_rate_timestamp: String(
          marketState?.recorded ? venue.state.fundingAt : nextFunding(venue.state.at, [rules]),
        ),
        brackets: bracketsOf(rules),
        max_leverage: rules.brackets?.[0]?.maxLeverage ?? 100,
        funding_interval_minutes: fundingEveryMs(rules) / 60_000,
      }
    }),
})

export const fundingRates: PublicHandler<'fundingRates'> = ({ venue, parameters }) => {
  const found = quoted(venue, parameters.market)
  if (found instanceof RefusedCall) return found
  const { startDate = 0, endDate = Infinity } = parameters
  const { limit, offset } = pageOf(contract.fundingRates, parameters)
  if (found.market.rules.kind === 'spot') return invalidField('market', 'Market is not available.')
  if (startDate > endDate) return invalidField('endDate', 'The endDate should not be before the startDate.')
  const { market } = found
  return (venue.state.markets[market.number]?.fundings ?? [])
    .filter(({ at }) => seconds(at) >= startDate && seconds(at) <= endDate)
    .reverse()
    .slice(offset, offset + limit)
    .map(({ at, rate, ticks }) => ({
      fundingTime: String(seconds(at)),
      fundingRate: rateText(rate),
      market: market.name,
      settlementPrice: market.priceText(ticks),
      rateCalculatedTime: String(seconds(at)),
    }))
}
