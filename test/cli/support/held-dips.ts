import { EngineHarness } from '#test/engine/support/engine-harness.ts'

/** A bot whose strategy buys below 60000, and whose first order has filled. The exits are in braces. */
export function heldDips(
  { levels, spacing, exit }: { levels: number; spacing: string; exit: string },
  options?: ConstructorParameters<typeof EngineHarness>[1],
): EngineHarness {
  const text = `version: 1
name: dips
markets: { btc: BTC_PERP }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: ${levels}
    spacing: ${spacing}
    size: { total: 3000 quote }
    exit: ${exit}
rules:
  - { id: go, when: 1 < 2, do: [ensure: dip] }
risk:
  max_notional: { btc: 4000 }
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 80%, halt: 90% }
`
  const harness = new EngineHarness([text], options)
  harness.settle(harness.quote('BTC_PERP', 60_000))
  harness.settle(harness.wait(1000))
  harness.settle(harness.fill('dips.dip.1.1'))
  return harness
}
