import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import { runSweep } from '#src/research/sweep/sweep.ts'
import type { SweepRunner } from '#src/research/sweep/variant-runs.ts'
import { readVariation } from '#src/research/sweep/variation.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { isSlowRun, times } from '#test/properties/runs.ts'
import { chanceOf, madeBars, monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'
import { outcomeOf } from './in-process-runner.ts'

const read = readStrategy(readFileSync('docs/examples/parameters.yaml'), (name) =>
  readFileSync(`docs/examples/${name}`),
)
if (Array.isArray(read)) throw new Error(JSON.stringify(read))
const strategy = { path: 'parameters.yaml', text: read.text() }
const variations = [
  'parameters.first=0.2%..1.4%:0.05%',
  'parameters.levels=4..12:1',
  'parameters.profit=0.5%..2.9%:0.1%',
].map(readVariation)
const minuteMs = 60_000
const minutes = 700

function returning(): HistoricalMarket {
  const chance = chanceOf(21)
  let away = 0
  const trades = Array.from({ length: minutes }, (_, minute) => {
    away += 0.004 * (chance() + chance() - 1) - 0.02 * away
    return { at: monday + minute * minuteMs, price: Math.round(6_000_000 * Math.exp(away)) / 100 }
  })
  return tradesAt(trades)
}

const markets: [string, () => HistoricalMarket, number][] = [
  ['a random walk', () => madeBars({ seed: 12, minutes, price: 60_000, pace: 0.0015 }), monday],
  ['a fall', () => madeBars({ seed: 4, minutes, price: 60_000, pace: 0.001, drift: -0.00004 }), monday],
  ['prices that return to their mean', returning, monday],
  [
    'the packaged market',
    () => sharedMarket(loadMarket('config/markets/BTC_USDT.csv')),
    monday + 2 * 1440 * minuteMs,
  ],
]

/** The searches of a market share their backtests. What runs out-of-sample does not matter here. */
function sharedRunner(market: HistoricalMarket, learnTo: () => number): SweepRunner {
  const known = new Map<string, Promise<VariantOutcome>>()
  const skipped: VariantOutcome = { refused: 'out-of-sample' }
  return {
    async run(tasks, _leftMs, done) {
      for (let { value: task } = tasks.next(); task; { value: task } = tasks.next()) {
        if (task.from >= learnTo()) {
          done(task, skipped)
          continue
        }
        const own = known.get(task.text) ?? outcomeOf(task, market)
        known.set(task.text, own)
        done(task, await own)
      }
    },
  }
}

const tries = 200
const seeds = times(4, 4)

/** The best profits of the search and of random variants, for each seed. */
async function bestsOn(market: HistoricalMarket, from: number): Promise<[number, number][]> {
  const runner = sharedRunner(market, () => from + 0.95 * minutes * minuteMs)
  const bestOf = async (kind: 'tpe' | 'random', seed: number) => {
    const result = await runSweep({
      strategy,
      span: { from, to: from + minutes * minuteMs },
      variations,
      search: { kind, tries, seed: `${kind} ${seed}`, split: { learnShare: 0.95 } },
      by: ['profit'],
      runner,
      faultOf: () => undefined,
      begin: () => {},
      found: () => {},
      done: () => {},
    })
    const best = result?.folds[0]?.rows[0]?.learned
    return best && 'summary' in best ? Number(best.summary.netProfit) : -Infinity
  }
  const bests: [number, number][] = []
  for (let seed = 0; seed < seeds; seed++)
    bests.push([await bestOf('tpe', seed), await bestOf('random', seed)])
  return bests
}

// Thousands of backtests: npm test searches only functions.
test.skipIf(!isSlowRun)(
  'on three of four markets, a search finds a better profit than random variants with three of four seeds',
  async () => {
    let better = 0
    for (const [name, marketOf, from] of markets) {
      const bests = await bestsOn(marketOf(), from)
      const wins = bests.filter(([ours, random]) => ours > random).length
      const [ours = 0, random = 0] = [0, 1].map(
        (side) => bests.map((each) => each[side] ?? 0).toSorted((a, b) => a - b)[Math.floor(seeds / 2)],
      )
      process.stderr.write(
        `${name}: better with ${wins} of ${seeds}, median ${ours.toFixed(2)} against ${random.toFixed(2)}\n`,
      )
      if (wins >= 0.75 * seeds) better += 1
    }
    expect(better).toBeGreaterThanOrEqual(3)
  },
)
