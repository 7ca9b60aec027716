/**
 * Runs the suite of each mutant against the program with this defect, and lists those that no test has noticed.
 *
 *   npm run mutants             all of them
 *   npm run mutants m01 m19     these
 */
import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'
import { runApart } from './run-apart.ts'

/** A suite that does not come to its end has noticed the defect, too. */
const hangsMs = 180_000
/** A test that waits so long for a condition waits for ever. */
const pollMs = 40_000
const wanted = process.argv.slice(2)
const chosen = wanted.length === 0 ? mutants : mutants.filter(({ id }) => wanted.includes(id))
if (chosen.length < wanted.length) throw new Error(`no such mutant among ${wanted.join(', ')}`)

let killed = 0
for (const mutant of chosen) {
  const { id, suite, does } = mutant
  const began = performance.now()
  const by = await killedBy(mutant)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const tried = suite === 'simulate' ? 'rungs simulate' : suite.join(' ')
  const word = by === undefined ? 'ALIVE ' : 'killed'
  process.stdout.write(`${word} ${id} in ${seconds} s by ${by ?? tried}: ${does}\n`)
  if (by !== undefined) killed += 1
}
process.stdout.write(`${killed} of ${chosen.length} mutants killed\n`)
process.exitCode = killed === chosen.length ? 0 : 1

/** The seed or the test that fails: a file that cannot be loaded proves nothing. Undefined where none does. */
async function killedBy({ id, suite }: Mutant): Promise<string | undefined> {
  const isSimulated = suite === 'simulate'
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'config/tools/vitest.config.ts']
  const words = isSimulated
    ? ['--import', './test/mutants/mutate.ts', 'test/simulate/planted.ts']
    : [...vitest, '--bail', '1', `--expect.poll.timeout=${pollMs}`, ...suite]
  const { output, isHanging } = await runApart(words, { hangsMs, env: { RUNGS_MUTANT: id } })
  if (isHanging) return 'a test without end'
  const found = (isSimulated ? /^(seed \d+): (I\d+): /m : /^ FAIL {2}(\S+) > (.+)$/m).exec(output)
  return found ? `${found[1]} (${found[2]})` : undefined
}
