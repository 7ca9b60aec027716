import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { EngineHarness } from '#test/engine/support/engine-harness.ts'

const two = `
version: 1
name: pair
markets: { btc: BTC_PERP, eth: ETH_PERP }
ladder:
  near:
    market: btc
    side: buy
    anchor: 1000
    levels: 1
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 700 quote }
  far:
    market: eth
    side: buy
    anchor: 1000
    levels: 1
    spacing: { kind: arithmetic, first: 2%, step: 1% }
    size: { total: 100 quote }
rules:
  - { id: go, when: 1 < 2, do: [ensure: near, ensure: far] }
risk:
  max_notional: { total: 650 }
  worst_case: { move: -30%, max_loss: 10000 }
  drawdown: { pause: 50%, halt: 90% }
`

test('the reason of a block states the sum that was compared with the limit, without orders that passed after it', () => {
  const harness = new EngineHarness([two])
  // The engine of a backtest.
  harness.engine = new Engine(null, { tells: false })
  harness.begin()
  for (const market of ['BTC_PERP', 'ETH_PERP']) harness.quote(market, 1000)
  harness.wait(1000)
  expect(Object.values(harness.engine.state.orders).map(({ ladder }) => ladder)).toEqual(['far'])
  const notes = harness.steps.flatMap(({ step }) => step.notes)
  expect(notes).toContainEqual(
    expect.objectContaining({
      type: 'risk-blocked',
      ladder: 'near',
      reason: 'max_notional total 650 would be 700.00 with this order',
      change: '50.00 less is within the limit',
    }),
  )
})
