import { firstIndex } from '#src/core/objects/first-index.ts'
import type { PointBlock, HistoricalMarket, FileFindings } from './historical-market.ts'
import { addGap, addPoints, emptySeen, extremesOf, tradeGapMs } from './points.ts'

/** Unix milliseconds; `to` is exclusive. */
export type Span = { from?: number | undefined; to?: number | undefined }

/** Only the points in the time range; the findings are about these. */
export function* within(
  blocks: Iterable<PointBlock>,
  { from = -Infinity, to = Infinity }: Span,
  { barMs }: Pick<HistoricalMarket, 'barMs'>,
  done: (seen: FileFindings) => void,
): Generator<PointBlock> {
  const seen = emptySeen()
  const patienceMs = barMs ?? tradeGapMs
  // The last point of a bar is one millisecond before the bar's end.
  const endMs = barMs === undefined ? 0 : 1
  let last = Infinity
  for (const whole of blocks) {
    const block = cut(whole, from, to)
    if (block) {
      const { at, count } = block
      for (let place = 0; place < count; place++) {
        const time = at[place] ?? 0
        if (time - last > patienceMs) addGap(seen, last + endMs, time - last - endMs)
        last = time
      }
      addPoints(seen, block)
      yield block
    }
    if ((whole.at[whole.count - 1] ?? 0) >= to) break
  }
  seen.rows = barMs === undefined ? seen.points : Math.ceil(seen.points / 4)
  done(seen)
}

function cut(block: PointBlock, from: number, to: number): PointBlock | undefined {
  const { at, count, amounts, sides } = block
  if ((at[0] ?? 0) >= from && (at[count - 1] ?? 0) < to) return block
  const [start, end] = [placeOf(at, from), placeOf(at, to)]
  if (end === start) return undefined
  const units = block.units.subarray(start, end)
  return {
    count: end - start,
    at: at.subarray(start, end),
    units,
    amounts: amounts.subarray(start, end),
    ...(sides && { sides: sides.subarray(start, end) }),
    ...extremesOf(units),
  }
}

/** The place of the first point at or after a time. */
export function placeOf(at: Float64Array, moment: number): number {
  return firstIndex(0, at.length, (index) => at[index]! >= moment)
}
