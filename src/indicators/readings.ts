import type { Candle, Indicator } from './indicator.ts'
import { indicators, type IndicatorName } from './table.ts'

/** One indicator that somebody reads: `ema 20`. */
export type Wanted = { name: IndicatorName; parameters: readonly number[] }

type Reading = Wanted & { state: unknown; now: number | null; before: number | null }

/** All that is known of the candles of one feed: plain data, to be stored as it is. */
export type Readings = {
  now: Candle | null
  before: Candle | null
  running: Record<string, Reading>
}

export function keyOf(name: IndicatorName, parameters: readonly number[]): string {
  return `${name} ${parameters.join(' ')}`
}

export function beginReadings(wanted: readonly Wanted[]): Readings {
  const running: Record<string, Reading> = {}
  for (const { name, parameters } of wanted) {
    const state = indicators[name].begin(parameters)
    running[keyOf(name, parameters)] = { name, parameters, state, now: null, before: null }
  }
  return { now: null, before: null, running }
}

/** A candle that has closed. */
export function addCandle(readings: Readings, candle: Candle): void {
  readings.before = readings.now
  readings.now = candle
  for (const reading of Object.values(readings.running)) {
    reading.before = reading.now
    const indicator: Indicator = indicators[reading.name]
    reading.now = indicator.add(reading.state, candle, reading.parameters) ?? null
  }
}
