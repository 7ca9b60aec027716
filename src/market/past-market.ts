/** Some consecutive points of a market, 65 536 at most, in rising time. */
type Block = {
  count: number
  /** Unix milliseconds. */
  at: Float64Array
  /** Price in 10^-9. */
  units: Float64Array
  /** What may trade there of the base, in 10^-9: of a bar its volume is spread over its points; Infinity where nobody told. */
  amounts: Float64Array
  /** The extremes of `units` in this block. */
  low: number
  high: number
}

/** A market as a file has it: trades one by one, or bars walked as four points each. */
export type PastMarket = {
  /** As the file says; undefined where it says nothing. */
  name: string | undefined
  /** A hash of what was read. */
  print: string
  kind: 'bars' | 'trades'
  /** The length of a bar, where there are bars. */
  barMs: number | undefined
  beginsAt: number
  /** From the beginning, with each call. */
  blocks(): Iterator<Block>
}
