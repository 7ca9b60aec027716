export type PriceBand = { below: number; above: number }

/** Prices are doubles here, so an edge counts slightly before it: an evaluation too early changes nothing. */
export const hair = 1e-9

/** Keeps the nearest edges around a price. */
export function narrow(bands: Map<string, PriceBand>, symbol: string, price: number, edge: number): void {
  let band = bands.get(symbol)
  if (!band) bands.set(symbol, (band = { below: 0, above: Infinity }))
  // A price on an edge is outside on either side.
  if (edge >= price) band.above = Math.min(band.above, edge * (1 - hair))
  if (edge <= price) band.below = Math.max(band.below, edge * (1 + hair))
}
