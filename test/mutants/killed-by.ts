import type { Mutant } from './mutant.ts'
import { runApart } from './run-apart.ts'

/** A suite that does not come to its end has noticed the defect, too. */
const hangsMs = 180_000
/** A test that waits so long for a condition waits for ever. */
const pollMs = 40_000

/** The seed or the test that fails: a file that cannot be loaded proves nothing. Undefined where none does. */
export async function killedBy({ id, suite }: Mutant): Promise<string | undefined> {
  const isSimulated = typeof suite === 'string'
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'config/tools/vitest.config.ts']
  const words = isSimulated
    ? ['--import', './test/mutants/mutate.ts', 'test/research/simulate/planted.ts', suite]
    : [...vitest, '--bail', '1', `--expect.poll.timeout=${pollMs}`, ...suite]
  const { output, isHanging } = await runApart(words, {
    hangsMs,
    // The few cases that `npm test` repeats must notice the defect; those of a new seed may not reach it.
    env: { RUNGS_MUTANT: id, RUNGS_EFFORT: '0', RUNGS_SEED: undefined },
  })
  if (isHanging) return 'a test without end'
  const found = (isSimulated ? /^(seed \d+): (I\d+): /m : /^ FAIL {2}(\S+) > (.+)$/m).exec(output)
  return found ? `${found[1]} (${found[2]})` : undefined
}
