import { expect, test } from 'vitest'
import { answerOnTape } from '#src/research/recording/calls.ts'
import { marketRows } from '#src/research/recording/market-rows.ts'
import type { TapeEvent } from '#src/research/recording/tape.ts'
import { at } from './tape-fixture.ts'

function answer(path: string, query: string, value: unknown, status = 200): TapeEvent {
  const got = answerOnTape(status, JSON.stringify(value))
  return { kind: 'call', at, tookMs: 1, method: 'GET', path, query, body: null, got }
}

function told(market: string, trades: object[], from: 'us' | 'venue' = 'venue'): TapeEvent {
  const json = { method: 'trades_update', params: [market, trades], id: null }
  return { kind: 'stream-frame', at, stream: 1, from, json }
}

const heard = (id: number, time: number, price: string) => ({ id, time, price, amount: '0.5', type: 'buy' })
const read = (tradeID: number, trade_timestamp: number, price: string) => {
  const amounts = { quote_volume: '0.25', base_volume: '15000' }
  return { tradeID, price, ...amounts, trade_timestamp, type: 'sell', rpi: false }
}
const bar = (seconds: number, close: string) => [seconds, '1', close, '3', '0.5', '10', '20']
const candles = (...result: unknown[]) => ({ success: true, message: null, result })
const kline = '/api/v1/public/kline'

test('trades of stream and calls come once, ordered by id, with monotonic time', () => {
  const events = [
    told('BTC_PERP', [heard(7, 1_790_000_002.75, '60001'), heard(5, 1_790_000_001.5, '60000.5')]),
    answer('/api/v4/public/trades/BTC_PERP', '', [
      read(6, 1_790_000_001, '60000.1'),
      read(5, 1_790_000_001, '60000.5'),
    ]),
    told('BTC_PERP', [heard(7, 1_790_000_002.75, '60001')]),
    told('ETH_PERP', [heard(8, 1_790_000_002.0625, '3000')]),
  ]
  expect(marketRows(events)).toEqual([
    {
      market: 'BTC_PERP',
      interval: undefined,
      header: 'timestamp,price,amount,side',
      rows: [
        '1790000001500,60000.5,0.5,buy',
        '1790000001500,60000.1,0.25,sell',
        '1790000002750,60001,0.5,buy',
      ],
    },
    expect.objectContaining({ market: 'ETH_PERP', rows: ['1790000002062,3000,0.5,buy'] }),
  ])
})

test('without trades the rows are the candles of the shortest interval, without the newest one', () => {
  const events = [
    answer(kline, 'market=BTC_PERP', candles(bar(1_790_000_000, '2'), bar(1_790_003_600, '2'))),
    answer(kline, 'market=BTC_PERP&interval=1m&limit=2', candles(bar(60, '2'), bar(120, '2'))),
    answer(kline, 'market=BTC_PERP&interval=1m&start=120', candles(bar(120, '2.5'), bar(180, '2'))),
  ]
  expect(marketRows(events)).toEqual([
    {
      market: 'BTC_PERP',
      interval: '1m',
      header: 'timestamp,open,high,low,close,volume',
      rows: ['60000,1,3,0.5,2,10', '120000,1,3,0.5,2.5,10'],
    },
  ])
  expect(marketRows(events.slice(0, 1))).toMatchObject([
    { interval: '1h', rows: ['1790000000000,1,3,0.5,2,10'] },
  ])
})

test('other data are ignored', () => {
  const path = '/api/v4/public/trades/'
  const events = [
    answer(`${path}..%2F..%2Fetc`, '', [read(1, 1, '2')]),
    answer(`${path}BTC_PERP`, '', { code: 1, message: 'no' }, 422),
    answer(kline, 'market=BTC_PERP&interval=7m', candles()),
    answer(kline, 'market=BTC_PERP&interval=1m', candles()),
    told('BTC_PERP', [{ ...heard(1, 1, '2'), price: '1e3' }]),
    { kind: 'turn', at, monotonic: 1 } as const,
  ]
  expect(marketRows(events)).toEqual([])
})
