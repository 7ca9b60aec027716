import type { Candle, Indicator } from './indicator.ts'
import { indicators, type IndicatorName } from './indicator-table.ts'

/** One indicator that somebody reads: `ema 20`. */
export type Wanted = { name: IndicatorName; parameters: readonly number[] }

type Reading = Wanted & { state: unknown; now: number | null; past: (number | null)[] }

/** All that is known of the candles of one feed: plain data, to be stored as it is. */
export type Readings = {
  now: Candle | null
  /** The candles before it, the latest at the end, and likewise of each indicator: no more than `depth`. */
  past: Candle[]
  depth: number
  running: Record<string, Reading>
}

export function keyOf(name: IndicatorName, parameters: readonly number[]): string {
  // Asked with every reading, and nearly always of one number.
  return parameters.length === 1 ? `${name} ${parameters[0]}` : `${name} ${parameters.join(' ')}`
}

/** `depth` is how many candles back somebody looks. */
export function beginReadings(wanted: readonly Wanted[], depth = 1): Readings {
  const running: Record<string, Reading> = {}
  for (const { name, parameters } of wanted) {
    const state = indicators[name].begin(parameters)
    running[keyOf(name, parameters)] = { name, parameters, state, now: null, past: [] }
  }
  return { now: null, past: [], depth, running }
}

/** A candle that has closed. */
export function addCandle(readings: Readings, candle: Candle): void {
  const { depth } = readings
  const isFirst = readings.now === null
  if (readings.now) keep(readings.past, readings.now, depth)
  readings.now = candle
  for (const reading of Object.values(readings.running)) {
    if (!isFirst) keep(reading.past, reading.now, depth)
    const indicator: Indicator = indicators[reading.name]
    reading.now = indicator.add(reading.state, candle, reading.parameters) ?? null
  }
}

function keep<Value>(past: Value[], value: Value, depth: number): void {
  past.push(value)
  if (past.length > depth) past.shift()
}
