import { invalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { bestLevel } from '#src/exchange/trading/book/levels.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { PublicTrades } from '#src/exchange/trades/public-trades.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import { RefusedCall, type VenueContext } from '#src/exchange/venue-context.ts'

/** A market with what is remembered of it. */
export type Quoted = { market: Market; tape: PublicTrades }

export function quoted(venue: VenueContext, name: string): Quoted | RefusedCall {
  const market = venue.markets.get(name)
  const tape = market && venue.tapeOf(market)
  return market && tape
    ? { market, tape }
    : new RefusedCall(invalid({ market: ['Market is not available.'] }))
}

/** All of them, in the order of the world. */
export function marketsWithTape(venue: VenueContext): Quoted[] {
  return venue.trading.markets.flatMap((market) => {
    const tape = venue.tapeOf(market)
    return tape ? [{ market, tape }] : []
  })
}

/** Volumes of many trades may be beyond the safe integers. */
export function volumeText({ lotAtoms }: Market, lots: bigint): string {
  return formatAtoms(lots * lotAtoms)
}

export function moneyText({ atomsPerQuantum }: Market, quanta: bigint): string {
  return formatAtoms(quanta * atomsPerQuantum)
}

/** The best price of a side; 0 when it is empty. */
export function bestText({ trading }: VenueContext, market: Market, sells: boolean): string {
  return market.priceText(bestLevel(bookOf(trading, market), sells).ticks)
}

/** What all traders together are long, which is what they are short. */
export function openLots({ trading }: VenueContext, market: Market): bigint {
  let lots = 0n
  for (const { collateral } of trading.accounts) {
    for (const exposure of collateral.open) {
      if (exposure.market === market.number && exposure.lots > 0) lots += BigInt(exposure.lots)
    }
  }
  return lots
}
