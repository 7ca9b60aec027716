import { expect } from 'vitest'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { beyond } from '#test/venues/whitebit/contract/beyond/clause.ts'
import { asked, told, toldInside, trade } from './public-calls.ts'

const perp = { market: 'BTC_PERP' }
const beginsAt = 1_790_000_000
const hour = 3600
/** The full hour in which the world begins, and a full minute. */
const firstHour = beginsAt - (beginsAt % hour)
const firstMinute = beginsAt - (beginsAt % 60)

const flat = (start: number, price: string) => [start, price, price, price, price, '0', '0']

export const candles = [
  beyond('candles', 'a candle is open, close, high, low and both volumes, in this order', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    await trade(venue, { price: '61000', amount: '0.02' })
    await trade(venue, { price: '59000.5', amount: '0.01' })
    await trade(venue, { price: '60500', amount: '0.01' })
    const candle = [firstHour, '60000', '60500', '61000', '59000.5', '0.05', '3015.005']
    expect(await toldInside(venue, 'kline', perp)).toEqual([candle])
    expect(await done(venue.paper.kline({ ...perp, interval: '1h' }))).toEqual({
      success: true,
      message: null,
      result: [candle],
    })
    expect(await toldInside(venue, 'kline', { market: 'ETH_PERP' })).toEqual([])
  }),
  beyond('candles', 'every interval begins where the calendar says', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    const begins: Record<string, string> = {}
    for (const interval of Object.keys(candleIntervals)) {
      const [[start]]: [[number]] = Object(await toldInside(venue, 'kline', { ...perp, interval }))
      begins[interval] = new Date(start * 1000).toISOString().replace('.000Z', '')
    }
    // A Monday, 14:13:20.
    expect(begins).toEqual({
      '1s': '2026-09-21T14:13:20',
      '10s': '2026-09-21T14:13:20',
      '30s': '2026-09-21T14:13:00',
      '1m': '2026-09-21T14:13:00',
      '3m': '2026-09-21T14:12:00',
      '5m': '2026-09-21T14:10:00',
      '15m': '2026-09-21T14:00:00',
      '30m': '2026-09-21T14:00:00',
      '1h': '2026-09-21T14:00:00',
      '2h': '2026-09-21T14:00:00',
      '4h': '2026-09-21T12:00:00',
      '6h': '2026-09-21T12:00:00',
      '8h': '2026-09-21T08:00:00',
      '12h': '2026-09-21T12:00:00',
      '1d': '2026-09-21T00:00:00',
      '3d': '2026-09-19T00:00:00',
      '1w': '2026-09-21T00:00:00',
      '1M': '2026-09-01T00:00:00',
    })
  }),
  beyond('candles', 'where nothing traded a candle repeats the last close', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    venue.advance(180_000)
    await trade(venue, { price: '61000', amount: '0.01' })
    venue.advance(60_000)
    expect(await toldInside(venue, 'kline', { ...perp, interval: '1m' })).toEqual([
      [firstMinute, '60000', '60000', '60000', '60000', '0.01', '600'],
      flat(firstMinute + 60, '60000'),
      flat(firstMinute + 120, '60000'),
      [firstMinute + 180, '61000', '61000', '61000', '61000', '0.01', '610'],
      flat(firstMinute + 240, '61000'),
    ])
  }),
  beyond('candles', 'start asks for the first candles behind it, nothing for the last', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    venue.advance(600_000)
    const starts = async (about: Record<string, string | number>) => {
      const answer = await toldInside(venue, 'kline', { ...perp, interval: '1m', ...about })
      return Object.values<[number]>(Object(answer)).map(([start]) => (start - firstMinute) / 60)
    }
    expect(await starts({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await starts({ limit: 2 })).toEqual([9, 10])
    expect(await starts({ start: firstMinute + 150, limit: 3 })).toEqual([2, 3, 4])
    expect(await starts({ start: firstMinute - 10_000, limit: 1 })).toEqual([0])
    expect(await starts({ end: firstMinute + 299, limit: 2 })).toEqual([3, 4])
    expect(await starts({ start: firstMinute + 60, end: firstMinute + 120 })).toEqual([1, 2])
    expect(await starts({ end: firstMinute + 100_000, limit: 1 })).toEqual([10])
    expect(await starts({ start: firstMinute + 100_000 })).toEqual([])
    expect(await starts({ end: firstMinute - 1 })).toEqual([])
  }),
  beyond('candles', 'candles go back as far as said, and no further', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    venue.advance(1000 * hour * 1000)
    await trade(venue, { price: '61000', amount: '0.01' })
    venue.advance(3 * hour * 1000)
    const counts: Record<string, number> = {}
    for (const interval of ['1s', '30s', '3m', '5m', '1h']) {
      const answer = await told(venue, 'kline', { ...perp, interval, start: 0 })
      const { result }: { result: string[][] } = Object(answer)
      counts[interval] = result.length
      if (interval === '30s') expect(result[0]?.[1]).toBe('61000')
    }
    expect(counts).toEqual({ '1s': 1440, '30s': 120, '3m': 1440, '5m': 1440, '1h': 1004 })
  }),
  beyond(
    'candles',
    'candles in the wrong order of time are refused, as all parameters are',
    async (venue) => {
      const wrong: [Record<string, string | number>, string][] = [
        [{ ...perp, start: 10, end: 9 }, 'end'],
        [{ ...perp, interval: '7m' }, 'interval'],
        [{ ...perp, limit: 0 }, 'limit'],
        [{ ...perp, limit: 1441 }, 'limit'],
        [{ ...perp, start: -1 }, 'start'],
        [{ ...perp, start: '1e3' }, 'start'],
        [{}, 'market'],
        [{ market: 'BTC' }, 'market'],
        [{ market: 'DOGE_PERP' }, 'market'],
      ]
      for (const [parameters, key] of wrong) {
        const { status, body } = await asked(venue, 'kline', parameters)
        expect({ status, answer: JSON.parse(body) }, body).toEqual({
          status: 200,
          answer: { success: false, message: { [key]: [expect.any(String)] }, result: null },
        })
      }
      await told(venue, 'kline', { ...perp, limit: 1440 })
    },
  ),
]
