import { normal, chanceOf as wordsOf, uniform } from '#src/exchange/simulation/random.ts'
import type { PointBlock, Funding, HistoricalMarket } from '#src/market/data/historical-market.ts'
import { blockPoints } from '#src/market/data/historical-market.ts'

/** Monday, so that weekly schedules come early. */
export const monday = Date.UTC(2026, 0, 5)
const minuteMs = 60_000

export function chanceOf(seed: number): () => number {
  const words = wordsOf(String(seed), 'chance')
  return () => uniform(words)
}

export type GeneratedWalk = {
  seed: number
  minutes: number
  price: number
  /** Deviation of a minute: 0.0007 gives about 2.7 % a day. */
  pace: number
  /** Drift of a minute. */
  drift?: number
  /** Decimals of the price. */
  digits?: number
  from?: number
  /** Traded amount at a point. */
  amount?: number
}

/** Random bars of a minute. */
export function madeBars(walk: GeneratedWalk): HistoricalMarket {
  const { minutes, from = monday, amount = 25 } = walk
  const next = stepOf(walk)
  const points: Points = [new Float64Array(minutes * 4), new Float64Array(minutes * 4)]
  for (let minute = 0; minute < minutes; minute++) {
    const path = [next(), next(), next(), next(), next(), next()]
    const [open, close] = [path[0] ?? 0, path[5] ?? 0]
    const [high, low] = [Math.max(...path), Math.min(...path)]
    const [first, second] = high - open < open - low ? [high, low] : [low, high]
    for (const [place, price] of [open, first, second, close].entries()) {
      points[0][minute * 4 + place] = from + minute * minuteMs + [0, 15_000, 45_000, 59_999][place]!
      points[1][minute * 4 + place] = price
    }
  }
  return { ...made(points, amount), kind: 'bars', barMs: minuteMs }
}

/** Trades, some a second. */
export function madeTrades(walk: GeneratedWalk, everyMs: number): HistoricalMarket {
  const { minutes, from = monday, amount = 25 } = walk
  const count = Math.floor((minutes * minuteMs) / everyMs)
  const next = stepOf({ ...walk, pace: walk.pace * Math.sqrt((everyMs * 6) / minuteMs) })
  const points: Points = [new Float64Array(count), new Float64Array(count)]
  for (let place = 0; place < count; place++) {
    points[0][place] = from + Math.floor(place * everyMs)
    points[1][place] = next()
  }
  return sided({ ...made(points, amount), kind: 'trades', barMs: undefined }, walk.seed)
}

/** With sides, which are not in the same order for each seed. */
function sided(market: HistoricalMarket, seed: number): HistoricalMarket {
  let place = 0
  const blocks = [...market.blocks()].map((block): PointBlock => {
    const sides = block.units.map((units) => ((((units / 1e6 + seed + place++) % 7) + 7) % 3 < 1.5 ? 1 : 2))
    return Object.assign(block, { sides: Uint8Array.from(sides) })
  })
  return { ...market, blocks: () => blocks.values() }
}

/** Trades at these prices. */
export function tradesAt(trades: readonly { at: number; price: number }[], amount = 25): HistoricalMarket {
  const points: Points = [
    Float64Array.from(trades, ({ at }) => at),
    Float64Array.from(trades, ({ price }) => Math.round(price * 1e9)),
  ]
  return { ...made(points, amount), kind: 'trades', barMs: undefined }
}

/** Removes this many milliseconds of each `everyMs`. A minute without data is a gap. */
export function gapped(
  market: HistoricalMarket,
  { everyMs, ms }: { everyMs: number; ms: number },
): HistoricalMarket {
  const blocks = [...market.blocks()].map((block): PointBlock => {
    const kept = [...block.at.keys()].filter((place) => (block.at[place] ?? 0) % everyMs < everyMs - ms)
    const of = (column: Float64Array) => Float64Array.from(kept, (place) => column[place] ?? 0)
    const units = of(block.units)
    const [low, high] = [units.reduce((a, b) => Math.min(a, b)), units.reduce((a, b) => Math.max(a, b))]
    const sides = block.sides && Uint8Array.from(kept, (place) => block.sides?.[place] ?? 0)
    return { count: kept.length, at: of(block.at), units, amounts: of(block.amounts), sides, low, high }
  })
  const { seen } = market
  const gaps = Math.floor(((seen?.endsAt ?? 0) - market.beginsAt) / everyMs)
  return {
    ...market,
    barMs: minuteMs,
    ...(seen && { seen: { ...seen, gaps } }),
    blocks: () => blocks.values(),
  }
}

/** Funding rates of a file. */
export function ratesAt(rates: Funding['rates']): Funding {
  return { name: undefined, file: 'made/by-chance.csv', print: 'made by chance', rates, notes: [] }
}

/** Random funding rates of up to one percent in both directions. */
export function madeRates(seed: number, from: number, to: number, everyMs: number): Funding {
  const chance = chanceOf(seed)
  const rates: Funding['rates'] = []
  for (let at = from + everyMs; at <= to; at += everyMs)
    rates.push({ at, rate: Math.round((chance() - 0.5) * 2_000_000) })
  return ratesAt(rates)
}

type Points = [at: Float64Array, units: Float64Array]

/** Six steps are a minute. */
function stepOf({ seed, price, pace, drift = 0, digits = 2 }: GeneratedWalk): () => number {
  const chance = wordsOf(String(seed), 'walk')
  const tick = 10 ** (9 - digits)
  let now = price
  return () => {
    now *= 1 + (normal(chance) * pace) / Math.sqrt(6) + drift / 6
    return Math.round((now * 1e9) / tick) * tick
  }
}

function made([at, units]: Points, amount: number): Omit<HistoricalMarket, 'kind' | 'barMs'> {
  const blocks: PointBlock[] = []
  const [begins = 0, ends = 0] = [at[0], at.at(-1)]
  const extremes = {
    low: units.reduce((a, b) => Math.min(a, b)),
    high: units.reduce((a, b) => Math.max(a, b)),
  }
  for (let from = 0; from < at.length; from += blockPoints) {
    const end = Math.min(at.length, from + blockPoints)
    const part = units.subarray(from, end)
    blocks.push({
      count: end - from,
      at: at.subarray(from, end),
      units: part,
      amounts: new Float64Array(end - from).fill(amount * 1e9),
      low: part.reduce((a, b) => Math.min(a, b)),
      high: part.reduce((a, b) => Math.max(a, b)),
    })
  }
  const quiet = { gaps: 0, gapPlaces: [], duplicates: 0, notes: [] }
  return {
    name: undefined,
    print: 'made by chance',
    beginsAt: begins,
    seen: { rows: at.length, points: at.length, endsAt: ends, ...extremes, ...quiet },
    blocks: () => blocks.values(),
  }
}
