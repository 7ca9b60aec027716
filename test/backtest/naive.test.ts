import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { actingInput, actors } from './acting.ts'
import { everywhere, played } from './watching.ts'

describe.each(actors)('%s', (name) => {
  test.each([2, 3])(
    'does nothing else when somebody looks at every point and every second, in market %d',
    async (seed) => {
      const leaping = await played(actingInput(name, seed))
      const watching = await played(actingInput(name, seed), everywhere)
      expect(leaping.result.summary.fills).toBeGreaterThan(0)
      // The first that differs says more than all of them.
      const other = watching.sent.findIndex((each, index) => !isDeepStrictEqual(each, leaping.sent[index]))
      expect(watching.sent[other]).toEqual(leaping.sent[other])
      expect(watching.sent).toHaveLength(leaping.sent.length)
      expect(watching.result).toEqual(leaping.result)
    },
    120_000,
  )
})
