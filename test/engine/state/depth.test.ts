import { expect, test } from 'vitest'
import type { DepthValues } from '#src/engine/depth-event.ts'
import { EngineHarness, submitsOf } from '#test/engine/support/engine-harness.ts'
import { wholeExplanations } from '#src/engine/explain/explanation.ts'
import { replayExplanation } from '#test/engine/support/explanation-replay.ts'

/** `dips` reads the order book, and `rest` does not. */
const text = `version: 1
name: dep
needs: [bulk, history, balance, cancel, market_data]
markets: { btc: BTC_PERP }
feeds:
  top: { source: book, market: btc, stale_after: 1m }
  deep: { source: depth, market: btc, within: 0.1% }
ladder:
  dips:
    market: btc
    side: buy
    anchor: micro_price(deep)
    levels: 1
    spacing: { kind: offsets, at: [1%] }
    size: { total: 100 quote }
  rest:
    market: btc
    side: buy
    anchor: mid(top) at rule_start
    levels: 1
    spacing: { kind: offsets, at: [5%] }
    size: { total: 100 quote }
rules:
  - { id: heavy, when: imbalance(deep) >= 0.5 && bid_volume(deep) > 2 * ask_volume(deep), do: [ensure: dips] }
  - { id: always, when: mid(top) > 0, do: [ensure: rest] }
risk:
  max_notional: { btc: 1000 }
  worst_case: { move: -30%, max_loss: 500 }
  drawdown: { pause: 40%, halt: 50% }
`

const heavy: DepthValues = {
  bids: { price: '59999', amount: '3', volume: '12' },
  asks: { price: '60001', amount: '1', volume: '4' },
}

function quoted(): EngineHarness {
  const harness = new EngineHarness([text])
  harness.settle(harness.quote('BTC_PERP', 60_000))
  return harness
}

const depth = (harness: EngineHarness, values: DepthValues, within = '0.001') =>
  harness.tell({ kind: 'depth', market: 'BTC_PERP', within, ...values })

const sent = (step: ReturnType<EngineHarness['wait']>) =>
  submitsOf(step).flatMap(({ orders }) => orders.map(({ id, price }) => `${id} at ${price}`))

test('a rule and an anchor act on the depth at once: the price is nearer to the side with less', () => {
  const harness = quoted()
  // 59999 * 1/4 + 60001 * 3/4 = 60000.5, less 1 %.
  expect(sent(depth(harness, heavy))).toEqual(['dep.dips.1.1 at 59400.49'])
  const told = harness.steps.flatMap(({ step }) => wholeExplanations(step.decisions))
  const explained = told.findLast(({ ladder }) => ladder === 'dips')!
  expect(explained.rules[0]).toMatchObject({ id: 'heavy', truth: 'true' })
  const kept = JSON.parse(JSON.stringify(explained))
  expect(JSON.parse(JSON.stringify(replayExplanation(kept, text)))).toEqual(kept)
})

test('depth within another distance, or of one side, is not enough', () => {
  const harness = quoted()
  expect(sent(depth(harness, heavy, '0.002'))).toEqual([])
  expect(sent(depth(harness, { bids: null, asks: heavy.asks }))).toEqual([])
  // The imbalance of bids alone is 1, and there is no micro-price.
  expect(sent(depth(harness, { bids: heavy.bids, asks: null }))).toEqual([])
  expect(harness.ladder('dep', 'dips').goal).toBe('ensure')
  expect(sent(depth(harness, { bids: null, asks: null }))).toEqual([])
})

test('without any depth, other ladders have their entries; with stale depth, they wait', () => {
  const harness = quoted()
  expect(harness.resting()).toEqual(['dep.rest.1.1'])
  harness.settle(depth(harness, heavy))
  expect(harness.resting()).toEqual(['dep.rest.1.1', 'dep.dips.1.1'])
  harness.at += 5001
  expect(sent(harness.takenBack('dep.rest.1.1'))).toEqual([])
  expect(sent(depth(harness, heavy))).toEqual(['dep.rest.1.2 at 57000'])
})

test('values of the process before are unknown and stale', () => {
  const harness = quoted()
  harness.settle(depth(harness, heavy))
  harness.at += 1000
  harness.begin({ readsFirst: true })
  harness.account({})
  harness.tell({ kind: 'accountRead' })
  harness.quote('BTC_PERP', 60_000)
  expect(sent(harness.takenBack('dep.rest.1.1', 'dep.dips.1.1'))).toEqual([])
  expect(sent(depth(harness, heavy))).toHaveLength(2)
})

test('the depth of some levels is another value than the depth within a distance', () => {
  const harness = new EngineHarness([text.replace('within: 0.1%', 'levels: 5')])
  harness.settle(harness.quote('BTC_PERP', 60_000))
  const levels = (count: number) =>
    harness.tell({ kind: 'depth', market: 'BTC_PERP', levels: count, ...heavy })
  expect(sent(depth(harness, heavy))).toEqual([])
  expect(sent(levels(4))).toEqual([])
  expect(sent(levels(5))).toEqual(['dep.dips.1.1 at 59400.49'])
})
