import type { Candle } from '#src/market/candles/candle.ts'
import type { Indicator } from './indicator.ts'

/** Sums of the moves up and down and of the true ranges, in which older candles count less and less. */
type Sums = { last: Candle | null; seen: number; up: number; down: number; range: number }

const begin = (): Sums => ({ last: null, seen: 0, up: 0, down: 0, range: 0 })

/** Adds a candle. Returns true if the sums contain enough candles. */
function addMoves(sums: Sums, candle: Candle, length: number): boolean {
  const { last } = sums
  sums.last = candle
  if (last === null) return false
  sums.seen += 1
  // The first sums are plain, as in charting programs: one candle less than the length, and then each replaces a share.
  const kept = sums.seen < length ? 1 : 1 - 1 / length
  const [up, down] = [candle.high - last.high, last.low - candle.low]
  sums.up = sums.up * kept + (up > down && up > 0 ? up : 0)
  sums.down = sums.down * kept + (down > up && down > 0 ? down : 0)
  sums.range = sums.range * kept + Math.max(candle.high, last.close) - Math.min(candle.low, last.close)
  return sums.seen >= length
}

/** The share of a direction in all moves, in percent; a market that never moved has none. */
function share(of: number, range: number): number {
  return range === 0 ? 0 : (100 * of) / range
}

function directionOf(side: 'up' | 'down'): Indicator<Sums> {
  return {
    parameters: ['candles'],
    needs: ([length = 1]) => length + 1,
    begin,
    add: (sums, candle, [length = 1]) =>
      addMoves(sums, candle, length) ? share(sums[side], sums.range) : undefined,
  }
}

export const plusDi = directionOf('up')
export const minusDi = directionOf('down')

/** How much one direction prevails: the mean of the difference of both, in percent of their sum. */
export const adx: Indicator<{ sums: Sums; values: number; mean: number }> = {
  parameters: ['candles'],
  needs: ([length = 1]) => 2 * length,
  begin: () => ({ sums: begin(), values: 0, mean: 0 }),
  add(state, candle, [length = 1]) {
    const { sums } = state
    if (!addMoves(sums, candle, length)) return undefined
    const [up, down] = [share(sums.up, sums.range), share(sums.down, sums.range)]
    // Without any move there is no new value, and the mean stays.
    const value =
      up + down === 0 ? (state.values < length ? 0 : state.mean) : (100 * Math.abs(up - down)) / (up + down)
    state.values += 1
    if (state.values <= length) state.mean += value / length
    else state.mean += (value - state.mean) / length
    return state.values < length ? undefined : state.mean
  },
}
