/** What the venue lists about a futures market; null where it does not say. */
export type FuturesValues = {
  /** The rate of the coming funding payment, as a share of the position, and when it comes. */
  funding: number | null
  fundingAt: number | null
  mark: number | null
  index: number | null
  openInterest: number | null
}

export type FuturesEvent = FuturesValues & { kind: 'futures'; at: number; market: string }
