import { z } from 'zod'

export const grid = 'strategies/01-static-grid.yaml'
export const vary = [
  '--vary',
  'ladder.grid.size.total=1000 quote,2000 quote',
  '--vary',
  'ladder.grid.levels=11,21,201',
]

/** The last line of `rungs sweep --json`. */
export const lastLine = z.object({
  rankedBy: z.string(),
  backtests: z.int(),
  steps: z.array(
    z.looseObject({
      best: z.record(z.string(), z.string()),
      learn: z.object({ from: z.int(), to: z.int() }),
      prove: z.object({ from: z.int(), to: z.int() }),
      luck: z.unknown().optional(),
      monteCarlo: z.unknown().optional(),
    }),
  ),
})

/** The output without the duration. */
export const told = (stdout: string) => stdout.replace(/"elapsedMs":\d+/, '')
