import { describe, expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation, type BacktestSimulation } from '#src/research/backtest/simulation.ts'
import { account } from '#src/research/backtest/world.ts'
import { resultPartsOf } from '#src/engine/holdings/pair-sums.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { restingOf } from '#src/exchange/trading/orders/find-orders.ts'
import { copyOfFacts } from '#test/exchange/order-fixture.ts'
import { factsAt, newestFirst } from '#src/exchange/trading/orders/order-history.ts'
import { times } from '#test/properties/runs.ts'
import { actingInput, actors } from './scripted-actions.ts'
import { madeBars, madeRates, monday, ratesAt } from '#test/research/backtest/market/generated-market.ts'
import { futuresStrategy } from '#test/strategy/futures-strategy.ts'
import { openStageOverHttp } from './over-http.ts'

/** Every order that the venue ever took from the account, as it knows it in the end. */
function ordersAt({ venue: { trading, state } }: Exchange): unknown[] {
  const owner = state.accounts.get(account.name)
  if (!owner) throw new RangeError('nobody trades')
  const ended = [...newestFirst(owner.finished)].map((place) => factsAt(owner.finished, place))
  const resting = [...restingOf(trading, owner, {})].map(({ row }) => factsAt(state.orders, row))
  return [...ended, ...resting].sort((a, b) => a.id - b.id).map(copyOfFacts)
}

/** Perpetuals pay every twenty minutes. */
function paidIn({ markets, from = 0 }: BacktestInput): NonNullable<BacktestInput['funding']> {
  const perpetuals = [...markets.keys()].filter((symbol) => symbol.endsWith('_PERP'))
  return new Map(perpetuals.map((symbol) => [symbol, madeRates(1, from, from + 14_400_000, 1_200_000)]))
}

async function played(stage: BacktestSimulation) {
  const { summary, fills, rules, rungs, rejected, strategies } = await runSimulation(stage)
  // What a running bot shows of its pairs, from the fills that it has booked. Its result is as old as the last evaluation, which
  // a reading of the account may bring about: evaluated once more, it is at the last price.
  stage.engine.step({ kind: 'tick', at: stage.engine.state.at })
  const parts = Object.values(stage.engine.state.strategies).map(resultPartsOf)
  expect(parts.map(({ gridProfit, pairs }) => ({ gridProfit, pairs }))).toEqual(
    strategies.map(({ gridProfit, pairs }) => ({ gridProfit, pairs })),
  )
  return { summary, fills, rules, rungs, rejected, parts, orders: ordersAt(stage.exchange) }
}

/** Half of each market in `npm test`; the week of the schedule begins later. */
const part = times(2, 2, 1) / 2
const parts: Readonly<Record<string, number>> = { '03': part / 2, '05': part / times(3, 3, 6), '07': 1 }

async function expectTheSame(input: BacktestInput) {
  const past = await played(await openSimulation(input))
  const { stage, close } = await openStageOverHttp(input)
  try {
    const paper = await played(stage)
    expect(past.fills.length).toBeGreaterThan(0)
    for (const [index, order] of paper.orders.entries()) expect(order).toEqual(past.orders[index])
    expect(JSON.stringify(paper)).toBe(JSON.stringify(past))
    return past
  } finally {
    await close()
  }
}

describe.each(actors)('%s', (name) => {
  test('sends the same orders and has the same fills on paper over HTTP as in the past', async () => {
    // Ten minutes of trades are as many points as hours of bars; a ladder that trails sends many orders.
    const acting = actingInput(name, 3, parts[name.slice(0, 2)] ?? part)
    await expectTheSame({ ...acting, funding: paidIn(acting) })
  })
})

test.each([
  ['standard/imbalance-skew.yaml', 0.2],
  ['standard/funding-arbitrage.yaml', 0.25],
])('%s with the files of its inputs does the same on paper over HTTP as in the past', async (name, share) => {
  const acting = actingInput(name, 3, share)
  const { rules } = await expectTheSame({ ...acting, funding: paidIn(acting) })
  for (const { fired } of rules.slice(0, 1)) expect(fired).toBeGreaterThan(0)
})

test('a strategy that reads futures does the same on paper over HTTP as in the past', async () => {
  const cheap = 'mark(fut) < 59990 && funding_hours(fut) > 0.05 && funding(fut) < 1'
  const [first, step] = ['first: 0.1%', 'step: 0.1%']
  const text = futuresStrategy({ cheap }).replace('first: 1%', first).replace('step: 1%', step)
  const market = madeBars({ seed: 3, minutes: 60, price: 60_000, digits: 1, pace: 0.002, from: monday })
  const rates = madeRates(1, monday, monday + 3_600_000, 600_000).rates.map(({ at, rate }) => {
    return { at, rate, calculatedAt: at - 300_000 }
  })
  await expectTheSame({
    strategies: [{ path: 'futent.yaml', text }],
    markets: new Map([['BTC_PERP', market]]),
    funding: new Map([['BTC_PERP', ratesAt(rates)]]),
    from: monday,
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  })
})
