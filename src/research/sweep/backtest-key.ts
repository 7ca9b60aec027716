import { hash } from 'node:crypto'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import type { PathDraw } from './luck/resampled-market.ts'
import type { SweepPeriod } from './plan.ts'

/** What the backtests of a sweep have in common. The hashes of files are by symbol. */
export type SweepSubject = {
  engine: string
  markets: readonly (readonly [string, string])[]
  funding: readonly (readonly [string, string])[]
  setting: Omit<
    BacktestInput,
    'strategies' | 'markets' | 'funding' | 'futures' | 'depth' | 'signals' | 'from' | 'to'
  >
  /** Hash of the rows. */
  signals?: string
  futures?: readonly (readonly [string, string])[]
  depth?: readonly (readonly [string, string])[]
}

/** Names a backtest by all that its result depends on, so that results of other sweeps can be used. */
export type KeyOf = (text: string, period: SweepPeriod, draw?: PathDraw) => string

export function keysOf(subject: SweepSubject): KeyOf {
  const common = JSON.stringify(subject)
  return (text, { from, to }, draw) =>
    hash('sha256', JSON.stringify([common, text, from, to, ...(draw ? [draw] : [])]))
}
