import type { PriceBand } from '#src/engine/state/price-bands.ts'
import type { Quote, State } from '#src/engine/state/state.ts'

const unitsPerOne = 1e9

/** In units of the bid, so that neither bid nor ask nor their middle can leave the band unnoticed. */
export function unitBand(
  bands: ReadonlyMap<string, PriceBand>,
  symbol: string,
  tick: number,
): PriceBand | undefined {
  const band = bands.get(symbol)
  // Half a unit exceeds the error of the product.
  return band && { below: band.below * unitsPerOne + 0.5, above: band.above * unitsPerOne - tick - 0.5 }
}

export function isBeyond(units: number, band: PriceBand | undefined): boolean {
  return band !== undefined && (units <= band.below || units >= band.above)
}

/** Whether bid, ask and their middle are all inside. */
export function isQuoteWithin(quote: Quote | undefined, { below, above }: PriceBand): boolean {
  return (quote?.bid ?? 0) > below && (quote?.ask ?? Infinity) < above
}

/** Narrows the band of a market to the part that it shares with this one. */
export function keepWithin(bands: Map<string, PriceBand>, symbol: string, { below, above }: PriceBand): void {
  const band = bands.get(symbol) ?? { below: 0, above: Infinity }
  bands.set(symbol, { below: Math.max(band.below, below), above: Math.min(band.above, above) })
}

/** The intersection of two bands. */
export function within(
  bands: ReadonlyMap<string, PriceBand>,
  others: ReadonlyMap<string, PriceBand>,
): ReadonlyMap<string, PriceBand> {
  if (others.size === 0) return bands
  const both = new Map(bands)
  for (const [symbol, band] of others) keepWithin(both, symbol, band)
  return both
}

/** The mid price of the last quote. */
export function middleOf({ quotes }: State, symbol: string): number | undefined {
  const quote = quotes[symbol]
  if (!quote || quote.bid === null || quote.ask === null) return undefined
  return (quote.bid + quote.ask) / 2
}
