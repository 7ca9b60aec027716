/** Prices of the past, in units of 10^-9, at milliseconds since the first of them, which is the begin of the world. */
export type Recording = {
  /** Whose prices they are. */
  markets: readonly string[]
  /** What they are, to the bit: a world that goes on must go on with the same ones. */
  print: string
  at: Float64Array
  units: Float64Array
  /** Whether the price goes from one point to the next evenly, as inside a bar, or stands until the next, as between trades. */
  even: boolean
}

/** The price at that moment; after the last one it stands. */
export function unitsAt({ at, units, even }: Recording, time: number): number {
  const next = firstAfter(at, time)
  const before = units[next - 1] ?? units[0] ?? 0
  const after = units[next]
  if (!even || after === undefined || next === 0) return before
  const begun = at[next - 1] ?? 0
  return Math.round(before + ((after - before) * (time - begun)) / ((at[next] ?? 0) - begun))
}

/** Where the first moment after `time` stands; behind the last one when there is none. */
function firstAfter(at: Float64Array, time: number): number {
  let low = 0
  let high = at.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low
}
