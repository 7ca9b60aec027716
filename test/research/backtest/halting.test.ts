import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'
import { everywhere, played } from '#test/research/backtest/jump/step-everywhere.ts'

const minuteMs = 60_000

/** A price at each third of a minute, interpolated between those of the minutes. */
function trades(minutes: readonly number[], begins = monday) {
  return minutes.flatMap((price, minute) =>
    [0, 1, 2].map((third) => ({
      at: begins + minute * minuteMs + third * 20_000,
      price: Math.round(price + (((minutes[minute + 1] ?? price) - price) * third) / 3),
    })),
  )
}

/** One buy of 1 BTC one percent below 60 000, with a stop of 12 %. */
function input(
  drawdown: string,
  minutes: readonly number[],
  { begins = monday, exit = '{ stop: { pct: 12% } }' } = {},
): BacktestInput {
  const limits = guards
    .replace('total: 100000', 'total: 60000')
    .replace('{ pause: 90%, halt: 95% }', drawdown)
  const text = `version: 1
name: halts
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m } }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 1
    spacing: { kind: offsets, at: [1%] }
    size: { total: 1 base }
    exit: ${exit}
rules:
  - { id: lay, when: last(px) > 0, do: [ensure: dip] }
${limits}`
  const markets = new Map([['BTC_PERP', tradesAt(trades(minutes, begins))]])
  const strategies = [{ path: 'halts.yaml', text }]
  return { strategies, markets, balance: '100000', latencyMs: 50, fill: 'through', seed: 'a' }
}

const fall = [60_000, 60_000, 59_000, 56_000, 54_000, 53_000, 51_000, 45_000, 42_000, 41_400, 41_400]

test('a drawdown that halts before the stop does not disable it', async () => {
  const { result } = await played(input('{ pause: 5%, halt: 10% }', fall))
  expect(result.stops).toMatchObject([{ kind: 'paused' }, { kind: 'halted' }])
  // 12 % of 59 400, the slippage of the stop, and fees; 18 000 without the stop.
  expect(Number(result.summary.netProfit)).toBeLessThan(-7128)
  expect(Number(result.summary.netProfit)).toBeGreaterThan(-8000)
  const walked = await played(input('{ pause: 5%, halt: 10% }', fall), everywhere)
  expect(walked.result).toEqual(result)
})

test('then: flatten closes the position at the halt, and leaves nothing for the stop', async () => {
  const drawdown = '{ pause: 5%, halt: 10%, then: flatten }'
  const { result } = await played(input(drawdown, fall))
  // 10 % of 60 000, the move of the price until the check, and fees.
  expect(Number(result.summary.netProfit)).toBeLessThan(-6000)
  expect(Number(result.summary.netProfit)).toBeGreaterThan(-7100)
  expect(result.summary.fills).toBe(2)
  expect((await played(input(drawdown, fall), everywhere)).result).toEqual(result)
})

/** Growing waves around 60 000: each is bought below 59 400, and sold with a gain or a loss. */
const waves = Array.from({ length: 250 }, (_, minute) =>
  minute > 200 ? 59_800 : Math.round(59_800 + Math.sin(minute / 7) * (600 + minute * 4) - (minute % 60) * 5),
)

const pauses: [string, number][] = [
  ['{ pause: { at: 1%, for: 40m }, halt: 90% }', 2],
  ['{ pause: { at: 1%, within: 1h }, halt: 90% }', 2],
  ['{ pause: { at: 1%, reset: daily }, halt: 90% }', 1],
]

/** The waves end at midnight. */
const inWaves = {
  begins: monday + (24 * 60 - 200) * minuteMs,
  exit: '{ tp: { pct: 0.4% }, stop: { pct: 1.5% } }',
}

test.each(pauses)('with %s entries continue after the pause', async (drawdown, least) => {
  const { result } = await played(input(drawdown, waves, inWaves))
  const [pause] = result.stops
  expect(pause).toMatchObject({ kind: 'paused', resumed: expect.any(Number) })
  expect(pause?.times).toBeGreaterThanOrEqual(least)
  expect(result.summary.fills).toBeGreaterThan(4)
})

// A walk takes ten seconds.
test.runIf(isSlowRun).each(pauses)(
  'with %s a jump over a pause decides what a walk decides',
  async (drawdown) => {
    const { result, sent } = await played(input(drawdown, waves, inWaves))
    const walked = await played(input(drawdown, waves, inWaves), everywhere)
    expect(walked.sent).toEqual(sent)
    expect(walked.result).toEqual(result)
  },
)
