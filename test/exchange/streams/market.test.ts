import { afterEach, beforeEach, expect, test } from 'vitest'
import { readStream, type StreamReader } from '#test/support/stream-reader.ts'
import { beginsAtMs, openVenue, type TestVenue } from '#test/support/venue.ts'

let venue: TestVenue
let reader: StreamReader

beforeEach(async () => {
  // The books of this test are far from the start prices of the world.
  venue = await openVenue('socket', { profile: 'full', world: { switches: { priceBand: 'none' } } })
  reader = await readStream(venue.streamUrl)
})
afterEach(async () => {
  await reader.close()
  await venue.close()
})

const at = beginsAtMs / 1000
const success = { status: 'success' }

function order(side: 'buy' | 'sell', price: string, amount: string, rest: object = {}) {
  return { market: 'SOL_PERP', side, price, amount, ...rest }
}

function place(as: 'paper' | 'rival', ...orders: ReturnType<typeof order>[]) {
  return venue[as].collateralBulk({ orders })
}

/** Advances the streams by tenths of a second. */
async function beat(count = 1): Promise<void> {
  for (let beats = 0; beats < count; beats++) {
    venue.advance(100)
    await reader.ask('ping')
  }
}

test('a stream answers requests, and its time is in whole seconds', async () => {
  const pong = { error: null, result: 'pong', id: 0 }
  expect(await reader.say('{"id":0,"method":"ping","params":[]}')).toEqual(pong)
  expect(await reader.ask('time')).toBe(Math.floor(at))
})

test('depth starts with a snapshot and continues with changes, and each frame names the one before it', async () => {
  await place('paper', order('buy', '60', '3'), order('buy', '59.5', '1'), order('sell', '61', '2'))
  const sides = {
    asks: [['61', '2']],
    bids: [
      ['60', '3'],
      ['59.5', '1'],
    ],
  }
  expect(await reader.ask('depth_subscribe', 'SOL_PERP', 100, '0')).toEqual(success)
  const whole = { timestamp: at, update_id: 3, ...sides, event_time: at }
  expect(await reader.take('depth')).toEqual([[true, whole, 'SOL_PERP']])

  await place('rival', order('sell', '60', '1'), order('sell', '62', '5'))
  await beat()
  const change = { asks: [['62', '5']], bids: [['60', '2']] }
  const times = { timestamp: at + 0.1, event_time: at + 0.1 }
  expect(await reader.take('depth')).toEqual([
    [false, { ...times, update_id: 5, past_update_id: 3, ...change }, 'SOL_PERP'],
  ])

  await place('rival', order('sell', '60', '2'))
  await beat()
  const gone = {
    timestamp: at + 0.2,
    event_time: at + 0.2,
    update_id: 6,
    past_update_id: 5,
    bids: [['60', '0']],
  }
  expect(await reader.take('depth')).toEqual([[false, gone, 'SOL_PERP']])
  await beat(3)
  expect(await reader.rest('depth')).toEqual([])
})

test('a subscription to few levels reports levels that leave and enter, and no change behind them', async () => {
  await place('paper', order('buy', '60', '1'), order('buy', '59', '2'), order('buy', '58', '3'))
  await reader.ask('depth_subscribe', 'SOL_PERP', 1, '0')
  expect(await reader.take('depth')).toMatchObject([[true, { asks: [], bids: [['60', '1']] }, 'SOL_PERP']])
  await place('paper', order('buy', '58', '4'))
  await beat()
  expect(await reader.rest('depth')).toEqual([])
  await place('paper', order('buy', '60.5', '7'))
  await beat()
  const entered = [
    ['60.5', '7'],
    ['60', '0'],
  ]
  expect(await reader.take('depth')).toMatchObject([
    [false, { update_id: 5, past_update_id: 3, bids: entered }, 'SOL_PERP'],
  ])
  await place('rival', order('sell', '60.5', '7'))
  await beat()
  const left = [
    ['60.5', '0'],
    ['60', '1'],
  ]
  expect(await reader.take('depth')).toMatchObject([
    [false, { update_id: 6, past_update_id: 5, bids: left }, 'SOL_PERP'],
  ])
})

test('prices are grouped away from the middle, and rpi orders are hidden', async () => {
  await place(
    'paper',
    order('buy', '59.99', '1'),
    order('buy', '59.91', '2'),
    order('buy', '60', '9', { rpi: true }),
    order('sell', '60.11', '4'),
    order('sell', '60.2', '8'),
    order('sell', '60.2', '9', { rpi: true }),
  )
  await reader.ask('depth_subscribe', 'SOL_PERP', 5, '0.1')
  expect(await reader.take('depth')).toMatchObject([
    [true, { update_id: 4, asks: [['60.2', '12']], bids: [['59.9', '3']] }, 'SOL_PERP'],
  ])
  expect(await reader.ask('depth_request', 'SOL_PERP', 100, '0')).toEqual({
    timestamp: at,
    update_id: 4,
    asks: [
      ['60.11', '4'],
      ['60.2', '8'],
    ],
    bids: [
      ['59.99', '1'],
      ['59.91', '2'],
    ],
    event_time: at,
  })
})

test('an unchanged book is sent in full after ten seconds', async () => {
  await place('paper', order('buy', '60', '1'))
  await reader.ask('depth_subscribe', 'SOL_PERP', 1, '0')
  await reader.take('depth')
  await place('paper', order('buy', '59', '1'))
  await beat(99)
  expect(await reader.rest('depth')).toEqual([])
  await beat()
  // The order behind the first level has also increased the update id.
  const [whole] = await reader.take('depth')
  expect(whole).toMatchObject([true, { update_id: 2, asks: [], bids: [['60', '1']] }, 'SOL_PERP'])
  expect(whole).not.toHaveProperty('1.past_update_id')
  await place('rival', order('sell', '60', '1'))
  await beat()
  expect(await reader.take('depth')).toMatchObject([[false, { update_id: 3, past_update_id: 2 }, 'SOL_PERP']])
})

test('a second depth subscription replaces the first unless it adds; markets are unsubscribed one by one', async () => {
  const names = async () =>
    (await reader.rest('depth')).map((params) => String(Array.from(Object(params))[2]))
  await reader.ask('depth_subscribe', 'SOL_PERP', 5, '0', true)
  await reader.ask('depth_subscribe', 'BTC_PERP', 5, '0', true)
  expect(await names()).toEqual(['SOL_PERP', 'BTC_PERP'])
  const both = async () => {
    await place('paper', order('buy', '60', '1'), order('buy', '100', '0.1', { market: 'BTC_PERP' }))
    await beat()
    return names()
  }
  expect(await both()).toEqual(['SOL_PERP', 'BTC_PERP'])
  await reader.ask('depth_unsubscribe', 'SOL_PERP')
  expect(await both()).toEqual(['BTC_PERP'])
  await reader.ask('depth_subscribe', 'SOL_PERP', 10, '0')
  expect(await names()).toEqual(['SOL_PERP'])
  expect(await both()).toEqual(['SOL_PERP'])
  await reader.ask('depth_unsubscribe')
  expect(await both()).toEqual([])
})

test('a later subscriber gets the book of the earlier ones, and the same changes', async () => {
  await place('paper', order('buy', '60', '1'))
  await reader.ask('depth_subscribe', 'SOL_PERP', 5, '0')
  await reader.take('depth')
  await place('paper', order('buy', '59', '1'))
  const late = await readStream(venue.streamUrl)
  await late.ask('depth_subscribe', 'SOL_PERP', 5, '0')
  expect(await late.take('depth')).toMatchObject([[true, { update_id: 1, bids: [['60', '1']] }, 'SOL_PERP']])
  await beat()
  expect(await late.take('depth')).toEqual(await reader.take('depth'))
  await late.close()
})

test('trades arrive when they happen, those of one order in one frame, newest first', async () => {
  await place('paper', order('buy', '60', '1'), order('buy', '59', '2', { rpi: true }))
  await reader.ask('trades_subscribe', 'SOL_PERP', 'BTC_PERP')
  await place('rival', order('sell', '59', '1.5'))
  const shared = { time: at, type: 'sell' }
  expect(await reader.take('trades')).toEqual([
    [
      'SOL_PERP',
      [
        { id: 2, ...shared, price: '59', amount: '0.5', rpi: true },
        { id: 1, ...shared, price: '60', amount: '1', rpi: false },
      ],
    ],
  ])
  await reader.ask('trades_subscribe', 'BTC_PERP')
  await place('rival', order('sell', '59', '0.1'))
  expect(await reader.rest('trades')).toEqual([])
  // An empty list means every market, and sends the last trades again.
  await reader.ask('trades_subscribe')
  expect(await reader.take('trades')).toMatchObject([['SOL_PERP', [{ id: 3 }, { id: 2 }, { id: 1 }]]])
  expect(await reader.ask('trades_request', 'SOL_PERP', 100, 2)).toMatchObject([
    { id: 3, price: '59', amount: '0.1' },
  ])
  expect(await reader.ask('trades_request', 'SOL_PERP', 1, 0)).toMatchObject([{ id: 3 }])
  await place('rival', order('sell', '59', '0.1'))
  expect(await reader.take('trades')).toMatchObject([['SOL_PERP', [{ id: 4 }]]])
  await reader.ask('trades_unsubscribe')
  await place('rival', order('sell', '59', '0.1'))
  expect(await reader.rest('trades')).toEqual([])
})

test('the best prices arrive when they change, and not when levels behind them change', async () => {
  await place('paper', order('buy', '60', '1'))
  await reader.ask('bookTicker_subscribe', 'SOL_PERP')
  expect(await reader.take('bookTicker')).toEqual([[[at, at, 'SOL_PERP', 1, '60', '1', '0', '0']]])
  await place('paper', order('buy', '59', '1'))
  expect(await reader.rest('bookTicker')).toEqual([])
  await place('paper', order('sell', '61', '2'))
  expect(await reader.take('bookTicker')).toEqual([[[at, at, 'SOL_PERP', 3, '60', '1', '61', '2']]])
  await reader.ask('bookTicker_subscribe')
  expect(await reader.take('bookTicker', 6)).toHaveLength(6)
  await reader.ask('bookTicker_unsubscribe', 'SOL_PERP')
  await place('paper', order('buy', '60.5', '1'), order('buy', '100', '0.1', { market: 'BTC_PERP' }))
  expect(await reader.rest('bookTicker')).toMatchObject([[[at, at, 'BTC_PERP', 1, '100', '0.1', '0', '0']]])
  await reader.ask('bookTicker_unsubscribe')
  await place('rival', order('sell', '60.5', '1'))
  expect(await reader.rest('bookTicker')).toEqual([])
})

test('the last price and the statistics of the day arrive once a second if changed', async () => {
  await place('paper', order('buy', '60', '9'))
  await place('rival', order('sell', '60', '1'))
  const day = { last: '60', open: '60', high: '60', low: '60', volume: '1', deal: '60' }
  const rolling = { period: 86_400, ...day, close: '60' }
  expect(await reader.ask('lastprice_request', 'SOL_PERP')).toBe('60')
  expect(await reader.ask('market_request', 'SOL_PERP', 86_400)).toEqual(rolling)
  expect(await reader.ask('market_request', 'SOL_PERP', 3600)).toMatchObject({ error: { code: 1 } })
  expect(await reader.ask('marketToday_query', 'SOL_PERP')).toEqual(day)
  for (const channel of ['lastprice', 'market', 'marketToday']) {
    expect(await reader.ask(`${channel}_subscribe`, 'SOL_PERP')).toEqual(success)
  }
  expect(await reader.take('lastprice')).toEqual([['SOL_PERP', '60']])
  expect(await reader.take('market')).toEqual([['SOL_PERP', rolling]])
  expect(await reader.take('marketToday')).toEqual([['SOL_PERP', day]])

  await place('paper', order('buy', '59', '9'))
  await place('rival', order('sell', '59', '9'))
  await beat(9)
  expect(await reader.rest('lastprice')).toEqual([])
  await beat(1)
  const later = { last: '59', low: '59', volume: '10', deal: '599' }
  expect(await reader.take('lastprice')).toEqual([['SOL_PERP', '59']])
  expect(await reader.take('market')).toEqual([['SOL_PERP', { ...rolling, ...later, close: '59' }]])
  expect(await reader.take('marketToday')).toEqual([['SOL_PERP', { ...day, ...later }]])
  await beat(20)
  expect(await reader.rest('lastprice')).toEqual([])
})

test('candles arrive twice a second: the running one, and each one closed since', async () => {
  await place('paper', order('buy', '60', '9'), order('buy', '59', '9'))
  await place('rival', order('sell', '60', '1'))
  const start = beginsAtMs - (beginsAtMs % 10_000)
  const candle = (at: number, ...numbers: string[]) => [(start + at) / 1000, ...numbers, 'SOL_PERP']
  expect(await reader.ask('candles_subscribe', 'SOL_PERP', 10)).toEqual(success)
  const first = candle(0, '60', '60', '60', '60', '1', '60')
  expect(await reader.take('candles')).toEqual([[first]])
  await place('rival', order('sell', '59', '9'))
  await beat(4)
  expect(await reader.rest('candles')).toEqual([])
  await beat(1)
  const more = candle(0, '60', '59', '60', '59', '10', '599')
  expect(await reader.take('candles')).toEqual([[more]])
  await place('rival', order('sell', '59', '1'))
  await beat(100)
  const ended = candle(0, '60', '59', '60', '59', '11', '658')
  const idle = candle(10_000, '59', '59', '59', '59', '0', '0')
  expect(await reader.take('candles', 2)).toEqual([[ended], [idle]])
  const [from, until] = [start / 1000, start / 1000 + 10]
  expect(await reader.ask('candles_request', 'SOL_PERP', from, until, 10)).toEqual([ended, idle])
  expect(await reader.ask('candles_request', 'SOL_PERP', from, until, 11)).toMatchObject({
    error: { code: 1 },
  })
  expect(await reader.ask('candles_subscribe', 'SOL_PERP', 11)).toMatchObject({ error: { code: 1 } })
  // One subscription at a time.
  await reader.ask('candles_subscribe', 'BTC_PERP', 60)
  await beat(200)
  expect(await reader.rest('candles')).toEqual([])
})
