import type { HistoricalMarket, PointBlock } from '#src/market/data/historical-market.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import { chanceOf } from '#test/research/backtest/market/generated-market.ts'
import { reportGrids } from './runner/grid-ratios.ts'
import { inTurns } from './runner/jobs.ts'
import { isDense, marketsOf, reportPackaged, symbolsOf, texts } from './runner/packaged-ratios.ts'
import { report } from './runner/report.ts'

/**
 * What users backtest, as ratios of CPU time in alternating rounds: a grid with more lines, exits, limits, indicators, fills or
 * blocked lines against the plain grid; the packaged strategies in a volatile and in a trending year against an ordinary one; all
 * of them at once against each alone; market making over a week whose minutes are shuffled against the week itself.
 */
await reportGrids(5)
await reportPackaged(texts, { minutes: 525_600, rounds: 1 })

const days = marketsOf(
  texts.flatMap(({ text }) => symbolsOf(text)),
  { minutes: 2880 },
)
const [together, ...alone] = await inTurns([
  { texts: texts.map(({ text }) => text), markets: days },
  ...texts.map(({ text }) => ({
    texts: [text],
    markets: new Map([...days].filter(([symbol]) => symbolsOf(text).includes(symbol))),
  })),
])
const sum = alone.reduce((ms, each) => ms + each.ms, 0)
report({
  what: 'eight strategies at once for two days',
  ours: together!.ms,
  floor: sum,
  ratio: together!.ms / sum,
  unit: 'ms',
  atMost: 1.5,
  wanted: 1,
  detail: 'against the sum of each alone',
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
const maker = texts.filter(({ name }) => isDense(name)).map(({ text }) => text)
const [asRecorded, inAnyOrder] = await inTurns(
  [week, shuffled(week)].map((market) => ({ texts: maker, markets: new Map([['BTC_PERP', market]]) })),
)
const [asUsual, other] = [asRecorded!.result.summary.fills, inAnyOrder!.result.summary.fills]
report({
  what: 'market making, shuffled minutes',
  ours: inAnyOrder!.ms,
  floor: asRecorded!.ms,
  ratio: inAnyOrder!.ms / asRecorded!.ms,
  unit: 'ms',
  atMost: 2.5,
  wanted: 1.5,
  detail: `${asUsual} and ${other} fills`,
})
