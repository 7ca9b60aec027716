import { afterAll, expect, test } from 'vitest'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

type Change = readonly [from: string, to: string]

async function problemsOf(...changes: readonly Change[]): Promise<(readonly [string, string | undefined])[]> {
  const [text = ''] = gridWith(...changes).split('\ntests:')
  return (await check(folder, text)).problems.map(({ message, hint }) => [message, hint] as const)
}

const place = (when: string): Change => ['when: between(price, 55000, 65000)', `when: ${when}`]
const feed = (line: string): Change => ['\nlet:', `  ${line}\n\nlet:`]

test.each<[string, string, string]>([
  [
    'bid(top) > 1',
    'unknown name "top"',
    'bid() reads a feed of a book: add to feeds: top: { source: book, market: btc }',
  ],
  [
    'bid(px) > 1',
    'bid() reads a feed of a book, and "px" is a feed of candles',
    'add to feeds: book: { source: book, market: btc }',
  ],
  [
    'bid(grid) > 1',
    'bid() reads a feed of a book, and "grid" is a ladder',
    'add to feeds: book: { source: book, market: btc }',
  ],
  [
    'bid(volume) > 1',
    'unknown name "volume"',
    'bid() reads a feed of a book: add to feeds: volume: { source: book, market: btc }',
  ],
  [
    'sma(daily, 20) > 1',
    'unknown name "daily"',
    'sma() reads a feed of candles: use px, or add to feeds: daily: { source: candles, market: btc, interval: 1h }',
  ],
  [
    'atr(price, 20) > 1',
    'atr() reads a feed of candles, and "price" is a value',
    'use px, or add to feeds: px2: { source: candles, market: btc, interval: 1h }',
  ],
  [
    'atr(last(px), 20) > 1',
    'atr() reads a feed of candles, not a value',
    'use px, or add to feeds: px2: { source: candles, market: btc, interval: 1h }',
  ],
])('%s: the fix names the feeds that exist, and a line that is valid', async (when, message, hint) => {
  expect(await problemsOf(place(when))).toEqual([[message, hint]])
  const line = hint.slice(hint.indexOf('feeds: ') + 'feeds: '.length)
  const [name = ''] = line.split(':')
  expect(await problemsOf(feed(line), place(when.replace(/\(\w+(?:\(px\))?/, `(${name}`)))).toEqual([])
})

test.each<[string, string, string]>([
  ['bid(btop) > 1', 'unknown name "btop"', 'did you mean "top"?'],
  [
    'bid(px) > 1',
    'bid() reads a feed of a book, and "px" is a feed of candles',
    'use one of top, top2, or add to feeds: book: { source: book, market: btc }',
  ],
])('%s: the fix names the feeds of a book', async (when, message, hint) => {
  const feeds = feed('top: { source: book, market: btc }\n  top2: { source: book, market: btc }')
  expect(await problemsOf(feeds, place(when))).toEqual([[message, hint]])
})

test.each<[string, string, string]>([
  ['equity() > 1', 'equity() reads the account', 'use account'],
  ['position(px) > 1', 'position() reads a market, and "px" is a feed of candles', 'use btc'],
  ['filled_levels(btc) > 1', 'filled_levels() reads a ladder, and "btc" is a market', 'use grid'],
  ['time_between("09:00", "17:00")', 'time_between() reads the clock, not a value', 'use clock'],
])('%s: the fix names what the function reads', async (when, message, hint) => {
  expect(await problemsOf(place(when))).toEqual([[message, hint]])
})

test('a feed with a mistake, and a broken value of let, cause no further problem', async () => {
  expect(
    await problemsOf(['source: candles, market', 'source: candle, market'], place('bid(px) > 1')),
  ).toHaveLength(1)
  expect(await problemsOf(['price: last(px)', 'price: lst(px)'], place('sma(price, 2) > 1'))).toHaveLength(1)
})
