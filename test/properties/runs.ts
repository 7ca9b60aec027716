/**
 * The effort of the seeded tests. `npm test` and `npm run programs` repeat the same few cases every time; `npm run slow`
 * runs more of them (RUNGS_EFFORT) and others (RUNGS_SEED). Full effort is meant to take two cores 80 minutes: each run has new
 * cases, so runs that end find more defects than a longer one that is stopped. An effort above 1 does more. fast-check prints
 * its seed and the path to the smallest failing case.
 */
const effort = Number(process.env['RUNGS_EFFORT'] ?? 0)
export const seed = Number(process.env['RUNGS_SEED'] ?? 20_261_120)

/** `npm run slow`, with any effort: `npm test` leaves out slow tests. */
export const isSlowRun = effort > 0

/** `few` in `npm test`; in a slow run at least `usual`, and `most` with full effort. */
export function times(usual: number, most: number, few = usual): number {
  return isSlowRun ? Math.max(usual, Math.round(most * effort)) : few
}

/** Parameters of `fc.assert`; a sixth of the usual cases in `npm test`. */
export function runs(
  usual: number,
  most: number,
  few = Math.ceil(usual / 6),
): { seed: number; numRuns: number } {
  return { seed, numRuns: times(usual, most, few) }
}
