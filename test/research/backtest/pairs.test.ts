import { describe, expect, test } from 'vitest'
import { backtestText } from '#src/cli/backtest/backtest-text.ts'
import { resultPartsOf } from '#src/engine/holdings/pair-sums.ts'
import { readResultLines, resultLines } from '#src/research/backtest/result/result-file.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { runSimulation, runBacktest } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { times } from '#test/properties/runs.ts'
import { fileOf, inputOf, ladderText, played } from './priced-ladders.ts'
import { actingInput, actors } from '#test/research/backtest/jump/scripted-actions.ts'

function rungsOf({ rungs }: BacktestResult) {
  return rungs
    .filter(({ pairs, open, gridProfit }) => pairs !== 0 || open !== '0' || gridProfit !== '0')
    .map(({ id, pairs, gridProfit, open, floating }) => [id, pairs, gridProfit, open, floating])
    .toSorted(([one], [other]) => String(one).localeCompare(String(other)))
}

function expectSum({ summary, strategies }: BacktestResult): void {
  const { netProfit, funding, gridProfit = 'none', floating = 'none' } = summary
  expect(new Decimal(gridProfit).plus(floating).plus(funding).toFixed()).toBe(netProfit)
  for (const field of ['gridProfit', 'floating'] as const) {
    const sum = strategies.reduce((total, each) => total.plus(each[field]), new Decimal(0))
    expect(sum.toFixed()).toBe(summary[field])
  }
}

describe('grid profit', () => {
  test('of a buy and the sell of its mirror is the difference less the fees of both', async () => {
    const result = await played({ exit: 'exit: { mirror: 1 }' }, [60_000, 59_000, 60_500])
    // 0.01 bought for 594 and sold for 600; the fees are 0.594 and 0.6.
    expect(rungsOf(result)).toEqual([['g.one.1', 1, '4.806', '0', '0']])
    expect(result.summary).toMatchObject({ pairs: 1, gridProfit: '4.806', floating: '0', netProfit: '4.806' })
    expect(result.strategies).toMatchObject([{ strategy: 'g', pairs: 1, gridProfit: '4.806', floating: '0' }])
  })

  test('of a sell and the buy of its mirror counts for the rung that sold', async () => {
    const result = await played(
      { side: 'sell', money: 1212, exit: 'exit: { mirror: 1 }' },
      [60_000, 61_000, 59_500],
    )
    // 0.01 sold for 606 and bought back for 600.
    expect(rungsOf(result)).toEqual([['g.one.1', 1, '4.794', '0', '0']])
    expectSum(result)
  })

  test('grows with each round trip, and an open buy is floating with its fee', async () => {
    const result = await played(
      { exit: 'exit: { mirror: 1 }' },
      [60_000, 59_000, 60_500, 59_000, 60_500, 59_000],
    )
    expect(rungsOf(result)).toEqual([['g.one.1', 2, '9.612', '0.01', '-4.594']])
    // 0.01 at 59000 is worth 590, less 594 and the fee of 0.594. The average cost leaves the fee out.
    expect(result.held).toMatchObject([{ amount: '0.01', entry: '59400', unrealised: '-4' }])
    expectSum(result)
  })

  test('counts the matched part of an order, with its share of the fees', async () => {
    const prices = [60_000, 59_000, 59_000, 60_500]
    const result = await played({ exit: 'exit: { mirror: 1 }' }, prices, { amount: 0.0011 })
    // 0.01 is bought in ten deals, and 0.005 of it sold in five: 300 less 297, less 0.297 and 0.3. The open amount is worth
    // 302.5, and has cost 297 and 0.297.
    expect(result.fills).toHaveLength(15)
    expect(rungsOf(result)).toEqual([['g.one.1', 0, '2.403', '0.005', '5.203']])
    expectSum(result)
  })

  test('matches a mirror with its own rung, and a stop with the oldest rung first', async () => {
    const exit = 'exit: { mirror: 1, stop: { pct: 3% } }'
    const result = await played({ exit }, [60_000, 59_000, 58_500, 59_500, 58_500, 57_000, 57_000])
    expect(result.fills.map(({ level, price }) => `${level} ${price}`)).toEqual([
      '1 59400',
      '2 58800',
      'm2 59400',
      '2 58800',
      'st 57000',
      '2 57000.1',
      '1 57000.1',
    ])
    // The first level: 570 less 594, less 0.594 and 0.57. The second one: 594 less 588, less 0.588 and 0.594; and 570
    // less 588, less 0.588 and 0.57. Both levels are bought again at 57000.1.
    expect(rungsOf(result)).toEqual([
      ['g.one.1', 1, '-25.164', '0.01', '-0.571001'],
      ['g.one.2', 2, '-14.34', '0.01', '-0.571001'],
    ])
    expectSum(result)
  })

  test('of ladders without exits comes from matched buys and sells, the oldest first', async () => {
    const ladders = [ladderText({}, 'bids'), ladderText({ side: 'sell', money: 1212 }, 'asks')]
    const result = await runBacktest(inputOf(fileOf(ladders, ['bids', 'asks']), [60_000, 59_000, 61_000]))
    // Bought at 59400, sold at 60600: 12 less 0.594 and 0.606.
    expect(rungsOf(result)).toEqual([['g.bids.1', 1, '10.8', '0', '0']])
    expectSum(result)
  })

  test('counts the fills of an amended order, also long after the end of the order that it replaced', async () => {
    const amended = ladderText({}).replace(
      'anchor: 60000',
      'anchor: last(px)\n    rebase: { drift: 0.1%, min_gap: 1m, amend: true }',
    )
    const text = fileOf([amended.replace('levels: 2', 'levels: 1')], ['one']).replace(
      'cancel]',
      'cancel, amend]',
    )
    const result = await runBacktest(inputOf(text, [60_000, 60_100, 60_200, 60_300, 60_400, 59_000]))
    // The first fill has the client order id of the first order, which ended 25 minutes before.
    expect(result.fills.map(({ order }) => order)).toEqual(['g.one.1.1', 'g.one.1.6'])
    expect(rungsOf(result).map(([id, , , open]) => [id, open])).toEqual([['g.one.1', result.held[0]?.amount]])
    expectSum(result)
  })

  test('of a take profit is the pair of the rung that it closed', async () => {
    const result = await played(
      { exit: 'exit: { tp: { pct: 1%, mode: resting } }' },
      [60_000, 59_000, 60_500],
    )
    expect(result.fills.map(({ level, price }) => [level, price])).toEqual([
      ['1', '59400'],
      ['t1', '59994'],
    ])
    // 599.94 less 594 and the fees of 0.594 and 0.59994.
    expect(rungsOf(result)).toEqual([['g.one.1', 1, '4.74606', '0', '0']])
  })

  test('is in the text and in the lines, which are read back unchanged', async () => {
    const result = await played({ exit: 'exit: { mirror: 1 }' }, [60_000, 59_000, 60_500, 59_000])
    const text = backtestText(result, 1)
    expect(text).toMatch(/grid profit +4\.81 +of 1 matched pair, after the fees of both sides/)
    expect(text).toMatch(/floating +-4\.59 +/)
    expect(text).toContain('4.81 grid profit - 4.59 floating + 0.00 funding = 0.21 net profit')
    const lines = [...resultLines(result, 1)].join('\n')
    expect(readResultLines('kept.json', lines)).toEqual({ ...result, elapsedMs: 1 })
  })

  test('may be missing in a result of 0.3.2, which is still read', async () => {
    const result = await played({ exit: 'exit: { mirror: 1 }' }, [60_000, 59_000, 60_500])
    const added = new Set(['pairs', 'gridProfit', 'floating', 'open', 'strategies'])
    const all = [...resultLines(result, 1)]
    const last = JSON.stringify(
      JSON.parse(all.at(-1) ?? '', (key, value: unknown) =>
        // The open of a candle is a number.
        added.has(key) && (key !== 'open' || typeof value === 'string') ? undefined : value,
      ),
    )
    const lines = [...all.slice(0, -1), last].join('\n')
    expect(lines).not.toContain('gridProfit')
    const read = readResultLines('kept.json', lines)
    expect(read.strategies).toEqual([])
    expect(backtestText(read, 1)).not.toContain('grid profit')
  })
})

test.each(actors)('%s: the pairs of the engine follow from the deals of the venue', async (name) => {
  const stage = await openSimulation(actingInput(name, 2, /^0[35]/.test(name) ? times(2, 2, 1) / 2 : 1))
  const result = await runSimulation(stage)
  expectSum(result)
  for (const { strategy, pairs, gridProfit } of result.strategies) {
    const own = stage.engine.state.strategies[strategy]!
    const parts = resultPartsOf(own)
    expect(parts).toMatchObject({ pairs, gridProfit, earlier: '0' })
    expect(new Decimal(parts.gridProfit).plus(parts.floating).toFixed()).toBe(own.worth.result)
  }
})
