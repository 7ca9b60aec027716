import { expect, test } from 'vitest'
import { ManualClock } from '#src/core/time/clock.ts'
import { polledFeeds } from '#src/runtime/feeds/polled-feeds.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { BookLevels, ReadResult } from '#src/venue/port.ts'

const market = 'BTC_PERP'
const book: BookLevels = {
  bids: [
    ['100', '0.1'],
    ['99.9', '0.2'],
    ['99.8', '40'],
  ],
  asks: [
    ['100.2', '0.3'],
    ['100.3', '0.000000000000000001'],
    ['101.202', '5'],
    ['101.2021', '60'],
  ],
}

/** Polls of the depth of one market, and what they told. */
function polled(reaches: readonly (string | number)[], answer: () => Promise<ReadResult<BookLevels>>) {
  const clock = new ManualClock(1_790_000_000_000)
  const told: NewEvent[] = []
  let reads = 0
  const polls = polledFeeds(
    {
      futures: [],
      depth: [
        {
          market,
          reaches: reaches.map((each) => (typeof each === 'string' ? { within: each } : { levels: each })),
        },
      ],
      trades: [],
    },
    {
      market: {
        futures: async () => ({ kind: 'failed', reason: 'the test reads no futures' }),
        trades: async () => ({ kind: 'failed', reason: 'the test reads no trades' }),
        async orderBook(name) {
          expect(name).toBe(market)
          reads += 1
          return answer()
        },
      },
      venueClock: new VenueClock(clock, 1, clock.now()),
      tell: (event) => void told.push(event),
    },
  )
  const [poll] = polls
  if (!poll || polls.length > 1) throw new Error('one market is one poll')
  const after = async (ms: number) => {
    clock.advance(ms)
    return poll.poll(clock.monotonic())
  }
  return { told, after, poll, reads: () => reads }
}

test('each distance has an event with exact sums: prices at the distance count, and those behind it do not', async () => {
  const { told, after } = polled(['0.001', '0.01'], async () => ({ kind: 'read', value: book }))
  expect(await after(0)).toBeUndefined()
  const [bid, ask] = [
    { price: '100', amount: '0.1' },
    { price: '100.2', amount: '0.3' },
  ]
  expect(told).toEqual([
    {
      kind: 'depth',
      market,
      within: '0.001',
      bids: { ...bid, volume: '0.3' },
      asks: { ...ask, volume: '0.300000000000000001' },
    },
    {
      kind: 'depth',
      market,
      within: '0.01',
      bids: { ...bid, volume: '40.3' },
      asks: { ...ask, volume: '5.300000000000000001' },
    },
  ])
})

test('an empty side has no values', async () => {
  const { told, after } = polled(['0.1'], async () => ({ kind: 'read', value: { bids: [], asks: [] } }))
  await after(0)
  expect(told).toEqual([{ kind: 'depth', market, within: '0.1', bids: null, asks: null }])
})

test('the book is read once a second, and an error is reported once and tried again after a tenth', async () => {
  let fails = false
  const { after, reads, told } = polled(['0.1'], async () =>
    fails ? { kind: 'failed', reason: 'no line' } : { kind: 'read', value: book },
  )
  for (let quarter = 0; quarter < 8; quarter++) await after(250)
  expect(reads()).toBe(3)
  fails = true
  expect(await after(1000)).toBe('the order book of BTC_PERP was not received: no line')
  expect(await after(99)).toBeUndefined()
  expect(reads()).toBe(4)
  expect(await after(1)).toBeUndefined()
  expect(reads()).toBe(5)
  fails = false
  expect(told).toHaveLength(3)
  await after(100)
  expect(told).toHaveLength(4)
})

test('an answer that was pending during a pause of the process is dropped', async () => {
  const answers: ((answer: ReadResult<BookLevels>) => void)[] = []
  const { after, poll, told } = polled(['0.1'], () => new Promise((resolve) => void answers.push(resolve)))
  const pending = [after(0)]
  poll.forget()
  pending.push(after(0))
  for (const answer of answers) answer({ kind: 'read', value: book })
  await Promise.all(pending)
  expect(answers).toHaveLength(2)
  expect(told).toHaveLength(1)
})

test('a number of levels counts the best prices of each side, or all if there are fewer', async () => {
  const { told, after } = polled([2, 5], async () => ({ kind: 'read', value: book }))
  await after(0)
  expect(told).toEqual([
    {
      kind: 'depth',
      market,
      levels: 2,
      bids: { price: '100', amount: '0.1', volume: '0.3' },
      asks: { price: '100.2', amount: '0.3', volume: '0.300000000000000001' },
    },
    {
      kind: 'depth',
      market,
      levels: 5,
      bids: { price: '100', amount: '0.1', volume: '40.3' },
      asks: { price: '100.2', amount: '0.3', volume: '65.300000000000000001' },
    },
  ])
})
