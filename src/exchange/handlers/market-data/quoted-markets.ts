import { invalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { bestLevel } from '#src/exchange/trading/book/levels.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { Tape } from '#src/exchange/trades/public-trades.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import { Refused, type Venue } from '#src/exchange/venue-context.ts'

/** A market with what is remembered of it. */
export type Quoted = { market: Market; tape: Tape }

export function quoted(venue: Venue, name: string): Quoted | Refused {
  const market = venue.markets.get(name)
  const tape = market && venue.tapeOf(market)
  return market && tape ? { market, tape } : new Refused(invalid({ market: ['Market is not available.'] }))
}

/** All of them, in the order of the world. */
export function marketsWithTape(venue: Venue): Quoted[] {
  return venue.floor.markets.flatMap((market) => {
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
export function bestText({ floor }: Venue, market: Market, sells: boolean): string {
  return market.priceText(bestLevel(bookOf(floor, market), sells).ticks)
}

/** What all traders together are long, which is what they are short. */
export function openLots({ floor }: Venue, market: Market): bigint {
  let lots = 0n
  for (const { collateral } of floor.accounts) {
    for (const exposure of collateral.open) {
      if (exposure.market === market.number && exposure.lots > 0) lots += BigInt(exposure.lots)
    }
  }
  return lots
}
