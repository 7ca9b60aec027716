import { expect, test } from 'vitest'
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

test('each market and distance of feeds of depth is wanted once', () => {
  const feeds = ['0.1%', '0.10%', '1.5%'].map(
    (within, index) => `  d${index}: { source: depth, market: btc, within: ${within} }`,
  )
  const text = fileOf('static-grid')
    .replace('feeds:\n', `feeds:\n${feeds.join('\n')}\n`)
    .replace('needs: [', 'needs: [market_data, ')
  const read = readStrategy(new TextEncoder().encode(text))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  expect(feedsWanted([read, read], null).depth).toEqual([{ market: 'BTC_USDT', within: ['0.001', '0.015'] }])
})
