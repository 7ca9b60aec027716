/**
 * Runs the suite of each mutant against the program with this defect, and lists those that no test has noticed.
 *
 *   npm run mutants             all of them
 *   npm run mutants m01 m19     these
 */
import { killedBy } from './killed-by.ts'
import { mutants } from './mutants.ts'

const wanted = process.argv.slice(2)
const chosen = wanted.length === 0 ? mutants : mutants.filter(({ id }) => wanted.includes(id))
if (chosen.length < wanted.length) throw new Error(`no such mutant among ${wanted.join(', ')}`)

let killed = 0
for (const mutant of chosen) {
  const { id, suite, does } = mutant
  const began = performance.now()
  const by = await killedBy(mutant)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const tried = typeof suite === 'string' ? `rungs simulate (${suite})` : suite.join(' ')
  const word = by === undefined ? 'ALIVE ' : 'killed'
  process.stdout.write(`${word} ${id} in ${seconds} s by ${by ?? tried}: ${does}\n`)
  if (by !== undefined) killed += 1
}
process.stdout.write(`${killed} of ${chosen.length} mutants killed\n`)
process.exitCode = killed === chosen.length ? 0 : 1
