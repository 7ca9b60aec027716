import { expect, test } from 'vitest'
import { isSlowRun, times } from '#test/properties/runs.ts'
import { killedBy } from './killed-by.ts'
import { mutants } from './mutants.ts'

for (const [index, mutant] of mutants.entries())
  test.runIf(isSlowRun && index < times(10, mutants.length))(
    `${mutant.id}: a test notices that the program ${mutant.does}`,
    async () => {
      expect(await killedBy(mutant)).toEqual(expect.any(String))
    },
  )
