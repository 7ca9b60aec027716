import { expect, test } from 'vitest'
import { ManualClock } from '#src/core/time/clock.ts'
import { polledFeeds } from '#src/runtime/feeds/polled-feeds.ts'
import type { TradesWanted } from '#src/runtime/feeds/trades-source.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { PublicTrade, ReadResult } from '#src/venue/port.ts'

const market = 'BTC_PERP'
const begin = 1_790_000_000_000
const missing =
  'trades of BTC_PERP are missing: the list no longer has the last known trade. Windows are unknown until they contain no gap'

/** A trade in so many seconds from the start. */
const trade = (id: number, seconds: number, about: Partial<PublicTrade> = {}): PublicTrade => {
  return { id, second: begin + seconds * 1000, price: '60000', amount: '0.1', side: 'buy', ...about }
}

/** Polls of the trades of one market, which has these ones now, and what they told. */
function polled(wanted: Partial<TradesWanted> = {}) {
  const clock = new ManualClock(begin)
  const told: NewEvent[] = []
  const venue: { trades: PublicTrade[]; answer?: ReadResult<readonly PublicTrade[]> } = { trades: [] }
  const [poll] = polledFeeds(
    { futures: [], depth: [], trades: [{ market, byPrice: false, last: undefined, ...wanted }] },
    {
      market: {
        futures: async () => ({ kind: 'failed', reason: 'the test reads no futures' }),
        orderBook: async () => ({ kind: 'failed', reason: 'the test reads no order book' }),
        async trades(name) {
          expect(name).toBe(market)
          return venue.answer ?? { kind: 'read', value: venue.trades.toReversed().slice(0, 5) }
        },
      },
      venueClock: new VenueClock(clock, 1, clock.now()),
      tell: (event) => void told.push(event),
    },
  )
  if (!poll) throw new Error('one market is one poll')
  const after = async (ms: number, ...trades: PublicTrade[]) => {
    venue.trades.push(...trades)
    clock.advance(ms)
    return poll.poll(clock.monotonic())
  }
  return { told, after, venue }
}

const of = (at: number) => (at - begin) / 1000

/** An event, with its times in seconds from the start. */
function shortOf(event: NewEvent | undefined) {
  if (event?.kind !== 'trades') throw new Error('no event of trades')
  const { from, until, lastId, seconds } = event
  const rows = seconds.map((each): unknown[] => {
    const own: unknown[] = each.rows.map((row) => Object.values(row))
    own.unshift(of(each.second))
    return own
  })
  return [of(from), of(until), lastId, rows]
}

test('each trade counts once, in its second, when the second is complete', async () => {
  const { told, after } = polled()
  expect(await after(0, trade(6, -3))).toBeUndefined()
  expect(await after(1300, trade(7, 0), trade(8, 0, { amount: '0.2' }), trade(9, 1))).toBeUndefined()
  await after(900, trade(12, 1, { side: 'sell' }), trade(13, 2))
  await after(900)
  expect(told.map(shortOf)).toEqual([
    [-2, 0, 6, []],
    [0, 1, 8, [[0, [null, '0.3', '0', 2]]]],
    [1, 2, 12, [[1, [null, '0.1', '0.1', 2]]]],
    [2, 3, 13, [[2, [null, '0.1', '0', 1]]]],
  ])
})

test('from a market without trades on, the trades are known from the second after the first one', async () => {
  const { told, after } = polled()
  expect(await after(0)).toBeUndefined()
  expect(await after(3000, trade(1, 0), trade(2, 1))).toBeUndefined()
  expect(told.map(shortOf)).toEqual([
    [0, 0, null, []],
    [1, 3, 2, [[1, [null, '0.1', '0', 1]]]],
  ])
})

test('with prices, the trades of a second are summed for each price, to the last digit', async () => {
  const { told, after } = polled({ byPrice: true, last: { until: begin - 1000, lastId: 1 } })
  const small = { amount: '0.000000000000000001', price: '60000.5' }
  await after(
    0,
    trade(1, -2),
    trade(2, -1, small),
    trade(3, -1, { amount: '1', side: 'sell' }),
    trade(4, -1, small),
  )
  expect(told.map(shortOf)).toEqual([
    [-1, 0, 4, [[-1, ['60000.5', '0.000000000000000002', '0', 2], ['60000', '0', '1', 1]]]],
  ])
})

test('a list that does not reach back to the last known trade is a gap, and the alert says so once', async () => {
  const { told, after } = polled({ last: { until: begin - 4000, lastId: 1 } })
  const many = Array.from({ length: 6 }, (_, index) => trade(2 + index, -3 + Math.floor(index / 2)))
  expect(await after(0, trade(1, -9), ...many)).toBe(missing)
  // The second of the oldest trade in the list may have had more.
  expect(told.map(shortOf)).toEqual([
    [
      -2,
      0,
      7,
      [
        [-2, [null, '0.2', '0', 2]],
        [-1, [null, '0.2', '0', 2]],
      ],
    ],
  ])
  expect(await after(1000, ...Array.from({ length: 6 }, (_, index) => trade(20 + index, 0)))).toBeUndefined()
  expect(shortOf(told[1])).toEqual([1, 1, 25, []])
  expect(await after(1000)).toBeUndefined()
  expect(shortOf(told[2])).toEqual([1, 2, 25, []])
})

test('a process goes on where the one before ended, if the list still has its last trade', async () => {
  const last = { until: begin - 60_000, lastId: 3 }
  const { told, after } = polled({ last })
  expect(await after(0, trade(3, -61), trade(4, -30), trade(5, -2))).toBeUndefined()
  expect(shortOf(told[0])).toEqual([
    -60,
    0,
    5,
    [
      [-30, [null, '0.1', '0', 1]],
      [-2, [null, '0.1', '0', 1]],
    ],
  ])
})

test('numbers that begin anew are another list: nothing of it is dropped as known', async () => {
  const { told, after } = polled({ last: { until: begin - 5000, lastId: 900 } })
  expect(await after(0, trade(1, -4), trade(2, -3))).toBe(missing)
  expect(shortOf(told[0])).toEqual([-3, 0, 2, [[-3, [null, '0.1', '0', 1]]]])
})

test('a list that was not received is no gap, if the next one reaches back', async () => {
  const { told, after, venue } = polled({ last: { until: begin, lastId: 1 } })
  venue.answer = { kind: 'failed', reason: 'no answer' }
  expect(await after(1000, trade(1, -1), trade(2, 0))).toBe(
    'the list of trades of BTC_PERP was not received: no answer',
  )
  delete venue.answer
  expect(await after(1000, trade(3, 1))).toBeUndefined()
  expect(told.map(shortOf)).toEqual([
    [
      0,
      2,
      3,
      [
        [0, [null, '0.1', '0', 1]],
        [1, [null, '0.1', '0', 1]],
      ],
    ],
  ])
})
