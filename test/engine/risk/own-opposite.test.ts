import { expect, test } from 'vitest'
import { EngineHarness, told } from '#test/engine/support/engine-harness.ts'
import { oneBuy } from '#test/engine/support/one-buy.ts'

/** Buys at 60000 with a take profit that rests at 60600; a second ladder buys at the price of a later candle. */
const ladders = (flags: string) => `${oneBuy}
    exit: { tp: { pct: 1%, mode: resting } }
  rise:
    market: btc
    side: buy
    anchor: 61000
    levels: 1
    spacing: { kind: offsets, at: [0%] }
    size: { total: 3000 quote }
    flags: { postOnly: ${flags} }
rules:
  - { id: go, when: last(px) < 60500, do: [ensure: dip] }
  - { id: up, when: last(px) > 60500, do: [ensure: rise] }
risk:
  max_notional: { btc: 9000 }
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 80%, halt: 90% }
`

/** The take profit rests, and the best ask is its price. */
function atTakeProfit(flags: string) {
  const harness = new EngineHarness([ladders(flags)])
  harness.quote('BTC_PERP', 60_000)
  harness.settle(harness.candle('BTC_PERP', '1m', 60_000))
  harness.settle(harness.fill('dips.dip.1.1'))
  harness.at += 60_000
  harness.quote('BTC_PERP', 60_599)
  return { harness, sent: harness.settle(harness.candle('BTC_PERP', '1m', 60_599)) }
}

test('an entry that would trade with an order of its strategy waits until that has filled', () => {
  const { harness, sent } = atTakeProfit('false')
  expect(sent).toEqual([])
  harness.wait(1000)
  const blocked = harness.steps.flatMap(({ step }) =>
    step.notes.filter(({ type }) => type === 'risk-blocked'),
  )
  expect(blocked).toMatchObject([
    {
      ladder: 'rise',
      kind: 'own order',
      reason: 'dips.dip.t1.1 rests at 60600, and the order would trade with it',
    },
  ])
  expect(told(harness.settle(harness.fill('dips.dip.t1.1')))).toEqual(['dips.rise.1.1 buy 0.04918 at 61000'])
})

test('a price away from the own order, and a maker-only entry, are not held back', () => {
  const { harness } = atTakeProfit('false')
  harness.quote('BTC_PERP', 62_000)
  expect(told(harness.settle(harness.wait(1000)))).toEqual(['dips.rise.1.1 buy 0.04918 at 61000'])
  const { harness: other } = atTakeProfit('true')
  const blocked = other.steps.flatMap(({ step }) => step.notes.filter(({ type }) => type === 'risk-blocked'))
  expect(blocked).toEqual([])
})
