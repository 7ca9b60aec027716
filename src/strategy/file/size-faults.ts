import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { StrategyFault } from './strategy-fault.ts'

const levelsMax = 10_000
const testsLevelsMax = 50_000

/** Limits on the size: a running bot compiles all ladders when the file changes, and decides nothing meanwhile. */
export function* sizeFaults({ ladder, tests }: Strategy): Generator<StrategyFault, void, undefined> {
  const names = Object.keys(ladder)
  const levels = (some: readonly string[]) => some.reduce((sum, name) => sum + (ladder[name]?.levels ?? 0), 0)
  if (levels(names) > levelsMax) {
    const message = `all ladders together have ${levels(names)} levels, more than ${levelsMax}`
    const from = names.map((name) => ['ladder', name, 'levels'])
    yield { path: ['ladder'], from, message, hint: 'distribute them over several strategies' }
  }
  const tested = tests.reduce((sum, { expect }) => sum + levels(Object.keys(expect.rungs)), 0)
  if (tested <= testsLevelsMax) return
  const message = `the tests compute ${tested} levels, more than ${testsLevelsMax}`
  yield { path: ['tests'], message, hint: 'test fewer ladders, or ladders with fewer levels' }
}
