import type { State } from '#src/engine/state/state.ts'

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

/** The intersection of two bands. */
export function within(
  bands: ReadonlyMap<string, PriceBand>,
  others: ReadonlyMap<string, PriceBand>,
): ReadonlyMap<string, PriceBand> {
  if (others.size === 0) return bands
  const both = new Map(bands)
  for (const [symbol, { below, above }] of others) {
    const band = both.get(symbol) ?? { below: 0, above: Infinity }
    both.set(symbol, { below: Math.max(band.below, below), above: Math.min(band.above, above) })
  }
  return both
}

/** The mid price of the last quote. */
export function middleOf({ quotes }: State, symbol: string): number | undefined {
  const quote = quotes[symbol]
  if (!quote || quote.bid === null || quote.ask === null) return undefined
  return (quote.bid + quote.ask) / 2
}
