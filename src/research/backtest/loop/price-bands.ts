import type { PriceBand } from '#src/engine/jump/price-bands.ts'

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
