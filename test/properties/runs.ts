/**
 * How much the seeded tests do. `npm test` repeats the same cases every time; `npm run slow` asks for more of
 * them (RUNGS_EFFORT, 1 for all) and for others (RUNGS_SEED). fast-check prints its seed and the path to the
 * smallest failing case.
 */
const effort = Number(process.env['RUNGS_EFFORT'] ?? 0)
export const seed = Number(process.env['RUNGS_SEED'] ?? 20_261_120)

/** So many in `npm test`, up to `most` in the slow run. */
export function times(usual: number, most: number): number {
  return Math.max(usual, Math.round(most * effort))
}

/** Parameters of `fc.assert`. */
export function runs(usual: number, most: number): { seed: number; numRuns: number } {
  return { seed, numRuns: times(usual, most) }
}
