import { describe, expect, test } from 'vitest'
import { seed, times } from '#test/properties/runs.ts'
import { differenceOf } from './agreement.ts'

/** So many strategies in a test, so that none takes long. */
const together = times(25, 25, 17)

/** Of each of nine kinds: 306 strategies in `npm test`, ten thousand at full effort. */
const parts = Array.from({ length: times(300, 1125, 34) / together }, (_, index) => seed + index * together)

describe.each<[kind: string, parts?: Parameters<typeof differenceOf>[1]]>([
  ['random strategies'],
  ['rules that read signals that come and become stale', { signals: true }],
  ['rules that read futures, depth and trades', { futures: true }],
  ['files of order books and of listed futures', { futures: true, files: true }],
  ['a loop that chooses among its markets', { loops: true }],
  ['sizes and ladders that follow fills', { sizes: true }],
  ['limits and sizes that are shares of the equity', { shares: true }],
  ['stops that rest at the venue', { stops: true }],
  ['quotes that are amended', { amends: true }],
])('%s', (_, about) => {
  test.each(parts)('a jump decides what a walk decides, from seed %d on', async (from) => {
    const differing: unknown[] = []
    for (let each = from; each < from + together; each++) {
      const difference = await differenceOf(each, about)
      if (difference) differing.push(difference)
    }
    expect(differing).toEqual([])
  })
})

/** Seeds that have found a defect; `npm test` tries one of each kind. */
const known: [rule: string, seeds: readonly number[], about?: Parameters<typeof differenceOf>[1]][] = [
  ['an entry that the loss of the day blocks is sent when the price has recovered', [962_884]],
  [
    'what a quote of a book changes at a whole second is evaluated again with the tick of that second',
    [961_567, 437_154_603],
  ],
  [
    'a result counts the prices of one moment, however long ago the last quote of the other market was',
    [961_095, 961_849],
  ],
  [
    'a candle becomes stale in a jump, too, if the gap of its file ends where the backtest begins',
    [20_264_590, 20_267_399],
  ],
  ['a strategy that reads a book sees the same prices in a jump', [900_293, 900_900, 901_375, 990_257]],
  [
    'the reason of a ladder that is not placed does not depend on when it was found',
    [20_261_277, 20_261_344],
  ],
  [
    'a jump replaces a young order at the second at which it is as old as min_life',
    [5491],
    { signals: true },
  ],
  ['an account that has changed unseen is read before the next event', [980_218]],
  [
    'after post_for, immediate orders leave with a tick, also if a trailing stop has moved since the last one',
    [36_825],
    { futures: true },
  ],
  [
    'a share to close that waits for a refused exit is sent once the price has moved away from the exit',
    [26_767_533],
  ],
  ['windows of trades become empty after the last trade of a file', [20_261_818], { futures: true }],
]

test.each(
  known.flatMap(([rule, seeds, about]) =>
    seeds.slice(0, times(seeds.length, seeds.length, 1)).map((each) => [rule, each, about] as const),
  ),
)('%s: seed %d', async (_, each, about) => {
  expect(await differenceOf(each, about)).toBeUndefined()
})
