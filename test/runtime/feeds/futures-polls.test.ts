import { expect, test } from 'vitest'
import type { FuturesValues } from '#src/engine/futures-event.ts'
import { polledFeeds } from '#src/runtime/feeds/polled-feeds.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { MarketReads } from '#src/venue/port.ts'

const values: FuturesValues = { funding: 0.0001, fundingAt: 1, mark: 2, index: 3, openInterest: 4 }

type Answer = Awaited<ReturnType<MarketReads['futures']>>

/** Polls at a time of the venue; each read takes the next answer, and waits while there is none. */
function polling(markets: readonly string[]) {
  const told: NewEvent[] = []
  const waiting: ((answer: Answer) => void)[] = []
  let now = 100_000
  const [polls] = polledFeeds(
    { futures: markets, depth: [], trades: [] },
    {
      market: {
        futures: () => new Promise((resolve) => waiting.push(resolve)),
        orderBook: async () => ({ kind: 'denied', reason: 'no feed of depth' }),
        trades: async () => ({ kind: 'denied', reason: 'no feed of trades' }),
      },
      venueClock: { now: () => now },
      tell: (event) => told.push(event),
    },
  )
  return {
    told,
    polls,
    pending: () => waiting.length,
    answer: (answer: Answer) => waiting.shift()?.(answer),
    /** Venue and local time pass. */
    poll: (venueMs: number, monotonic: number) => {
      now += venueMs
      return polls?.poll(monotonic)
    },
  }
}

const read = (...markets: string[]): Answer => {
  return { kind: 'read', value: new Map(markets.map((market) => [market, values])) }
}

test('the list is read once in ten seconds of the venue, and the engine receives only wanted markets', async () => {
  const { told, poll, pending, answer } = polling(['BTC_PERP'])
  const first = poll(0, 0)
  // A pending read is not repeated.
  expect(await poll(10_000, 10_000)).toBeUndefined()
  expect(pending()).toBe(1)
  answer(read('ETH_PERP', 'BTC_PERP'))
  expect(await first).toBeUndefined()
  expect(told).toEqual([{ kind: 'futures', market: 'BTC_PERP', ...values }])
  // The interval of that read was the one before.
  void poll(0, 11_000)
  expect(pending()).toBe(1)
  answer(read('BTC_PERP'))
  await Promise.resolve()
  await poll(9999, 20_999)
  expect(pending()).toBe(0)
  void poll(1, 21_000)
  expect(pending()).toBe(1)
})

test('a fast exchange is read once in a second of this machine', async () => {
  const { poll, pending, answer } = polling(['BTC_PERP'])
  const first = poll(0, 0)
  answer(read('BTC_PERP'))
  await first
  await poll(60_000, 999)
  expect(pending()).toBe(0)
  void poll(0, 1000)
  expect(pending()).toBe(1)
})

test('without a feed of futures nothing is read', async () => {
  const { poll, pending } = polling([])
  await poll(0, 0)
  expect(pending()).toBe(0)
})

test('a failure is reported once, and the list is read again after a second, and so is a market that is not listed', async () => {
  const { told, poll, answer } = polling(['BTC_PERP', 'BTC_USDT'])
  const said: unknown[] = []
  const answers: Answer[] = [
    { kind: 'failed', reason: 'no answer' },
    { kind: 'failed', reason: 'no answer' },
    read('BTC_PERP'),
  ]
  for (const [index, each] of answers.entries()) {
    const polled = poll(1000, index * 1000)
    answer(each)
    said.push(await polled)
  }
  expect(said).toEqual([
    'the list of futures was not received: no answer',
    undefined,
    'the venue lists no futures of BTC_USDT',
  ])
  expect(told).toHaveLength(1)
})

test('after a pause of the process, the answer to a read from before it does not count', async () => {
  const { told, polls, poll, pending, answer } = polling(['BTC_PERP'])
  const before = poll(0, 0)
  polls?.forget()
  const after = poll(0, 1)
  expect(pending()).toBe(2)
  answer(read('BTC_PERP'))
  expect(await before).toBeUndefined()
  expect(told).toEqual([])
  answer(read('BTC_PERP'))
  await after
  expect(told).toHaveLength(1)
})
