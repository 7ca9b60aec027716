/**
 * How much the seeded tests do. `npm test` repeats the same cases every time; `node test/fuzz/slow.ts` asks for
 * more of them, and RUNGS_SEED for others. fast-check prints its seed and the path to the smallest failing case.
 */
export const slow = process.env['RUNGS_SLOW'] === '1'
export const seed = Number(process.env['RUNGS_SEED'] ?? 20_261_120)

/** Parameters of `fc.assert`: so many runs, or so many in the slow run. */
export function runs(quick: number, many: number): { seed: number; numRuns: number } {
  return { seed, numRuns: slow ? many : quick }
}
