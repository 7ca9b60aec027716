import { createHash } from 'node:crypto'
import { seconds } from '#src/exchange/time-units.ts'

/** The mining history of the simulated workers. It is a function of the worker and the time, so it is not stored. */
const intervalSeconds = { '5m': 300, '1h': 3600, '24h': 86_400 } as const
export type Interval = keyof typeof intervalSeconds
/** Most points in a chart. Of a longer range the exchange returns the newest points. */
const pointsMax = 10_000

/** In thousandths of TH/s: within five percent of the worker's rate, drawn anew every five minutes. */
export function hashrateAt(worker: string, rate: number, time: number): number {
  const noise = createHash('sha256').update(`${worker} ${time}`).digest().readUInt16BE(0) % 101
  return rate * 1000 + Math.floor((rate * 1000 * (noise - 50)) / 1000)
}

/** The times of a chart's points: whole intervals, none before the start of the records. */
export function pointsBetween(beginsAtMs: number, from: number, to: number, interval: Interval): number[] {
  const step = intervalSeconds[interval]
  const earliest = Math.max(from, seconds(beginsAtMs), to - (pointsMax - 1) * step)
  const first = Math.ceil(earliest / step) * step
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / step) + 1) },
    (_, index) => first + index * step,
  )
}
