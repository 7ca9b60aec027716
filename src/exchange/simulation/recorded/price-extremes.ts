/** The lowest and the highest price are kept for each run of this many points, so that a search can skip the run. */
const stretch = 64

type Prices = { units: Float64Array; count: number }
type Stretches = { lows: Float64Array; highs: Float64Array }

/** Kept by block: later searches in the same block reuse the extremes. */
const stretchesByBlock = new WeakMap<Prices, Stretches>()

function stretchesOf(block: Prices): Stretches {
  let found = stretchesByBlock.get(block)
  if (!found) stretchesByBlock.set(block, (found = measured(block)))
  return found
}

function measured({ units, count }: Prices): Stretches {
  const lows = new Float64Array(Math.ceil(count / stretch))
  const highs = new Float64Array(lows.length)
  for (let number = 0; number < lows.length; number++) {
    const end = Math.min(count, (number + 1) * stretch)
    let [low, high] = [Infinity, 0]
    for (let place = number * stretch; place < end; place++) {
      const price = units[place] ?? 0
      if (price < low) low = price
      if (price > high) high = price
    }
    lows[number] = low
    highs[number] = high
  }
  return { lows, highs }
}

/** The first place from `begin` with a price not above `low` or not below `high`; `end` if there is none before it. */
export function firstBeyond(block: Prices, begin: number, end: number, low: number, high: number): number {
  const { units } = block
  const { lows, highs } = stretchesOf(block)
  for (let place = begin; place < end;) {
    const number = Math.floor(place / stretch)
    const stop = Math.min(end, (number + 1) * stretch)
    if ((lows[number] ?? 0) <= low || (highs[number] ?? 0) >= high) {
      for (; place < stop; place++) {
        const price = units[place] ?? 0
        if (price <= low || price >= high) return place
      }
    }
    place = stop
  }
  return end
}

/** The extremes of `before` and of all prices from `begin` to before `end`. */
export function extremesAmong(block: Prices, begin: number, end: number, before: Extremes): Extremes {
  const { units } = block
  const { lows, highs } = stretchesOf(block)
  let { low, high } = before
  for (let place = begin; place < end;) {
    const number = place / stretch
    if (Number.isInteger(number) && place + stretch <= end) {
      low = Math.min(low, lows[number] ?? 0)
      high = Math.max(high, highs[number] ?? 0)
      place += stretch
    } else {
      const price = units[place] ?? 0
      if (price < low) low = price
      if (price > high) high = price
      place += 1
    }
  }
  return { low, high }
}

export type Extremes = { low: number; high: number }
export const noExtremes: Extremes = { low: Infinity, high: 0 }
