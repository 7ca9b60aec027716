import { expect, test } from 'vitest'
import { seed, times } from '#test/properties/runs.ts'
import { differenceOf } from './agreement.ts'

/** So many strategies in a test, so that none takes long. */
const together = times(25, 25, 4)

const parts = Array.from({ length: times(300, 10_000, 4) / together }, (_, index) => seed + index * together)

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

test.each(parts)(
  'the same where rules read signals that come and become stale, from seed %d on',
  async (from) => {
    const differing: unknown[] = []
    for (let each = from; each < from + together; each++) {
      const difference = await differenceOf(each, { signals: true })
      if (difference) differing.push(difference)
    }
    expect(differing).toEqual([])
  },
)

test.each(parts)('the same where rules read futures, depth and trades, from seed %d on', async (from) => {
  const differing: unknown[] = []
  for (let each = from; each < from + together; each++) {
    const difference = await differenceOf(each, { futures: true })
    if (difference) differing.push(difference)
  }
  expect(differing).toEqual([])
})

test.each(parts)(
  'the same with files of order books and of listed futures, from seed %d on',
  async (from) => {
    const differing: unknown[] = []
    for (let each = from; each < from + together; each++) {
      const difference = await differenceOf(each, { futures: true, files: true })
      if (difference) differing.push(difference)
    }
    expect(differing).toEqual([])
  },
)

test.each(parts)('the same where a loop chooses among its markets, from seed %d on', async (from) => {
  const differing: unknown[] = []
  for (let each = from; each < from + together; each++) {
    const difference = await differenceOf(each, { loops: true })
    if (difference) differing.push(difference)
  }
  expect(differing).toEqual([])
})

test.each(parts)('the same where sizes and ladders follow fills, from seed %d on', async (from) => {
  const differing: unknown[] = []
  for (let each = from; each < from + together; each++) {
    const difference = await differenceOf(each, { sizes: true })
    if (difference) differing.push(difference)
  }
  expect(differing).toEqual([])
})

test.each(parts)(
  'the same where limits and sizes are shares of the equity, from seed %d on',
  async (from) => {
    const differing: unknown[] = []
    for (let each = from; each < from + together; each++) {
      const difference = await differenceOf(each, { shares: true })
      if (difference) differing.push(difference)
    }
    expect(differing).toEqual([])
  },
)

test.each(parts)('the same where stops rest at the venue, from seed %d on', async (from) => {
  const differing: unknown[] = []
  for (let each = from; each < from + together; each++) {
    const difference = await differenceOf(each, { stops: true })
    if (difference) differing.push(difference)
  }
  expect(differing).toEqual([])
})

test.each(parts)('the same where quotes are amended, from seed %d on', async (from) => {
  const differing: unknown[] = []
  for (let each = from; each < from + together; each++) {
    const difference = await differenceOf(each, { amends: true })
    if (difference) differing.push(difference)
  }
  expect(differing).toEqual([])
})

test('an entry that the loss of the day blocks is sent when the price has recovered', async () => {
  expect(await differenceOf(962_884)).toBeUndefined()
})

test.each([961_567, 437_154_603])(
  'what a quote of a book changes at a whole second is evaluated again with the tick of that second: seed %d',
  async (from) => {
    expect(await differenceOf(from)).toBeUndefined()
  },
)

test.each([961_095, 961_849])(
  'a result counts the prices of one moment, however long ago the last quote of the other market was: seed %d',
  async (from) => {
    expect(await differenceOf(from)).toBeUndefined()
  },
)

test.each([20_264_590, 20_267_399])(
  'a candle becomes stale in a jump, too, if the gap of its file ends where the backtest begins: seed %d',
  async (from) => {
    expect(await differenceOf(from)).toBeUndefined()
  },
)

test.each([900_293, 900_900, 901_375, 990_257])(
  'a strategy that reads a book sees the same prices in a jump: seed %d',
  async (from) => {
    expect(await differenceOf(from)).toBeUndefined()
  },
)

test.each([20_261_277, 20_261_344])(
  'the reason of a ladder that is not placed does not depend on when it was found: seed %d',
  async (from) => {
    expect(await differenceOf(from)).toBeUndefined()
  },
)

test('a jump replaces a young order at the second at which it is as old as min_life: seed 5491', async () => {
  expect(await differenceOf(5491, { signals: true })).toBeUndefined()
})

test('an account that has changed unseen is read before the next event: seed 980218', async () => {
  expect(await differenceOf(980_218)).toBeUndefined()
})

test('windows of trades become empty after the last trade of a file: seed 20261818', async () => {
  expect(await differenceOf(20_261_818, { futures: true })).toBeUndefined()
})
