import { expect, test } from 'vitest'
import { tradeSides, type HistoricalMarket, type PointBlock } from '#src/market/data/historical-market.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { chanceOf, madeBars, monday } from '#test/research/backtest/market/generated-market.ts'
import { tradesStrategy } from '#test/strategy/trades-strategy.ts'

const secondMs = 1000
const unit = 1e9

/** Trades with amounts and sides by chance, several in a second or none for some seconds. */
function market(seed: number, sides: 'all' | 'some' | 'none' = 'all'): HistoricalMarket {
  const chance = chanceOf(seed)
  const at: number[] = []
  for (let time = monday + 400; time < monday + 150_000; time += Math.floor(chance() ** 4 * 9000))
    at.push(time)
  const units = at.map(() => (60_000 + Math.floor(chance() * 5)) * unit)
  const amounts = at.map(() => Math.ceil(chance() * 3) * 1e8 + Math.floor(chance() * 3))
  const side = () => (sides === 'some' && chance() < 0.05 ? tradeSides.unknown : 1 + Math.floor(chance() * 2))
  const block: PointBlock = {
    count: at.length,
    at: Float64Array.from(at),
    units: Float64Array.from(units),
    amounts: Float64Array.from(amounts),
    ...(sides !== 'none' && { sides: Uint8Array.from(at, side) }),
    low: Math.min(...units),
    high: Math.max(...units),
  }
  const endsAt = at.at(-1) ?? 0
  const none = { gaps: 0, gapPlaces: [], duplicates: 0, notes: [] }
  const seen = { rows: at.length, points: at.length, endsAt, low: block.low, high: block.high, ...none }
  const about = { name: undefined, print: 'made', kind: 'trades', barMs: undefined } as const
  return { ...about, beginsAt: at[0] ?? 0, seen, blocks: () => [block].values() }
}

function inputOf(file: HistoricalMarket, from?: number): BacktestInput {
  return {
    strategies: [{ path: 'flow.yaml', text: tradesStrategy({}) }],
    markets: new Map([['BTC_PERP', file]]),
    ...(from !== undefined && { from }),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  }
}

/** The windows that the engine has after each event of trades, and what the result says of the values. */
async function played(input: BacktestInput) {
  const stage = await openSimulation(input)
  const seen: { at: number; windows: Record<string, unknown> }[] = []
  const journal: typeof stage.journal = {
    ...stage.journal,
    append: (event) => {
      if (event.kind !== 'trades') return
      seen.push({
        at: event.at,
        windows: structuredClone(stage.engine.state.trades?.['BTC_PERP']?.windows ?? {}),
      })
    },
  }
  const { assumptions } = await runSimulation({ ...stage, journal })
  return { seen, unknown: assumptions.filter((text) => text.includes('is unknown')) }
}

/** A whole number of 10^-9 as a decimal. */
function text(value: bigint): string {
  const digits = String(value).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '')
}

const texts = (of: Record<string, bigint>) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, text(value)]))

/** The sums of a window, by whole numbers, from the points of the file. */
function naive(file: HistoricalMarket, until: number, span: number) {
  const sums = { bought: 0n, sold: 0n, unsided: 0n, unpriced: 0n, count: 0 }
  const prices: Record<string, bigint> = {}
  for (const { at, units, amounts, sides } of file.blocks())
    for (const [place, time] of at.entries()) {
      if (time < until - span || time >= until) continue
      const amount = BigInt(amounts[place] ?? 0)
      const side = (['unsided', 'bought', 'sold'] as const)[sides?.[place] ?? 0]!
      sums[side] += amount
      sums.count += 1
      const price = String((units[place] ?? 0) / unit)
      prices[price] = (prices[price] ?? 0n) + amount
    }
  const { count, ...amounts } = sums
  return { ...texts(amounts), count, prices: texts(prices) }
}

test.each([
  ['all', 1],
  ['some', 2],
] as const)(
  'each window has the sums of its seconds, as whole numbers give them: sides of %s trades',
  async (sides, seed) => {
    const file = market(seed, sides)
    const { seen } = await played(inputOf(file))
    expect(seen.length).toBeGreaterThan(60)
    const begun = Math.ceil(file.beginsAt / secondMs) * secondMs
    for (const { at, windows } of seen) {
      const spans = [5000, 20_000, 60_000].filter((span) => at - span >= begun)
      expect(Object.keys(windows).map(Number)).toEqual(spans)
      for (const span of spans) expect(windows[span]).toEqual(naive(file, at, span))
    }
  },
)

test('a poll without news is no event: windows stay as they are', async () => {
  const file = market(3)
  const { seen } = await played(inputOf(file))
  const events = new Map(seen.map((each) => [each.at, each.windows]))
  const begun = Math.ceil(file.beginsAt / secondMs) * secondMs
  let windows: Record<string, unknown> = {}
  for (let at = begun + 60_000; at < monday + 140_000; at += secondMs) {
    windows = events.get(at) ?? windows
    if (at === begun + 60_000) continue
    for (const span of [5000, 20_000, 60_000]) expect(windows[span]).toEqual(naive(file, at, span))
  }
  expect(events.size).toBeLessThan(140)
})

test('a backtest that begins later in the file knows the trades before its beginning', async () => {
  const file = market(4)
  const from = monday + 70_500
  const { seen } = await played(inputOf(file, from))
  const [first] = seen
  expect(first?.at).toBe(monday + 71_000)
  for (const span of [5000, 20_000, 60_000])
    expect(first?.windows[span]).toEqual(naive(file, first?.at ?? 0, span))
})

const noSides = (name: string) =>
  `flow: ${name}(flow) is unknown: the market file does not state the side of each trade.`

test('the result says which values a file cannot give', async () => {
  expect((await played(inputOf(market(5)))).unknown).toEqual([])
  const { seen, unknown } = await played(inputOf(market(6, 'none')))
  expect(unknown.toSorted()).toEqual([noSides('buy_volume'), noSides('sell_volume')])
  expect(seen.at(-1)?.windows['60000']).toMatchObject({ bought: '0', sold: '0' })
  const bars = madeBars({ seed: 7, minutes: 5, price: 60_000, digits: 1, pace: 0.002, from: monday })
  const ofBars = await played(inputOf(bars))
  expect(ofBars.seen).toEqual([])
  expect(ofBars.unknown.toSorted()).toEqual(
    ['buy_volume', 'sell_volume', 'trade_count', 'volume_between'].map(
      (name) => `flow: ${name}(flow) is unknown: the market file has bars, not trades.`,
    ),
  )
})
