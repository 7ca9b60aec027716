import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BacktestOutcome } from './backtests.ts'

/** By which version: what an earlier one has recorded is never changed, only declared to be otherwise now. */
const version = '0.3.2'

export function recordedPath(name: string): string {
  return fileURLToPath(new URL(`recorded/${version}/${name}`, import.meta.url))
}

export function recordedOutcomes(): Map<string, BacktestOutcome> {
  const lines = readFileSync(recordedPath('backtests.ndjson'), 'utf8').trimEnd().split('\n')
  return new Map(
    lines.map((line) => {
      const { name, ...outcome } = JSON.parse(line)
      return [name, outcome]
    }),
  )
}
