import { expect, test } from 'vitest'
import { beginState } from '#src/engine/state/initial-state.ts'
import { feedsWanted } from '#src/runtime/feeds/subscriptions.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { fileOf } from '#test/engine/support/engine-harness.ts'

/** The number of candles that the bot asks for, if a rule of the grid reads this indicator. */
function candlesFor(indicator: string): number | undefined {
  const text = fileOf('static-grid').replace(
    'rules:',
    `rules:\n  - { id: it, when: "${indicator} < 1", do: [alert: it] }`,
  )
  const read = readStrategy(new TextEncoder().encode(text))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  return feedsWanted([read], null).candles[0]?.count
}

test('the factor of a band does not change how many candles the bot asks for', () => {
  expect(candlesFor('bb_upper(px, 20, 90.5)')).toBe(candlesFor('sma(px, 20)'))
})

test('the bot asks for four times the candles that an indicator needs until its first value', () => {
  // One candle more: its conditions can look back by one.
  expect(candlesFor('sma(px, 20)')).toBe(4 * 20 + 1)
  expect(candlesFor('rsi(px, 14)')).toBe(4 * 15 + 1)
  expect(candlesFor('macd_signal(px, 12, 26, 9)')).toBe(4 * 34 + 1)
})

test('each market and reach of feeds of depth is wanted once, and trades with their progress', () => {
  const reaches = ['within: 0.1%', 'within: 0.10%', 'within: 1.5%', 'levels: 5', 'levels: 5']
  const feeds = [
    ...reaches.map((reach, index) => `  d${index}: { source: depth, market: btc, ${reach} }`),
    '  t0: { source: trades, market: btc }',
    '  t1: { source: trades, market: btc }',
  ]
  const text = fileOf('static-grid')
    .replace('feeds:\n', `feeds:\n${feeds.join('\n')}\n`)
    .replace('needs: [', 'needs: [market_data, ')
  const read = readStrategy(new TextEncoder().encode(text))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  expect(feedsWanted([read, read], null).depth).toEqual([
    { market: 'BTC_USDT', reaches: [{ within: '0.001' }, { within: '0.015' }, { levels: 5 }] },
  ])
  const market = 'BTC_USDT'
  expect(feedsWanted([read, read], null).trades).toEqual([{ market, byPrice: false, last: undefined }])
  const last = { at: 5, from: 1000, until: 4000, lastId: 7, seconds: [], windows: {} }
  const state = { ...beginState(), trades: { [market]: last } }
  expect(feedsWanted([read], state).trades).toEqual([{ market, byPrice: false, last }])
  const priced = text.replace('between(price, 55000, 65000)', 'volume_between(t1, 1, price, "1h") > 0')
  const pricing = readStrategy(
    new TextEncoder().encode(priced.replace(/when: (volume_between.*)/, "when: '$1'")),
  )
  if (Array.isArray(pricing)) throw new Error(JSON.stringify(pricing))
  expect(feedsWanted([read, pricing], null).trades).toMatchObject([{ byPrice: true }])
})
