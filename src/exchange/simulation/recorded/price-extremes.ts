/** Of so many points the lowest and the highest price are kept, so that not each of them need be read. */
const stretch = 64

type Prices = { units: Float64Array; count: number }
type Stretches = { lows: Float64Array; highs: Float64Array }

/** Beside the block: whoever walks through it, or walks through it again, looks at each point once. */
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

/** The first price from `begin` on that is not above `low` and below `high`; `end` when all before it are. */
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

/** The lowest and the highest price from `begin` on and before `end`, and of those that were found before. */
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
