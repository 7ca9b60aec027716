import { invalidField } from '#src/exchange/handlers/refused-field.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { mapPrices } from '#src/market/candles/candle.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { AnswerOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { seconds } from '#src/exchange/time-units.ts'
import type { Bar } from '#src/exchange/trades/bars.ts'
import { bestLevel } from '#src/exchange/trading/book/levels.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { PublicTrades } from '#src/exchange/trades/public-trades.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import type { RefusedCall, VenueContext } from '#src/exchange/venue-context.ts'

/** A market with its public trades. */
export type MarketTrades = { market: Market; publicTrades: PublicTrades }

export function quoted(venue: VenueContext, name: string): MarketTrades | RefusedCall {
  const market = venue.markets.get(name)
  const publicTrades = market && venue.publicTradesOf(market)
  return market && publicTrades
    ? { market, publicTrades }
    : invalidField('market', 'Market is not available.')
}

/** All markets, in the order of the world file. */
export function marketsWithTrades(venue: VenueContext): MarketTrades[] {
  return venue.trading.markets.flatMap((market) => {
    const publicTrades = venue.publicTradesOf(market)
    return publicTrades ? [{ market, publicTrades }] : []
  })
}

/** The sum of many trades may exceed the safe integers. */
export function volumeText({ lotAtoms }: Market, lots: bigint): string {
  return formatAtoms(lots * lotAtoms)
}

export function moneyText({ atomsPerQuantum }: Market, quanta: bigint): string {
  return formatAtoms(quanta * atomsPerQuantum)
}

/** The order is part of the API: time, open, close, high, low, and both volumes. */
export function candleTexts(market: Market, bar: Bar): Candle {
  const { open, close, high, low } = mapPrices(bar, market.priceText)
  return [
    seconds(bar.start),
    open,
    close,
    high,
    low,
    volumeText(market, bar.lots),
    moneyText(market, bar.money),
  ]
}
type Candle = AnswerOf<Contract['kline']>['result'][number]

/** The best price of a side, or 0 if the side is empty. */
export function bestText({ trading }: VenueContext, market: Market, sells: boolean): string {
  return market.priceText(bestLevel(bookOf(trading, market), sells).ticks)
}

/** Open interest: the sum of all long positions, which equals the sum of all short positions. */
export function openLots({ trading }: VenueContext, market: Market): bigint {
  let lots = 0n
  for (const { collateral } of trading.accounts) {
    for (const exposure of collateral.open) {
      if (exposure.market === market.number && exposure.lots > 0) lots += BigInt(exposure.lots)
    }
  }
  return lots
}
