import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { HistoricalMarket, PointBlock } from '#src/market/data/historical-market.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { chanceOf, madeBars } from '#test/research/backtest/market/generated-market.ts'
import { gridFile } from './runner/grid.ts'
import { medianOf } from './runner/median.ts'
import { report } from './runner/report.ts'

/**
 * What users backtest, as ratios of CPU time in alternating rounds: a grid with more lines, exits or limits against the plain
 * grid, for each fill; the packaged strategies in a volatile and in a trending year against an ordinary one; all of them at
 * once against each alone; market making over a week whose minutes are shuffled against the week itself.
 */
const minutes = 525_600
const ordinary = 0.025 / Math.sqrt(1440)
const prices: Readonly<Record<string, number>> = { BTC: 60_000, ETH: 3000, SOL: 150 }

type Job = { texts: readonly string[]; markets: BacktestInput['markets'] }
type Measured = { ms: number; result: BacktestResult }

async function once({ texts, markets }: Job): Promise<Measured> {
  const before = process.cpuUsage()
  const result = await runBacktest({
    strategies: texts.map((text, place) => ({ path: `strategy-${place}.yaml`, text })),
    markets,
    latencyMs: 50,
    fill: 'through',
    seed: 'bench',
  })
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, result }
}

/** Jobs in turns, so that a slow moment of the machine hits all of them. */
async function inTurns(jobs: readonly Job[], rounds = 1): Promise<Measured[]> {
  const all: Measured[][] = jobs.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [place, job] of jobs.entries()) all[place]?.push(await once(job))
  return all.map((each) => ({ ms: medianOf(each.map(({ ms }) => ms)), result: each[0]!.result }))
}

/** Lines that are 60 apart. */
function lines(levels: number) {
  const reach = 30 * (levels - 1)
  return { levels, from: 60_000 - reach, to: 60_000 + reach, total: levels * 20 }
}

const perFill = ({ ms, result }: Measured) => (1000 * ms) / result.summary.fills
/** Two weeks within the lines of the small grid. */
const calm = new Map([
  ['BTC_USDT', madeBars({ seed: 3, minutes: 20_160, price: 60_000, pace: 0.3 * ordinary })],
])
const limits = guards
  .replace(
    'max_notional:',
    'per_week: 1000000\n  daily_loss: 50000\n  max_position: { btc: 50 }\n  max_notional:',
  )
  .replace('max_open_orders', 'price_band: 20%\n  order_rate: { orders: 1000, per: 1m }\n  max_open_orders')
const exits = '{ tp: { pct: 0.1% }, stop: { pct: 9% }, max_age: 90d }'
const grids = [
  gridFile(lines(101)),
  gridFile(lines(901)),
  gridFile({ ...lines(101), side: 'buy', exit: exits }),
  gridFile({ ...lines(101), limits }),
]
const [plain, ...others] = await inTurns(
  grids.map((text) => ({ texts: [text], markets: calm })),
  5,
)
for (const [place, what] of ['901 lines', 'three exits', 'more limits'].entries()) {
  const other = others[place]!
  const [ours, base] = [perFill(other), perFill(plain!)]
  const fills = `${plain!.result.summary.fills} and ${other.result.summary.fills} fills`
  const limits = { atMost: 2, wanted: 1.3 }
  report({
    goal: 'P8c',
    what: `${what}, each fill`,
    ours,
    ratio: ours / base,
    unit: 'µs',
    ...limits,
    detail: fills,
  })
}

const texts = globSync('strategies/*.yaml')
  .toSorted()
  .map((path) => ({ name: basename(path, '.yaml'), text: readFileSync(path, 'utf8') }))
const symbolsOf = (text: string) => [...text.matchAll(/symbol: (\w+)/g)].map(([, symbol = '']) => symbol)

/** One price path for each base currency, so that hedges hedge. */
function marketsOf(
  symbols: readonly string[],
  pace: number,
  drift: number,
  length = minutes,
): Job['markets'] {
  return new Map(
    symbols.map((symbol) => {
      const [base = ''] = symbol.split('_')
      const price = prices[base] ?? 1
      return [symbol, madeBars({ seed: base.charCodeAt(0), minutes: length, price, pace, drift })]
    }),
  )
}

/** Quotes at each second: a year would take hours. */
const dense = (name: string) => name.includes('market-making')
for (const { name, text } of texts) {
  const length = dense(name) ? 1440 : minutes
  const years = [
    [ordinary, 0],
    [0.001, 0],
    [ordinary, 0.7 / length],
  ] as const
  const jobs = years.map(([pace, drift]) => ({
    texts: [text],
    markets: marketsOf(symbolsOf(text), pace, drift, length),
  }))
  const [quiet, ...rest] = await inTurns(jobs)
  for (const [place, what] of ['volatile', 'trending'].entries()) {
    const other = rest[place]!
    const [usual, { fills }] = [quiet!.result.summary.fills, other.result.summary]
    const refused = other.result.rejected.reduce((sum, { count }) => sum + count, 0)
    report({
      what: `${name}, ${what}`,
      ours: other.ms,
      ratio: other.ms / quiet!.ms,
      unit: 'ms',
      atMost: 3,
      wanted: 1.2,
      detail: `${quiet!.ms.toFixed(0)} ms in the ordinary year, ${fills} and ${usual} fills, ${refused} refused`,
    })
  }
}

const month = marketsOf(
  texts.flatMap(({ text }) => symbolsOf(text)),
  ordinary,
  0,
  2880,
)
const [together, ...alone] = await inTurns([
  { texts: texts.map(({ text }) => text), markets: month },
  ...texts.map(({ text }) => ({
    texts: [text],
    markets: new Map([...month].filter(([symbol]) => symbolsOf(text).includes(symbol))),
  })),
])
const sum = alone.reduce((ms, each) => ms + each.ms, 0)
report({
  what: 'eight strategies at once for two days',
  ours: together!.ms,
  ratio: together!.ms / sum,
  unit: 'ms',
  atMost: 1.5,
  wanted: 1,
  detail: `each alone ${sum.toFixed(0)} ms`,
})

/** The bars of a market in random order, joined to one path: the same minutes, without hours in which little happens. */
function shuffled(market: HistoricalMarket): HistoricalMarket {
  const [chance, tick] = [chanceOf(5), 1e8]
  const blocks = [...market.blocks()]
  const bars = blocks.flatMap(({ units, count }) =>
    Array.from({ length: count / 4 }, (_, bar) => units.subarray(4 * bar, 4 * bar + 4)),
  )
  const order = bars.map((bar) => ({ bar, at: chance() })).toSorted((one, other) => one.at - other.at)
  let price = bars[0]?.[0] ?? 0
  const path = order.flatMap(({ bar }) => {
    const moved = Array.from(bar, (units) => Math.round((price * units) / (bar[0] ?? 1) / tick) * tick)
    price = moved[3] ?? price
    return moved
  })
  let place = 0
  const joined = blocks.map((block): PointBlock => {
    const units = Float64Array.from(path.slice(place, place + block.count))
    place += block.count
    const [low, high] = [units.reduce((a, b) => Math.min(a, b)), units.reduce((a, b) => Math.max(a, b))]
    return Object.assign({}, block, { units, low, high })
  })
  return { ...market, blocks: () => joined.values() }
}

const week = sharedMarket(loadMarket('config/markets/BTC_PERP.csv.zst'))
const maker = texts.filter(({ name }) => dense(name)).map(({ text }) => text)
const [asRecorded, inAnyOrder] = await inTurns(
  [week, shuffled(week)].map((market) => ({ texts: maker, markets: new Map([['BTC_PERP', market]]) })),
)
const [asUsual, other] = [asRecorded!.result.summary.fills, inAnyOrder!.result.summary.fills]
report({
  what: 'market making, shuffled minutes',
  ours: inAnyOrder!.ms,
  ratio: inAnyOrder!.ms / asRecorded!.ms,
  unit: 'ms',
  atMost: 2.5,
  wanted: 1.5,
  detail: `${asRecorded!.ms.toFixed(0)} ms as recorded, ${asUsual} and ${other} fills`,
})
