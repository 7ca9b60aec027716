import { describe, expect, test } from 'vitest'
import { withoutFunding } from '#src/research/backtest/result/funding-texts.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { times } from '#test/properties/runs.ts'
import { actingInput } from '#test/research/backtest/jump/scripted-actions.ts'
import { madeRates, monday, ratesAt, tradesAt } from './generated-market.ts'
import { oneOrder } from '#test/research/backtest/jump/one-order.ts'
import { everywhere, played } from '#test/research/backtest/jump/step-everywhere.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

type Trade = { at: number; price: number }

/** The price of each minute: it stays beyond 59700 and 60300 for hours, except for one trade. */
function market(beyond: number, later: number, ...more: Trade[]) {
  const minutes = Array.from({ length: 16 * 60 + 10 }, (_, minute) => minute)
  const trades = minutes.map((minute) => ({
    at: monday + minute * minuteMs,
    price: minute < 5 ? 60_000 : minute < 12 * 60 ? beyond : later,
  }))
  return tradesAt([...trades, ...more].toSorted((a, b) => a.at - b.at))
}

const twice = ratesAt([
  { at: monday + 8 * hourMs, rate: 10_000 },
  { at: monday + 16 * hourMs, rate: -25_000 },
])

function input(side: 'buy' | 'sell', more: Partial<BacktestInput> = {}): BacktestInput {
  const prices = side === 'buy' ? market(59_000, 61_000) : market(61_000, 59_000)
  return {
    strategies: [{ path: 'held.yaml', text: oneOrder({ side, money: 600 }) }],
    markets: new Map([['', prices]]),
    funding: new Map([['', twice]]),
    fees: { maker: '0', taker: '0' },
    balance: '10000',
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    ...more,
  }
}

describe('an open position', () => {
  test('pays positive rates and receives negative ones, at the current price', async () => {
    const { summary, fills, assumptions } = await runBacktest(input('buy'))
    expect(fills).toMatchObject([{ side: 'buy', price: '59700', amount: '0.01' }])
    // 0.01 × 59000 × 0.0001 = 0.059 is paid, 0.01 × 61000 × 0.00025 = 0.1525 received.
    expect(summary).toMatchObject({ funding: '0.0935', fees: '0', netProfit: '13.0935' })
    expect(assumptions.join('\n')).toMatch(
      /BTC_PERP pay and receive funding at the mark price, 2 times, by .* by-chance.csv/,
    )
    expect(assumptions.join('\n')).not.toMatch(/no funding/)
  })

  test('receives what a long one pays if it is short', async () => {
    const { summary, fills } = await runBacktest(input('sell'))
    // 0.009 × 61000 × 0.0001 = 0.0549 is received, 0.009 × 59000 × 0.00025 = 0.13275 paid.
    expect(fills).toMatchObject([{ side: 'sell', price: '60300', amount: '0.009' }])
    expect(summary).toMatchObject({ funding: '-0.07785', netProfit: '11.62215' })
  })

  test('without a file no funding is paid, and the result says so and how to add one', async () => {
    const { funding: _, ...none } = input('buy')
    const { summary, assumptions } = await runBacktest(none)
    expect(summary).toMatchObject({ funding: '0', netProfit: '13' })
    expect(assumptions).toContain(
      'Positions in BTC_PERP pay and receive no funding: --funding FILE gives the rates.',
    )
  })

  test('a payment reduces equity, and the result is deterministic', async () => {
    const [one, other] = [await runBacktest(input('buy')), await runBacktest(input('buy'))]
    expect(JSON.stringify(other)).toBe(JSON.stringify(one))
    const { equity } = one
    const valueAt = (at: number) => equity.value[equity.at.indexOf(at)]
    expect(valueAt(monday + 8 * hourMs)).toBeCloseTo(9993, 9)
    expect(valueAt(monday + 8 * hourMs + minuteMs)).toBeCloseTo(9992.941, 9)
  })

  test('is liquidated at the next lower price if funding has used up its margin', async () => {
    const dip = { at: monday + 8.5 * hourMs + 30_000, price: 58_700 }
    const rates = Array.from({ length: 11 }, (_, place) => ({
      at: monday + 8 * hourMs + place,
      rate: place === 10 ? 760_000 : 9_999_999,
    }))
    const dear = new Map([['', ratesAt(rates)]])
    const liquidated = async (more: Partial<BacktestInput>) => {
      const markets = new Map([['', market(59_000, 61_000, dip)]])
      return (await runBacktest(input('buy', { markets, balance: '620', ...more }))).summary.liquidations
    }
    // 620 - 10 - 594.48 is below the maintenance margin of 17.61 of a position of 587; 620 - 7 - 594.48 is above 17.7 of 590.
    expect(await liquidated({ funding: new Map() })).toBe(0)
    expect(await liquidated({ funding: dear })).toBeGreaterThan(0)
  })

  test('all payments count, even more than a venue remembers', async () => {
    const rates = Array.from({ length: 20_000 }, (_, place) => ({ at: monday + hourMs + place, rate: 100 }))
    const { summary } = await runBacktest(input('buy', { funding: new Map([['', ratesAt(rates)]]) }))
    // 0.01 × 59000 × 0.000001 each
    expect(summary.funding).toBe('-11.8')
  })
})

test.each(['08-hedged-ladders.yaml', '03-trailing-volatility-grid.yaml'].slice(0, times(2, 2, 1)))(
  '%s decides the same in a jump as in a walk, with funding',
  async (name) => {
    const part = times(4, 4, 1) / 4
    const made = actingInput(name, 2, part)
    const [from, symbol] = [made.from ?? 0, [...made.markets.keys()][0] ?? '']
    const funding = new Map([[symbol, madeRates(5, from, from + 4 * hourMs, 7 * minuteMs)]])
    const leaping = await played({ ...made, funding })
    const watching = await played({ ...actingInput(name, 2, part), funding }, everywhere)
    expect(Number(leaping.result.summary.funding)).not.toBe(0)
    expect(watching.sent).toEqual(leaping.sent)
    expect(watching.result).toEqual(leaping.result)
  },
)

const hours = (...all: number[]) => all.map((hour) => ({ at: hour * hourMs, rate: 0 }))

test('traded periods without a rate are named', () => {
  const holes = (rates: ReturnType<typeof hours>, from: number, to: number) =>
    withoutFunding({ rates }, { from: from * hourMs, to: to * hourMs }).map((hole) => [
      hole.from / hourMs,
      hole.to / hourMs,
    ])
  expect(holes(hours(8, 16, 24), 0, 32)).toEqual([])
  expect(holes(hours(8, 16, 24, 48, 56, 64), 0, 72)).toEqual([[24, 48]])
  expect(holes(hours(8, 16, 24, 48, 56, 64), 30, 40)).toEqual([[30, 40]])
  expect(holes(hours(8, 16, 24, 48, 56, 64), 50, 60)).toEqual([])
  // Venues change the interval.
  expect(holes(hours(8, 16, 24, 28, 32, 33, 34, 42, 50), 0, 56)).toEqual([])
  expect(holes(hours(100, 108), 0, 200)).toEqual([
    [0, 100],
    [108, 200],
  ])
  expect(holes(hours(100), 95, 100)).toEqual([])
  expect(holes(hours(100), 150, 200)).toEqual([[150, 200]])
})

test('a gap in the file is among the assumptions', async () => {
  const early = ratesAt([...twice.rates.slice(0, 1), { at: monday + 9 * hourMs, rate: 1 }])
  const { assumptions } = await runBacktest(input('buy', { funding: new Map([['BTC_PERP', early]]) }))
  expect(assumptions).toContain(
    'BTC_PERP pays no funding from 2026-01-05T00:00:00.000Z to 2026-01-05T08:00:00.000Z, ' +
      'nor in 1 more periods: by-chance.csv has no rates there.',
  )
})

test.each([
  [
    'of a market that is not traded',
    'ETH_PERP',
    oneOrder({ money: 600 }),
    /funding of ETH_PERP, and the strategies trade BTC_PERP/,
  ],
  [
    'of a market that is not a perpetual',
    'BTC_USDT',
    oneOrder({ money: 600 }),
    /funding of BTC_USDT, and the strategies trade BTC_PERP/,
  ],
  [
    'where no perpetual is traded',
    '',
    oneOrder({ money: 600 }).replace('BTC_PERP', 'BTC_USDT'),
    /only perpetuals .* fix: Omit --funding/,
  ],
])('funding %s is one clear error', async (_, symbol, text, message) => {
  const strategies = [{ path: 'held.yaml', text }]
  const funding = new Map([[symbol, twice]])
  await expect(runBacktest(input('buy', { strategies, funding }))).rejects.toThrow(message)
})
