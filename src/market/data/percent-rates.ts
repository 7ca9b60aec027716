import { badMarket } from './market-file-error.ts'

/** Rates are in 10^-8. No market has ever paid a tenth of a position at once: such a rate is a percentage. */
const rateMost = 10_000_000
/** A rate of 300 percent a year, three times a day, is normal in no market; 0.01 is normal for percentages. */
const usualMost = 300_000
const unitsPerPercent = 1e6

export function refusePercent(path: string, rate: number, line: number): void {
  if (!(Math.abs(rate) >= rateMost)) return
  const percent = `${rate / unitsPerPercent} % of a position at once`
  throw badMarket(
    path,
    `is a rate of ${percent}`,
    'Write shares: 0.0001 is 0.01 %; divide percent by 100',
    line,
  )
}

/** A note if the rates of a file may be percentages, although each of them could be a share. */
export function percentNotes(rates: readonly number[]): string[] {
  const usual = Float64Array.from(rates, Math.abs).sort()[rates.length >> 1] ?? 0
  if (usual < usualMost) return []
  const percent = usual / unitsPerPercent
  return [
    `Half of its rates are ${percent} % of a position or more. If they are percent, divide them by 100.`,
  ]
}
