/**
 * A market of the past as everybody reads it: points of price in rising time. A trade is one point. A bar is four: its open,
 * the nearer of high and low (the low, when both are as near), the other one, and its close, with straight lines between them;
 * so each end is reached once, and which of them first does not depend on who would gain by it.
 */
export type HistoricalMarket = {
  /** Whose prices they are, if a comment above the header says so: # market: BTC_PERP */
  name: string | undefined
  /** Tells one file from another: a hash of its size, its first and its last mebibyte. */
  print: string
  kind: 'bars' | 'trades'
  /** How long a bar is. */
  barMs: number | undefined
  /** When the first point is. */
  beginsAt: number
  /** What was found, as soon as one walk through the blocks has come to the end. */
  seen?: FileFindings | undefined
  /** Anew with each call, from memory or from the file. */
  blocks(): IterableIterator<PointBlock>
}

/**
 * Some consecutive points. A market that is read from its file uses the columns again: they hold until the next block is
 * asked for, and each block is an object of its own. Those of a market in memory stay.
 */
export type PointBlock = {
  count: number
  /** Unix milliseconds. */
  at: Float64Array
  /** Prices in 10^-9. */
  units: Float64Array
  /** What may trade at this point, in 10^-9 of the base currency; Infinity where the file tells no amounts. */
  amounts: Float64Array
  /** The extremes of units. */
  low: number
  high: number
}

/** The most points of a block. */
export const blockPoints = 65_536

/** What a walk from the first row to the last came upon. */
export type FileFindings = {
  rows: number
  points: number
  endsAt: number
  low: number
  high: number
  /** How often bars are missing, or trades for more than an hour; and the first of these places. */
  gaps: number
  gapPlaces: { at: number; ms: number; line?: number | undefined }[]
  /** Rows that were left out, because they say the same as the row before them. */
  duplicates: number
  /** What else was noticed, and what was done about it, a sentence each. */
  notes: string[]
}

/** What holders of long positions of a perpetual paid to those of short ones, as a file tells it. */
export type Funding = {
  /** Whose rates they are, if a comment above the header says so. */
  name: string | undefined
  file: string
  /** Tells one file from another. */
  print: string
  /** In rising time, Unix milliseconds; rates are whole numbers of 10^-8. */
  rates: { at: number; rate: number }[]
  /** What was noticed, and what was done about it, a sentence each. */
  notes: string[]
}
