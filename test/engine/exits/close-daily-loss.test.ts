import { describe, expect, test } from 'vitest'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { exitStatuses } from '#src/engine/exits/exit-reasons.ts'
import { accepted, EngineHarness, minute } from '#test/engine/support/engine-harness.ts'
import { oneBuy } from '#test/engine/support/one-buy.ts'

/** Closes a share each minute below 59000, at a loss. */
const unstuck = (daily: string) => `${oneBuy}
    exit: { tp: { pct: 9% } }
rules:
  - { id: go, when: last(px) < 60500, do: [ensure: dip] }
  - id: unstuck
    when: last(px) < 59000
    cooldown: 30s
    do: [close: { of: dip, share: 20%, slippage: 1%, daily_loss: ${daily} }]
risk:
  max_notional: { btc: 4000 }
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 80%, halt: 90% }
`

function minuteAt(harness: EngineHarness, price: number) {
  harness.at += minute
  harness.quote('BTC_PERP', price)
  return harness.settle(harness.candle('BTC_PERP', '1m', price), (order) => accepted(order))
}

/** A position of 0.05 from 60000. */
function held(daily: string) {
  const harness = new EngineHarness([unstuck(daily)])
  harness.account({}, {}, '10000')
  harness.quote('BTC_PERP', 60_000)
  harness.settle(harness.candle('BTC_PERP', '1m', 60_000))
  harness.settle(harness.fill('dips.dip.1.1'))
  return harness
}

describe('daily_loss', () => {
  test.each(['40', '0.4% equity'])('of %s bounds what shares lose in a day', (daily) => {
    const harness = held(daily)
    // At worst 1 % below the bid of 57999: 2580.99 for one.
    expect(minuteAt(harness, 58_000)).toMatchObject([{ level: 'cl', amount: '0.01', price: '57419.01' }])
    // 40 less 25.8099 pay for 0.0054.
    expect(minuteAt(harness, 58_000)).toMatchObject([{ level: 'cl', amount: '0.005497' }])
    const { lostByClose } = harness.engine.state.strategies['dips']!
    expect(Number(lostByClose?.money)).toBeCloseTo(39.9977, 3)
    expect(minuteAt(harness, 58_000)).toEqual([])
    const before = harness.steps.length
    expect(minuteAt(harness, 58_000)).toEqual([])
    const fired = harness.steps.slice(before).flatMap(({ step }) => step.notes.map(({ type }) => type))
    expect(fired).not.toContain('rule-fired')
    harness.at = Date.UTC(2026, 0, 2) - minute
    // The rule goes on with the next day.
    expect(minuteAt(harness, 58_000)).toMatchObject([{ level: 'cl' }])
  })

  test('does not bound a share at a gain, and why says that the rule waits', () => {
    const harness = held('1')
    expect(minuteAt(harness, 58_000)).toMatchObject([{ level: 'cl', amount: '0.000387' }])
    expect(minuteAt(harness, 58_000)).toEqual([])
    const { state } = harness.engine
    const compiled = compileStrategy(state.strategies['dips']!.text, state.venue)!
    const [ladder] = compiled.ladders
    const found = exitStatuses({
      state,
      scene: compiled,
      ladder: ladder!,
      own: harness.ladder('dips', 'dip'),
    })
    const why = found.find(({ label }) => label === 'cl')?.why
    expect(why).toMatch(
      /^the rule unstuck waits for a better price or the next 00:00 UTC: daily_loss 1: 0\.998\d+ is lost since 00:00 UTC/,
    )
    expect(why).toContain(
      'and the smallest order (0.000088 at 57419.01) can lose 0.2272 now, more than the rest',
    )
  })

  test('waits while the equity is unknown that it is a share of', () => {
    const harness = new EngineHarness([unstuck('1% equity')])
    harness.quote('BTC_PERP', 60_000)
    harness.settle(harness.candle('BTC_PERP', '1m', 60_000))
    harness.settle(harness.fill('dips.dip.1.1'))
    expect(minuteAt(harness, 58_000)).toEqual([])
    harness.account({}, {}, '10000')
    harness.settle(harness.wait(1000))
    expect(minuteAt(harness, 58_000)).toMatchObject([{ level: 'cl', amount: '0.01' }])
  })
})
