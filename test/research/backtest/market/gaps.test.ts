import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { times } from '#test/properties/runs.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { actingInput } from '#test/research/backtest/jump/scripted-actions.ts'
import { gapped, madeBars, madeTrades, monday } from './generated-market.ts'
import { everywhere, played } from '#test/research/backtest/jump/step-everywhere.ts'

const minuteMs = 60_000
const walk = { seed: 3, minutes: 180, price: 60_000, pace: 0.0005, digits: 1 }

/** Half of each hour is missing in the file. */
const half = { everyMs: 60 * minuteMs, ms: 30 * minuteMs }

const ladder =
  '{ market: btc, side: buy, anchor: 50000, levels: 1, spacing: { kind: offsets, at: [1%] }, size: { total: 300 quote } }'

function input(feed: string, rules: string[], market: HistoricalMarket): BacktestInput {
  const ladders = new Set(rules.join(' ').match(/l\d/g))
  const text = `version: 1
name: gp
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: ${feed} }
ladder:
${[...ladders].map((name) => `  ${name}: ${ladder}`).join('\n')}
rules:
${rules.map((rule, index) => `  - { id: r${index}, ${rule} }`).join('\n')}
${guards}`
  const strategies = [{ path: 'gp.yaml', text }]
  const markets = new Map([['BTC_PERP', market]])
  return { strategies, markets, balance: '10000', latencyMs: 50, fill: 'through', seed: 'a' }
}

const feeds = [
  [
    'candles',
    '{ source: candles, market: btc, interval: 1m, stale_after: 2m }',
    'last(px)',
    madeBars(walk),
    120_000,
  ],
  [
    'a book',
    '{ source: book, market: btc, depth: 5, stale_after: 10s }',
    'mid(px)',
    madeTrades(walk, 5000),
    10_000,
  ],
] as const

test.each(feeds)(
  'data of %s become stale within a gap of the file, and nothing is sent',
  async (...about) => {
    const [, feed, price, market] = about
    const rules = ['00:20', '00:45', '01:05'].map(
      (time, index) =>
        `when: 'time_between(clock, "${time}", "${time.slice(0, 4)}9") && ${price} > 0', do: [ensure: l${index}]`,
    )
    const laid = async (past: HistoricalMarket) => {
      const { result } = await played(input(feed, rules, past))
      return result.rungs.map(({ id }) => id).sort()
    }
    expect(await laid(market)).toEqual(['gp.l0.1', 'gp.l1.1', 'gp.l2.1'])
    expect(await laid(gapped(market, half))).toEqual(['gp.l0.1', 'gp.l2.1'])
  },
)

test.each(feeds)('when %s becomes stale in a gap, its rules end at that moment', async (...about) => {
  const [, feed, price, market, staleMs] = about
  const rules = ['when: position(btc) == 0, do: [retire: l0]', `when: ${price} > 0, do: [ensure: l0]`]
  const { sent } = await played(input(feed, rules, gapped(market, half)))
  const ended = sent.flatMap(([at, { kind }]) => (kind === 'cancel' ? [at] : []))
  // The last data before the gap are a candle, and a price a few seconds before it.
  expect(ended.map((at) => Math.ceil((at - 1000 - staleMs) / minuteMs) * minuteMs - monday)).toEqual(
    [30, 90].map((minute) => minute * minuteMs),
  )
  // With the tick after that moment, as live.
  expect(new Set(ended.map((at) => at % 1000))).toEqual(new Set([0]))
})

test.each(
  ['01-static-grid.yaml', '05-market-making.yaml', '02-geometric-dip-ladder.yaml'].slice(0, times(3, 3, 2)),
)('gaps are leapt over as somebody passes them who looks at every second, with %s', async (name) => {
  const torn = () => {
    const whole = actingInput(name, 2, times(4, 4, 2) / 10)
    const holes = { everyMs: 5 * minuteMs, ms: 2 * minuteMs }
    const markets = [...whole.markets].map(([symbol, market]) => [symbol, gapped(market, holes)] as const)
    return { ...whole, markets: new Map(markets) }
  }
  const leaping = await played(torn())
  const watching = await played(torn(), everywhere)
  expect(leaping.sent.length).toBeGreaterThan(0)
  expect(watching.sent).toEqual(leaping.sent)
  expect(watching.result).toEqual(leaping.result)
  expect(leaping.result.assumptions.join(' ')).toMatch(/ has \d+ gaps?: in (it|them) nothing trades/)
})
