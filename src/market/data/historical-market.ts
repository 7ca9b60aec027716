/**
 * A historical market, as all of the program reads it: points of price in ascending time. A trade is one point. An order book is
 * a point for each level, all with the time of the book: the bids and then the asks, each from the best price on. A bar
 * is four: its open, the nearer of high and low (the low if both are equally near), the other one, and its close, with
 * straight lines between them. So each extreme is reached once, and their order does not depend on which side would
 * profit.
 */
export type HistoricalMarket<Kind extends MarketKind = 'bars' | 'trades'> = {
  /** The name in a comment above the header: # market: BTC_PERP */
  name: string | undefined
  /** Fingerprint of the file: a hash of its size, its first and its last mebibyte. */
  print: string
  kind: Kind
  /** Levels that a book can have on each side. */
  levels?: number | undefined
  /** Length of a bar. */
  barMs: number | undefined
  /** Time of the first point. */
  beginsAt: number
  /** The findings, after one complete pass through the blocks. */
  seen?: FileFindings | undefined
  /** All blocks, anew with each call, from memory or from the file. */
  blocks(): IterableIterator<PointBlock>
}

/** The order books of a market. */
export type HistoricalBooks = HistoricalMarket<'depth'>
export type MarketKind = 'bars' | 'trades' | 'depth'

/**
 * Some consecutive points. A market read from its file reuses the columns, which are valid until the next block; each
 * block is a new object. The blocks of a market in memory stay valid.
 */
export type PointBlock = {
  count: number
  /** Unix milliseconds. */
  at: Float64Array
  /** Prices in 10^-9. */
  units: Float64Array
  /** Volume that may trade at this point, in 10^-9 of the base currency; Infinity if the file has no amounts. */
  amounts: Float64Array
  /** Sides of takers by `tradeSides`, of levels `bought` for bids; missing if the file does not state them. */
  sides?: Uint8Array | undefined
  /** Lowest and highest of `units`. */
  low: number
  high: number
}

/** What the taker of a trade did. */
export const tradeSides = { unknown: 0, bought: 1, sold: 2 } as const

/** Most points in a block. */
export const blockPoints = 65_536

/** Findings of a complete pass through the file. */
export type FileFindings = {
  rows: number
  points: number
  endsAt: number
  low: number
  high: number
  /** Number of places with missing bars, or without trades for more than an hour; and the first such place. */
  gaps: number
  gapPlaces: { at: number; ms: number; line?: number | undefined }[]
  /** Rows left out because they repeat the row before. */
  duplicates: number
  /** Other findings and how they were handled, a sentence each. */
  notes: string[]
}

/** The funding rates of a perpetual from a file: a positive rate is paid by long positions to short ones. */
export type Funding = {
  /** The market in a comment above the header. */
  name: string | undefined
  file: string
  /** Fingerprint of the file. */
  print: string
  /** In ascending time, Unix milliseconds; rates are whole numbers of 10^-8. Some files say when a rate was calculated. */
  rates: { at: number; rate: number; calculatedAt?: number }[]
  /** Findings and how they were handled, a sentence each. */
  notes: string[]
}

/** What a venue listed about a futures market at a time; values that the file does not state are missing. */
export type ListedFutures = {
  at: number
  mark?: number
  index?: number
  openInterest?: number
  /** The rate of the coming funding payment, as a share of the position, and the time of the payment. */
  funding?: number
  fundingAt?: number
}

export type HistoricalListing = {
  /** The market in a comment above the header. */
  name: string | undefined
  file: string
  /** Fingerprint of the file. */
  print: string
  /** In ascending time. */
  rows: readonly ListedFutures[]
  /** The values that at least one row has. */
  has: readonly (keyof ListedFutures)[]
  /** Findings and how they were handled, a sentence each. */
  notes: string[]
}

/** Signals of the past, in the order of their times, with their lines in the file. */
export type HistoricalSignals = {
  file: string
  rows: readonly { at: number; name: string; value: string; line: number }[]
}
