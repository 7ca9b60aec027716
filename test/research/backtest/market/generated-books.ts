import { booksOf } from '#src/market/data/books.ts'
import {
  tradeSides,
  type HistoricalBooks,
  type HistoricalListing,
  type HistoricalMarket,
  type ListedFutures,
} from '#src/market/data/historical-market.ts'
import { chanceOf } from './generated-market.ts'

/** From the best price on: price and amount. */
type MadeLevels = readonly (readonly [price: number, amount: number])[]
export type MadeBook = { at: number; bids: MadeLevels; asks: MadeLevels }

/** A file of these order books. */
export function booksAt(books: readonly MadeBook[], levels = 5): HistoricalBooks {
  const points = books.flatMap(({ at, bids, asks }) => [
    ...bids.map(([price, amount]) => ({ at, price, amount, side: tradeSides.bought })),
    ...asks.map(([price, amount]) => ({ at, price, amount, side: tradeSides.sold })),
  ])
  const units = Float64Array.from(points, ({ price }) => Math.round(price * 1e9))
  const block = {
    count: points.length,
    at: Float64Array.from(points, ({ at }) => at),
    units,
    amounts: Float64Array.from(points, ({ amount }) => Math.round(amount * 1e9)),
    sides: Uint8Array.from(points, ({ side }) => side),
    low: Math.min(...units),
    high: Math.max(...units),
  }
  const seen = { rows: books.length, points: points.length, endsAt: books.at(-1)?.at ?? 0, low: 1, high: 2 }
  return {
    name: undefined,
    print: 'made by chance',
    kind: 'depth',
    levels,
    barMs: undefined,
    beginsAt: books[0]?.at ?? 0,
    seen: { ...seen, gaps: 0, gapPlaces: [], duplicates: 0, notes: [] },
    blocks: () => [block].values(),
  }
}

/** Times with pauses of some length, at which something is recorded. */
function timesOf(chance: () => number, from: number, to: number): number[] {
  const usual = [300, 1000, 2500, 9000][Math.floor(chance() * 4)] ?? 1000
  const times: number[] = []
  for (let at = from - 3000; at < to; at += 1 + Math.floor(chance() * 2 * usual)) {
    times.push(at)
    // Longer than any feed waits.
    if (chance() < 0.02) at += Math.floor(chance() * 150_000)
  }
  return times
}

type Recorded = { seed: number; price: number; from: number; to: number }

/** Order books by chance around a price: some have fewer levels, or an empty side. */
export function madeBooks({ seed, price, from, to }: Recorded): HistoricalBooks {
  const chance = chanceOf(seed)
  const step = [0.0002, 0.0008, 0.004][Math.floor(chance() * 3)] ?? 0.001
  const sideOf = (best: number, away: number): MadeLevels => {
    const count = chance() < 0.9 ? 5 : Math.floor(chance() * 5)
    return Array.from({ length: count }, (_, level) => [
      Number((best * (1 + away * step * level)).toFixed(2)),
      Math.ceil(chance() * 40) / 10,
    ])
  }
  const books = timesOf(chance, from, to).map((at): MadeBook => {
    const mid = price * (1 + (chance() - 0.5) * 0.008)
    return { at, bids: sideOf(mid * 0.9999, -1), asks: sideOf(mid * 1.0001, 1) }
  })
  return booksAt(books.filter(({ bids, asks }) => bids.length + asks.length > 0))
}

/** Books of each second whose best prices are those of the market; the amounts change slowly. */
export function booksAround(market: HistoricalMarket, seed: number): HistoricalBooks {
  const chance = chanceOf(seed)
  const books: MadeBook[] = []
  let tilt = 0
  for (const { at, units } of market.blocks())
    for (const [place, time] of at.entries()) {
      const next = Math.ceil(time / 1000) * 1000
      if (next === books.at(-1)?.at) books.pop()
      tilt = Math.max(-0.9, Math.min(0.9, tilt + (chance() - 0.5) * 0.2))
      const price = (units[place] ?? 0) / 1e9
      const sideOf = (best: number, away: number, share: number): MadeLevels =>
        Array.from({ length: 10 }, (_, level) => [
          Number((best * (1 + away * 0.0002 * level)).toFixed(2)),
          Number((1 + share + chance() * 0.01).toFixed(4)),
        ])
      books.push({ at: next, bids: sideOf(price, -1, tilt), asks: sideOf(price + 0.1, 1, -tilt) })
    }
  return booksAt(books, 10)
}

/** What a venue listed, by chance; some values are missing in some rows. */
export function madeListing({ seed, price, from, to }: Recorded): HistoricalListing {
  const chance = chanceOf(seed)
  const usual = [4000, 10_000, 37_000][Math.floor(chance() * 3)] ?? 10_000
  const rows: ListedFutures[] = []
  for (let at = from - 3000; at < to; at += 1 + Math.floor(chance() * 2 * usual)) {
    const near = () => Number((price * (1 + (chance() - 0.5) * 0.008)).toFixed(2))
    const row = {
      at,
      mark: near(),
      index: near(),
      openInterest: Math.round(chance() * 1000),
      funding: (Math.floor(chance() * 200) - 100) / 10_000,
      fundingAt: Math.ceil((at + 1) / 130_000) * 130_000,
    }
    const kept = Object.entries(row).filter(([name]) => name === 'at' || chance() < 0.9)
    rows.push({ at, ...Object.fromEntries(kept) })
  }
  return listingAt(rows)
}

/** A file of these rows, of which only the last one in ten seconds counts. */
export function listingAt(
  rows: readonly ListedFutures[],
  has: HistoricalListing['has'] = ['mark', 'index', 'openInterest', 'funding', 'fundingAt'],
): HistoricalListing {
  return { name: undefined, file: 'made/listed.csv', print: 'made by chance', rows, has, notes: [] }
}

/** The last book of each time, as whole numbers of 10^-9. */
export function booksIn(market: HistoricalBooks) {
  return [...booksOf(market)].map(({ at, bids, asks }) => {
    const [bid, ask] = [bids, asks].map(({ units, amounts }) =>
      [...units].map((price, level) => [price / 1e9, (amounts[level] ?? 0) / 1e9]),
    )
    return { at, bids: bid, asks: ask }
  })
}
