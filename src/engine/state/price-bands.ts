export type PriceBand = { below: number; above: number }

/** Prices are doubles here, so an edge counts slightly before it: an evaluation too early changes nothing. */
export const hair = 1e-9

/** Keeps the nearest edges around a price. */
export function narrow(bands: Map<string, PriceBand>, symbol: string, price: number, edge: number): void {
  let band = bands.get(symbol)
  if (!band) bands.set(symbol, (band = { below: 0, above: Infinity }))
  narrowBand(band, price, edge)
}

/** Keeps the nearest edges around a number above zero. */
export function narrowBand(band: PriceBand, price: number, edge: number): void {
  const [before, after] = [edge * (1 - hair), edge * (1 + hair)]
  // A price on an edge is outside on either side; rounding can put the edge on the wrong side of it.
  if (after >= price) band.above = Math.min(band.above, before)
  if (before <= price) band.below = Math.max(band.below, after)
}
