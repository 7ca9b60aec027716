import type { Candle } from '#src/market/candles/candle.ts'
import type { Indicator } from './indicator.ts'
import { indicators, type IndicatorName } from './indicator-table.ts'

/** An indicator that an expression reads: `ema 20`. */
export type Wanted = { name: IndicatorName; parameters: readonly number[] }

type Reading = Wanted & { state: unknown; now: number | null; past: (number | null)[] }

/** The indicators and candles of one feed: plain data, stored unchanged. */
export type Readings = {
  now: Candle | null
  /** The earlier candles, the latest last, and the earlier values of each indicator: at most `depth`. */
  past: Candle[]
  depth: number
  running: Record<string, Reading>
}

export function keyOf(name: IndicatorName, parameters: readonly number[]): string {
  // Runs for every reading, and nearly always with one parameter.
  return parameters.length === 1 ? `${name} ${parameters[0]}` : `${name} ${parameters.join(' ')}`
}

/** `depth` is the number of candles that expressions look back. */
export function beginReadings(wanted: readonly Wanted[], depth = 1): Readings {
  const running: Record<string, Reading> = {}
  for (const { name, parameters } of wanted) {
    const state = indicators[name].begin(parameters)
    running[keyOf(name, parameters)] = { name, parameters, state, now: null, past: [] }
  }
  return { now: null, past: [], depth, running }
}

/** Adds a closed candle. */
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
