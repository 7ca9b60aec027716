import { createHash } from 'node:crypto'
import { seconds } from '#src/exchange/time-units.ts'

/** The mining history of the paper world: a function of the worker and the time, so it needs no memory. */
const intervalSeconds = { '5m': 300, '1h': 3600, '24h': 86_400 } as const
export type Interval = keyof typeof intervalSeconds
/** A chart never has more; of a longer range the newest points are told. */
const pointsMax = 10_000

/** Thousandths of TH/s: within five percent of the worker's rate, a different draw every five minutes. */
export function hashrateAt(worker: string, rate: number, time: number): number {
  const noise = createHash('sha256').update(`${worker} ${time}`).digest().readUInt16BE(0) % 101
  return rate * 1000 + Math.floor((rate * 1000 * (noise - 50)) / 1000)
}

/** The moments of a chart, on whole intervals, from the start of the records on. */
export function pointsBetween(beginsAtMs: number, from: number, to: number, interval: Interval): number[] {
  const step = intervalSeconds[interval]
  const earliest = Math.max(from, seconds(beginsAtMs), to - (pointsMax - 1) * step)
  const first = Math.ceil(earliest / step) * step
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / step) + 1) },
    (_, index) => first + index * step,
  )
}

/** The last moment of the finest chart. */
export function newestPoint(now: number): number {
  return now - (now % intervalSeconds['5m'])
}
