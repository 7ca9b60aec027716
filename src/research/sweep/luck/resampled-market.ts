import { blockPoints, type HistoricalMarket, type PointBlock } from '#src/market/data/historical-market.ts'
import { extremesOf } from '#src/market/data/points.ts'
import { placeOf } from '#src/market/data/time-range.ts'
import { seededChance, type SweepPeriod } from '../plan.ts'

/**
 * Another path of the markets, made of parts of this length in another order: each part once (`shuffle`), or drawn with
 * replacement (`bootstrap`). All markets have the same order, so that what they have in common stays.
 */
export type PathDraw = { kind: 'shuffle' | 'bootstrap'; partMs: number; seed: string }

type Points = { at: Float64Array; units: Float64Array; amounts: Float64Array; sides: Uint8Array | undefined }

/** The market with the parts of the period in another order. Prices continue from part to part. Before, nothing changes. */
export function resampled(
  market: HistoricalMarket,
  { from, to }: SweepPeriod,
  draw: PathDraw,
): HistoricalMarket {
  const points = pointsOf(market)
  const { partMs } = draw
  // Whole parts, so that no bar is divided.
  const first = Math.ceil(from / partMs) * partMs
  const count = Math.max(0, Math.floor((to - first) / partMs))
  const bounds = Array.from({ length: count + 1 }, (_, part) => placeOf(points.at, first + part * partMs))
  const start = bounds[0] ?? points.at.length
  // What is left behind the last whole part stays there.
  bounds.push(placeOf(points.at, to))
  const order = [...orderOf(count, draw), count]
  const moved = { at: [] as number[], units: [] as number[], places: [] as number[] }
  let level = points.units[Math.max(0, start - 1)] ?? 0
  for (const [part, source] of order.entries()) {
    const [begin, end] = [bounds[source] ?? 0, bounds[source + 1] ?? 0]
    const base = points.units[Math.max(0, begin - 1)] ?? 1
    const entry = level
    const later = (part - source) * partMs
    for (let place = begin; place < end; place++) {
      level = Math.max(1, Math.round((entry * (points.units[place] ?? 0)) / base))
      moved.at.push((points.at[place] ?? 0) + later)
      moved.units.push(level)
      moved.places.push(place)
    }
  }
  // The amount and the side of a point move with it.
  const movedIn = (column: Float64Array | Uint8Array) => moved.places.map((place) => column[place] ?? 0)
  const { sides } = points
  const length = start + moved.at.length
  const column = () => new Float64Array(length)
  return marketOf(market, {
    at: joined(column(), points.at.subarray(0, start), moved.at),
    units: joined(column(), points.units.subarray(0, start), moved.units),
    amounts: joined(column(), points.amounts.subarray(0, start), movedIn(points.amounts)),
    sides: sides && joined(new Uint8Array(length), sides.subarray(0, start), movedIn(sides)),
  })
}

function joined<Column extends Float64Array | Uint8Array>(
  whole: Column,
  before: ArrayLike<number>,
  moved: readonly number[],
): Column {
  whole.set(before)
  whole.set(moved, before.length)
  return whole
}

function orderOf(count: number, { kind, seed }: PathDraw): number[] {
  const chance = seededChance(seed)
  const order = Array.from({ length: count }, (_, part) =>
    kind === 'shuffle' ? part : Math.floor(chance() * count),
  )
  if (kind === 'bootstrap') return order
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(chance() * (last + 1))
    const [one = 0, two = 0] = [order[last], order[other]]
    order[last] = two
    order[other] = one
  }
  return order
}

function pointsOf(market: HistoricalMarket): Points {
  const blocks = [...market.blocks()]
  const length = blocks.reduce((sum, { count }) => sum + count, 0)
  const filled = <Column extends Float64Array | Uint8Array>(all: Column, name: keyof Points): Column => {
    let place = 0
    for (const block of blocks) {
      all.set(block[name]?.subarray(0, block.count) ?? [], place)
      place += block.count
    }
    return all
  }
  return {
    at: filled(new Float64Array(length), 'at'),
    units: filled(new Float64Array(length), 'units'),
    amounts: filled(new Float64Array(length), 'amounts'),
    sides: blocks.some(({ sides }) => sides) ? filled(new Uint8Array(length), 'sides') : undefined,
  }
}

function marketOf(market: HistoricalMarket, { at, units, amounts, sides }: Points): HistoricalMarket {
  const blocks: PointBlock[] = []
  for (let from = 0; from < at.length; from += blockPoints) {
    const end = Math.min(at.length, from + blockPoints)
    const prices = units.subarray(from, end)
    blocks.push({
      count: end - from,
      at: at.subarray(from, end),
      units: prices,
      amounts: amounts.subarray(from, end),
      ...(sides && { sides: sides.subarray(from, end) }),
      ...extremesOf(prices),
    })
  }
  return { ...market, blocks: () => blocks.values() }
}
