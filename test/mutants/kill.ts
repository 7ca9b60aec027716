/**
 * Runs the suite of each mutant against the program with this defect, and lists those that no test has noticed.
 *
 *   npm run mutants             all of them
 *   npm run mutants m01 m19     these
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { mutants, type Mutant } from './mutants.ts'

/** A suite that does not come to its end has noticed the defect, too. */
const hangsMs = 180_000
const root = fileURLToPath(new URL('../..', import.meta.url))
const wanted = process.argv.slice(2)
const chosen = wanted.length === 0 ? mutants : mutants.filter(({ id }) => wanted.includes(id))
if (chosen.length < wanted.length) throw new Error(`no such mutant among ${wanted.join(', ')}`)

const survivors = chosen.filter((mutant) => {
  const [killed, seconds] = killedBy(mutant)
  const by = mutant.suite === 'simulate' ? 'rungs simulate' : mutant.suite.join(' ')
  process.stdout.write(
    `${killed ? 'killed' : 'ALIVE '} ${mutant.id} in ${seconds} s by ${by}: ${mutant.does}\n`,
  )
  return !killed
})
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} mutants killed\n`)
process.exitCode = survivors.length === 0 ? 0 : 1

/** Whether its suite fails, and with a complaint of a test: a file that cannot be loaded proves nothing. */
function killedBy({ id, suite }: Mutant): [boolean, string] {
  const began = performance.now()
  const words =
    suite === 'simulate'
      ? ['--import', './test/mutants/mutate.ts', 'test/simulate/planted.ts']
      : [
          'node_modules/vitest/vitest.mjs',
          'run',
          '--config',
          'config/tools/vitest.config.ts',
          '--bail',
          '1',
          ...suite,
        ]
  const { stdout, stderr, signal } = spawnSync(process.execPath, words, {
    cwd: root,
    env: { ...process.env, RUNGS_MUTANT: id, NO_COLOR: '1' },
    encoding: 'utf8',
    timeout: hangsMs,
  })
  const output = `${stdout}${stderr}`
  const isFound = suite === 'simulate' ? /^I\d+: /m.test(stdout) : /Tests .*\d+ failed/.test(output)
  const killed = isFound || signal !== null
  return [killed, ((performance.now() - began) / 1000).toFixed(1)]
}
