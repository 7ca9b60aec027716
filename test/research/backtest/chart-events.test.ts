import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'
import { everywhere, played } from '#test/research/backtest/jump/step-everywhere.ts'

const minuteMs = 60_000
/** A price for each minute from midnight. */
const prices = [60_000, 60_000, 58_100, 59_600, 58_500, 58_400, 55_000, 55_000, 60_000, 60_000]

/** Buys below the price, within a limit that is less than its orders need. */
function input(drawdown: string, { exit = '', risk = '' } = {}): BacktestInput {
  const limits = guards
    .replace('total: 100000', 'total: 1500')
    .replace('{ pause: 90%, halt: 95% }', `${drawdown}${risk}`)
  const text = `version: 1
name: told
needs: [bulk, history, balance, cancel, flex]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m } }
ladder:
  dips:
    market: btc
    side: buy
    anchor: 60000
    levels: 3
    spacing: { kind: offsets, at: [1%, 2%, 3%] }
    size: { total: 1800 quote }${exit}
rules:
  - { id: lay, when: last(px) > 0, do: [ensure: dips] }
  - { id: calm, when: last(px) < 59000, do: [pause_entries: it falls, alert: it fell] }
  - { id: park, schedule: "daily 00:02 UTC", do: [flex_invest: { ticker: USDT, amount: "25.5", reinvest: true }] }
${limits}`
  const trades = prices.flatMap((price, minute) =>
    [0, 20, 40].map((second) => ({ at: monday + minute * minuteMs + second * 1000, price })),
  )
  const markets = new Map([['BTC_PERP', tradesAt(trades)]])
  const strategies = [{ path: 'told.yaml', text }]
  return { strategies, markets, balance: '10000', latencyMs: 50, fill: 'through', seed: 'a' }
}

const at = (minute: number) => monday + minute * minuteMs

test('chart events have pauses, their ends, alerts, blocked orders and investments with their times', async () => {
  const { result } = await played(input('{ pause: 80%, halt: 90% }'))
  const [strategy, ladder] = ['told', 'dips']
  const calm = { rule: 'calm', reason: 'it falls', times: 2, first: at(3), last: at(5), resumed: at(9) }
  expect(result.stops).toEqual([{ strategy, kind: 'paused', ...calm }])
  expect(result.alerts).toEqual({ count: 2, texts: [{ strategy, text: 'it fell', count: 2, first: at(3) }] })
  // One of the two limits blocks the third order from the first minute to the end.
  expect(result.summary.to - at(1)).toBe(220_001 + 5 * minuteMs)
  expect(result.blocked).toMatchObject([
    {
      ladder,
      reason: 'max_notional total 1500 would be 1764.00 with this order',
      first: at(1),
      count: 3,
      totalMs: 220_001,
    },
    { ladder, reason: 'entries are paused by calm: it falls', count: 2, totalMs: 5 * minuteMs },
  ])
  const invested = { outcome: 'accepted', message: null, count: 1, amount: '25.5' }
  expect(result.invested).toEqual([{ strategy, currency: 'USDT', ...invested }])
  expect(result.summary.halts).toBe(0)
})

test('a pause and a halt by drawdown are chart events until the end', async () => {
  const { stops, summary } = (await played(input('{ pause: 1%, halt: 2% }'))).result
  const ofBot = stops.filter(({ rule }) => rule === null)
  expect(ofBot).toMatchObject([
    { kind: 'paused', times: 1, first: at(2), resumed: null, reason: expect.stringContaining('says pause') },
    { kind: 'halted', times: 1, first: at(6), resumed: null, reason: expect.stringContaining('says halt') },
  ])
  expect(summary.halts).toBe(1)
})

test('a halt ends the time in which a limit blocks entries', async () => {
  const { blocked, stops } = (await played(input('{ pause: 1%, halt: 2% }'))).result
  expect(stops).toContainEqual(expect.objectContaining({ kind: 'halted', first: at(6) }))
  expect(blocked).toMatchObject([
    { first: at(1), totalMs: minuteMs },
    { reason: expect.stringContaining('drawdown says pause'), first: at(2), totalMs: 4 * minuteMs },
  ])
})

test('a blocked exit does not count as time in which a limit blocks entries', async () => {
  const banded = { exit: '\n    exit: { tp: { pct: 4%, mode: resting } }', risk: '\n  price_band: 2%' }
  const { result, notes } = await played(input('{ pause: 80%, halt: 90% }', banded))
  const exits = notes.filter((note) => note.type === 'risk-blocked' && note.order !== undefined)
  expect(exits).toMatchObject([{ at: at(2), rung: 't1', kind: 'price_band' }])
  // The price band blocks entries from the first minute to the second, and from the sixth to the end.
  expect(result.summary.to - at(6)).toBe(220_001)
  expect(result.blocked).toMatchObject([
    { reason: expect.stringContaining('price_band'), totalMs: minuteMs + 220_001 },
    { reason: expect.stringContaining('max_notional'), totalMs: 2 * minuteMs },
    { reason: expect.stringContaining('paused by calm'), totalMs: 2 * minuteMs },
  ])
})

test('a walk has the same chart events as a jump', async () => {
  const drawdown = '{ pause: 1%, halt: 5% }'
  const leaping = await played(input(drawdown))
  expect((await played(input(drawdown), everywhere)).result).toEqual(leaping.result)
})
