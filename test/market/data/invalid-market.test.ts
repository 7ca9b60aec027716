import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotError } from '#src/core/errors/bot-error.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder, walked } from './market-fixture.ts'

const { folder, fileOf } = marketFolder()
const bars = 'timestamp,open,high,low,close,volume\n'
const trades = 'timestamp,price,amount,side\n'

test.each([
  ['nothing', '', /holds no prices/],
  ['a header alone', bars, /holds no prices/],
  [
    'no header',
    '1700000000,100,110,95,105,1\n',
    /:1 "1700000000,100,.*" is not a header of bars, trades, funding, order books or futures/,
  ],
  ['a header of something else', 'name,age\nbob,7\n', /:1 "name,age" is not a header/],
  [
    'a header of order books with a wrong column',
    'timestamp,asks[0].price,asks[0].size,bids[0].price,bids[0].amount\n',
    /:1 "timestamp,asks.*" is a header of order books without asks\[0\]\.amount; fix: Write timestamp,asks\[0\]\.price,/,
  ],
  [
    'the columns of quotes',
    'timestamp,ask_price,ask_amount,bid_price,bid_amount\n',
    /:1 .* is a header of order books without asks\[0\]\.price, asks\[0\]\.amount, bids\[0\]\.price, bids\[0\]\.amount;/,
  ],
  [
    'order books without a time',
    'at,asks[0].price,asks[0].amount,bids[0].price,bids[0].amount\n',
    /:1 .* is a header of order books without timestamp; fix/,
  ],
  [
    'values of futures without a time',
    'at,mark_price,open_interest\n',
    /:1 .* is a header of futures without timestamp; fix: Write timestamp,mark_price,index_price,/,
  ],
  ['half a header of bars', 'timestamp,open,high,low\n', /:1 .* is not a header/],
  [
    'a line cut short',
    `${bars}1700000000,100,110,95,105,1\n1700000060,10\n`,
    /:3 has 2 values, the header names 6/,
  ],
  ['a price that is not a number', `${trades}1700000000,NaN,1,buy\n`, /:2 "NaN" is not a price/],
  ['an amount below zero', `${trades}1700000000,1,-1,buy\n`, /:2 "-1" is not an amount/],
  ['an amount that is missing', `${trades}1700000000,1,,buy\n`, /:2 "" is not an amount/],
  ['UTF-16', Buffer.from(`\uFEFF${trades}`, 'utf16le'), /is written in UTF-16; fix: Save it as UTF-8/],
  ['a price that is none', `${trades}1700000000,12e3,1,buy`, /:2 "12e3" is not a price/],
  ['a price below zero', `${trades}1700000000,-1,1,buy`, /:2 "-1" is not a price/],
  ['a price of zero', `${trades}1700000000,0.00,1,buy`, /:2 "0\.00" is not a price/],
  [
    'too many decimals',
    `${trades}1700000000,1.0000000001,1,buy`,
    /:2 "1\.0000000001" is not a price.*at most 9 decimals/,
  ],
  ['a price too large', `${trades}1700000000,90000000,1,buy`, /:2 "90000000" is not a price.*below 9007199/],
  ['a number of a trade that is none', 'id,time,price\nx7,1700000000,1\n', /:2 "x7" is not a trade number/],
  ['a time that is none', `${trades}yesterday,1,1,buy`, /:2 "yesterday" is not a time/],
  ['a time before everything', `${trades}1700,1,1,buy`, /:2 "1700" is not a time/],
  [
    'time that runs back',
    `${trades}1700000001,1,1,buy\n1700000000,1,1,buy`,
    /:3 is 1 s older than the row before it; fix: Sort the rows below the header by time: sort -s -n -t, -k 1,1/,
  ],
  [
    'a bar told in two ways',
    `${bars}1700000000,1,1,1,1,0\n1700000000,1,1,1,1,2\n`,
    /:3 has the time of the row before it and other values/,
  ],
  [
    'a trade told in two ways',
    `id,time,price\n4,1700000000,1\n4,1700000000,2\n`,
    /:3 has the number of the trade before it, 4, and other values/,
  ],
  [
    'bars of different lengths',
    bars +
      Array.from({ length: 100 }, (_, hour) => `${1_700_000_000 + 3600 * hour},1,1,1,1,0\n`).join('') +
      '1700356460,1,1,1,1,0\n',
    /:102 comes 60 s after the row before it, and the bars of this file are 3600 s long/,
  ],
  [
    'a high below the close',
    `${bars}1700000000,1,1,1,2,0`,
    /:2 has an open or a close outside its high and low/,
  ],
  ['a high below the low', `${bars}1700000000,1,1,2,1,0`, /:2 has a high below its low/],
  ['a low above the open', `${bars}1700000000,1,3,2,2,0`, /:2 has an open or a close outside/],
  ['bytes of something else', Buffer.alloc(10_000, 7), /:1 is longer than 4096 characters/],
])('%s is reported once, with the place and the fix', (_, content, expected) => {
  const path = fileOf(content)
  const read = () => walked(readMarket(path))
  expect(read).toThrow(BotError)
  expect(read).toThrow(
    expect.objectContaining({ code: 'MARKET_INVALID', message: expect.stringMatching(expected) }),
  )
  expect(read).toThrow(path)
})

test('a path without a file is reported as such', () => {
  const path = join(folder, 'nowhere.csv')
  expect(() => readMarket(path)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
})
