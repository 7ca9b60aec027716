import { expect, test } from 'vitest'
import { seed, times } from '#test/properties/runs.ts'
import { differenceOf } from './agreement.ts'

/** So many strategies in a test, so that none takes long. */
const together = times(25, 25, 12)

const parts = Array.from({ length: times(300, 10_000, 12) / together }, (_, index) => seed + index * together)

test.each(parts)(
  'a jump decides what a walk decides, for random strategies from seed %d on',
  async (from) => {
    const differing: unknown[] = []
    for (let each = from; each < from + together; each++) {
      const difference = await differenceOf(each)
      if (difference) differing.push(difference)
    }
    expect(differing).toEqual([])
  },
)
