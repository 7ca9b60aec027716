import { expect, test } from 'vitest'
import { runSweep, type FoldResult } from '#src/research/sweep/sweep.ts'
import { luckMost } from '#src/research/sweep/luck/luck-limit.ts'
import { readVariation } from '#src/research/sweep/variation.ts'
import { times } from '#test/properties/runs.ts'
import { chanceOf, monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'
import { inProcessRunner } from '../in-process-runner.ts'

/** Buys below an average, and sells with a profit or after six hours. */
const text = `version: 1
name: dips
markets: { btc: BTC_USDT }
feeds: { px: { source: candles, market: btc, interval: 15m, stale_after: 1h } }
let: { price: last(px) }
ladder:
  dip:
    market: btc
    side: buy
    anchor: sma(px, 8)
    rebase: { drift: 0.5%, min_gap: 30m }
    levels: 2
    spacing: { kind: arithmetic, first: 0.4%, step: 0.4% }
    size: { total: 1000 quote }
    exit: { tp: { pct: 0.6% }, max_age: 6h, cooldown: 5m }
rules: [{ id: place, when: price > 0, do: [ensure: dip] }]
risk:
  max_notional: { total: 2000 }
  worst_case: { move: -30%, max_loss: 900 }
  drawdown: { pause: 50%, halt: 60% }
`
const variations = ['ladder.dip.spacing.first=0.4%,0.6%', 'ladder.dip.exit.tp.pct=0.4%,0.6%,0.9%'].map(
  readVariation,
)
const tradeMs = 300_000
const trades = 1500
/** The last part is short: these tests look only at the in-sample part. */
const learnShare = 0.95
const pace = 0.002
const fees = { maker: '0.001', taker: '0.001' }

/** Prices that return to their mean by a share of the distance in five minutes; without it, a random walk. */
function pricesOf(seed: number, pull: number) {
  const chance = chanceOf(seed)
  let away = 0
  return tradesAt(
    Array.from({ length: trades }, (_, trade) => {
      const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
      away += pace * normal - pull * away
      return { at: monday + trade * tradeMs, price: Math.round(6_000_000 * Math.exp(away)) / 100 }
    }),
  )
}

async function sweepOn(seed: number, pull: number): Promise<FoldResult> {
  const result = await runSweep({
    strategy: { path: 'dips.yaml', text },
    span: { from: monday, to: monday + trades * tradeMs },
    variations,
    search: { kind: 'grid', split: { learnShare } },
    by: ['profit'],
    runner: inProcessRunner(pricesOf(seed, pull), fees),
    faultOf: () => undefined,
    begin: () => {},
    found: () => {},
    done: () => {},
  })
  if (!result?.folds[0]) throw new Error('the sweep was interrupted')
  return result.folds[0]
}

const markets = times(3, 80, 1)
const countLuck = (folds: readonly FoldResult[]) =>
  folds.filter(({ luck }) => (luck?.probability ?? 1) > luckMost).length

async function sweepAll(pull: number): Promise<FoldResult[]> {
  const folds: FoldResult[] = []
  for (let seed = 0; seed < markets; seed++) folds.push(await sweepOn(seed, pull))
  return folds
}

test('on random walks, at least 95% of the best results may be luck', async () => {
  const count = countLuck(await sweepAll(0))
  process.stderr.write(`luck on ${count} of ${markets} random walks\n`)
  expect(count).toBeGreaterThanOrEqual(0.95 * markets)
})

test('on markets whose reversion pays three times the fees, at most 20% may be luck', async () => {
  const folds = await sweepAll(0.09)
  let [gross, paid] = [0, 0]
  for (const { learned } of folds.flatMap(({ rows }) => rows)) {
    if ('refused' in learned) throw new Error(learned.refused)
    gross += Number(learned.summary.netProfit) + Number(learned.summary.fees)
    paid += Number(learned.summary.fees)
  }
  const count = countLuck(folds)
  process.stderr.write(
    `gains are ${(gross / paid).toFixed(2)} times the fees; luck on ${count} of ${markets} markets\n`,
  )
  expect(gross / paid).toBeGreaterThan(2.5)
  expect(gross / paid).toBeLessThan(3.5)
  expect(count).toBeLessThanOrEqual(0.2 * markets)
})
