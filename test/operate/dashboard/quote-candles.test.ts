import { expect, test } from 'vitest'
import { QuoteCandles } from '#src/operate/dashboard/quote-candles.ts'
import { minute, noon } from '#test/engine/support/engine-harness.ts'
import { stateWith } from '#test/engine/support/state-fixture.ts'

test('without candles of the venue, sampled prices give candles of a minute or longer', () => {
  const heard = new QuoteCandles()
  const state = stateWith()
  const hear = (at: number, last: number | null) => {
    state.quotes = { A: { at, bid: null, ask: null, last } }
    heard.add(state)
  }
  hear(noon, null)
  expect(heard.of('A', '1m')).toEqual([])
  for (const [seconds, price] of [
    [0, 10],
    [20, 12.5],
    [59, 9],
    [60, 11],
    [299, 0.000_000_1],
    [300, 8],
  ] as const)
    hear(noon + seconds * 1000, price)
  expect(heard.of('A', '1m')).toEqual([
    { at: noon, open: '10', high: '12.5', low: '9', close: '9' },
    { at: noon + minute, open: '11', high: '11', low: '11', close: '11' },
    { at: noon + 4 * minute, open: '0.0000001', high: '0.0000001', low: '0.0000001', close: '0.0000001' },
    { at: noon + 5 * minute, open: '8', high: '8', low: '8', close: '8' },
  ])
  expect(heard.of('A', '5m')).toEqual([
    { at: noon, open: '10', high: '12.5', low: '0.0000001', close: '0.0000001' },
    { at: noon + 5 * minute, open: '8', high: '8', low: '8', close: '8' },
  ])
  expect([heard.of('A', '1s'), heard.of('B', '1m')]).toEqual([[], []])
  for (let minutes = 0; minutes < 3000; minutes += 1) hear(noon + minutes * minute, 1)
  expect(heard.of('A', '1m').length).toBeLessThan(3000)
})

test('weeks begin on Mondays, and months on their first day, like those of venues', () => {
  const heard = new QuoteCandles()
  const state = stateWith()
  const wednesday = Date.UTC(2026, 6, 15, 12)
  state.quotes = { A: { at: wednesday, bid: null, ask: null, last: 10 } }
  heard.add(state)
  expect(heard.of('A', '1w').map(({ at }) => at)).toEqual([Date.UTC(2026, 6, 13)])
  expect(heard.of('A', '1M').map(({ at }) => at)).toEqual([Date.UTC(2026, 6, 1)])
})
