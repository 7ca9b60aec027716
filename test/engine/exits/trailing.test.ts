import { expect, test } from 'vitest'
import { fileOf, trailingBuys, type EngineHarness } from '#test/engine/support/engine-harness.ts'

/** The alert of a rule becomes due while a trailing exit follows the price. */
function following(): { harness: EngineHarness; entry: number; unit: number } {
  const rule = `  - id: lunch
    when: time_between(clock, "12:08", "12:30")
    do: [alert: lunch]
`
  const harness = trailingBuys(fileOf('trailing-volatility').replace('\nrisk:', `${rule}\nrisk:`))
  const price = Number(harness.order('tvol.trail.1.1').price)
  harness.settle(harness.quote('BTC_PERP', price, 0.02))
  harness.settle(harness.fill('tvol.trail.1.1'))
  const { held, unit } = harness.ladder('tvol', 'trail')
  return { harness, entry: Number(held.entry), unit: Number(unit) }
}

const cents = (price: number) => Math.round(price * 100) / 100

test('a better price moves a trailing exit at once, and rules are evaluated with the tick', () => {
  const { harness, entry, unit } = following()
  const high = cents(entry + 1.5 * unit)
  harness.at += 30_000
  harness.settle(harness.quote('BTC_PERP', cents(entry + 1.1 * unit), 0.02))
  harness.at += 30_500
  const { notes } = harness.quote('BTC_PERP', high, 0.02)
  expect(notes).toEqual([])
  expect(harness.ladder('tvol', 'trail').exits.trailBest).toBe(high - 0.01)
  expect(harness.tell({ kind: 'tick' }).notes).toMatchObject([{ type: 'alert' }, { type: 'rule-fired' }])
  // From 0.35 units below on, it leaves.
  expect(harness.quote('BTC_PERP', cents(high - 0.3 * unit), 0.02).commands).toEqual([])
  expect(harness.quote('BTC_PERP', cents(high - 0.36 * unit), 0.02).commands).not.toEqual([])
})
