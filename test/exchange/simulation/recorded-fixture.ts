import type {
  RecordedBlock,
  RecordedMarkets,
  RecordedMarket,
} from '#src/exchange/simulation/recorded/recorded-market.ts'

/** Time of the recorded markets of the tests: years before the tests' clock. */
const recordedAt = 1_600_000_020_000

/** Milliseconds after the start, the price, and the volume. */
export type RecordedPoint = readonly [ms: number, price: number, amount?: number]

/** A market as read from a file, in blocks of this many points: trades, or four points for each bar. */
export function recordedOf(
  points: readonly RecordedPoint[],
  perBlock = 3,
  kind: RecordedMarket['kind'] = 'trades',
): RecordedMarket {
  return {
    print: `a print of ${points.length}`,
    kind,
    beginsAt: recordedAt + (points[0]?.[0] ?? 0),
    *blocks() {
      for (let first = 0; first < points.length; first += perBlock)
        yield blockOf(points.slice(first, first + perBlock))
    },
  }
}

function blockOf(points: readonly RecordedPoint[]): RecordedBlock {
  const units = Float64Array.from(points, ([, price]) => Math.round(price * 1e9))
  return {
    count: points.length,
    at: Float64Array.from(points, ([ms]) => recordedAt + ms),
    units,
    amounts: Float64Array.from(points, ([, , amount = Infinity]) => Math.round(amount * 1e9)),
    low: Math.min(...units),
    high: Math.max(...units),
  }
}

/** One market with its own points. */
export function recordedFile(
  market: string,
  points: readonly RecordedPoint[],
  perBlock?: number,
  kind?: RecordedMarket['kind'],
): RecordedMarkets['files'][number] {
  return { markets: [market], market: recordedOf(points, perBlock, kind) }
}
