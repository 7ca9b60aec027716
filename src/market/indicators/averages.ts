import type { Indicator } from './indicator.ts'

/** An exponential mean. It starts as the plain mean of the first values, like in charting programs. */
type Smoothed = { seen: number; sum: number; mean: number }

const nothing = (): Smoothed => ({ seen: 0, sum: 0, mean: 0 })

/** `weight` is the weight of the newest value; undefined until there were `length` values. */
function smooth(state: Smoothed, value: number, length: number, weight: number): number | undefined {
  state.seen += 1
  if (state.seen > length) return (state.mean += weight * (value - state.mean))
  state.sum += value
  if (state.seen < length) return undefined
  return (state.mean = state.sum / length)
}

const exponential = (length: number) => 2 / (length + 1)
/** Wilder's smoothing, for RSI and ATR. */
const wilder = (length: number) => 1 / length

export const ema: Indicator<Smoothed> = {
  parameters: ['candles'],
  needs: ([length = 1]) => length,
  begin: nothing,
  add: (state, { close }, [length = 1]) => smooth(state, close, length, exponential(length)),
}

/** The first candle has no close before it. */
function needsOfChanges([length = 1]: readonly number[]): number {
  return length + 1
}

type Strength = { last: number | null; gains: Smoothed; losses: Smoothed }

export const rsi: Indicator<Strength> = {
  parameters: ['candles'],
  needs: needsOfChanges,
  begin: () => ({ last: null, gains: nothing(), losses: nothing() }),
  add(state, { close }, [length = 1]) {
    const { last } = state
    state.last = close
    if (last === null) return undefined
    const gain = smooth(state.gains, Math.max(close - last, 0), length, wilder(length))
    const loss = smooth(state.losses, Math.max(last - close, 0), length, wilder(length))
    if (gain === undefined || loss === undefined) return undefined
    // A market that never moved has a neutral strength.
    return gain + loss === 0 ? 50 : (100 * gain) / (gain + loss)
  },
}

/** The mean of the true ranges: the range of a candle, extended to the close before it. */
export const atr: Indicator<{ last: number | null; ranges: Smoothed }> = {
  parameters: ['candles'],
  needs: needsOfChanges,
  begin: () => ({ last: null, ranges: nothing() }),
  add(state, { high, low, close }, [length = 1]) {
    const { last } = state
    state.last = close
    if (last === null) return undefined
    const range = Math.max(high, last) - Math.min(low, last)
    return smooth(state.ranges, range, length, wilder(length))
  },
}

type Crossing = { fast: Smoothed; slow: Smoothed; signal: Smoothed }

/** MACD: the fast mean less the slow mean, and the mean of that difference. */
export const macd: Indicator<Crossing> = {
  parameters: ['candles', 'candles'],
  needs: needsOfCrossing,
  begin: beginCrossing,
  add: (state, { close }, parameters) => addCrossing(state, close, parameters),
}

export const macdSignal: Indicator<Crossing> = {
  parameters: ['candles', 'candles', 'candles'],
  needs: ([fast = 1, slow = 1, signal = 1]) => needsOfCrossing([fast, slow]) + signal - 1,
  begin: beginCrossing,
  add(state, { close }, parameters) {
    const line = addCrossing(state, close, parameters)
    const length = parameters[2] ?? 1
    return line === undefined ? undefined : smooth(state.signal, line, length, exponential(length))
  },
}

function needsOfCrossing([fast = 1, slow = 1]: readonly number[]): number {
  return Math.max(fast, slow)
}

function beginCrossing(): Crossing {
  return { fast: nothing(), slow: nothing(), signal: nothing() }
}

function addCrossing(
  state: Crossing,
  close: number,
  [fast = 1, slow = 1]: readonly number[],
): number | undefined {
  const quick = smooth(state.fast, close, fast, exponential(fast))
  const calm = smooth(state.slow, close, slow, exponential(slow))
  return quick === undefined || calm === undefined ? undefined : quick - calm
}
