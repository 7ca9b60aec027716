import { expect, test } from 'vitest'
import { answerOnTape } from '#src/research/recording/calls.ts'
import { inputRows } from '#src/research/recording/input-rows.ts'
import type { TapeEvent } from '#src/research/recording/tape.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { at } from './tape-fixture.ts'

function answer(path: string, query: string, value: unknown, { sentAt = at, status = 200 } = {}): TapeEvent {
  const got = answerOnTape(status, JSON.stringify(value))
  return { kind: 'call', at: sentAt, tookMs: 12.5, method: 'GET', path, query, body: null, got }
}

const book = (market: string, asks: string[][], bids: string[][]) => ({
  ticker_id: market,
  timestamp: 1_790_000_000,
  asks,
  bids,
})
const path = '/api/v4/public/orderbook/BTC_PERP'

test('order books have the time of their answer, and as many levels as the longest side', () => {
  const events = [
    answer(
      path,
      'limit=100',
      book(
        'BTC_PERP',
        [['60000.1', '0.5']],
        [
          ['60000', '1'],
          ['59999.9', '2'],
        ],
      ),
    ),
    answer(path, 'limit=100&level=2', book('BTC_PERP', [['60100', '9']], [])),
    answer(path, 'limit=100', { code: 1 }, { status: 429 }),
    answer(path, 'limit=100', book('BTC_PERP', [], [['60001', '3']]), { sentAt: at + 1000 }),
  ]
  expect(inputRows(events)).toEqual([
    {
      market: 'BTC_PERP',
      kind: 'depth',
      header:
        'timestamp,asks[0].price,asks[0].amount,bids[0].price,bids[0].amount,' +
        'asks[1].price,asks[1].amount,bids[1].price,bids[1].amount',
      rows: [`${at + 13},60000.1,0.5,60000,1,,,59999.9,2`, `${at + 1013},,,60001,3,,,,`],
    },
  ])
})

test('listed values of futures are rows of each market, and prices that are missing are empty', () => {
  const { response } = contract.futures.example
  const [row] = response.result
  const rows = [
    {
      ...row,
      ticker_id: 'BTC_PERP',
      mark_price: '60000.5',
      index_price: '60001',
      open_interest: '7',
      funding_rate: '-0.0001',
    },
    {
      ...row,
      ticker_id: 'ETH_PERP',
      mark_price: '',
      index_price: '0',
      open_interest: '0',
      funding_rate: '0',
    },
  ]
  const found = inputRows([answer(contract.futures.path, '', { ...response, result: rows })])
  const paidAt = row?.next_funding_rate_timestamp
  expect(found.map(({ market, rows: own }) => [market, own])).toEqual([
    ['BTC_PERP', [`${at + 13},60000.5,60001,7,-0.0001,${paidAt}`]],
    ['ETH_PERP', [`${at + 13},,,0,0,${paidAt}`]],
  ])
})
