import { expect, test } from 'vitest'
import { fileOf, trailingBuys, type Desk } from '#test/engine/support/engine-harness.ts'

/** The alert of a rule becomes due while a trailing exit follows the price. */
function following(): { desk: Desk; entry: number; unit: number } {
  const rule = `  - id: lunch
    when: time_between(clock, "12:08", "12:30")
    do: [alert: lunch]
`
  const desk = trailingBuys(fileOf('trailing-volatility').replace('\nrisk:', `${rule}\nrisk:`))
  const price = Number(desk.order('tvol.trail.1.1').price)
  desk.settle(desk.quote('BTC_PERP', price, 0.02))
  desk.settle(desk.fill('tvol.trail.1.1'))
  const { held, unit } = desk.ladder('tvol', 'trail')
  return { desk, entry: Number(held.entry), unit: Number(unit) }
}

const cents = (price: number) => Math.round(price * 100) / 100

test('a better price moves a trailing exit at once, and rules are evaluated with the tick', () => {
  const { desk, entry, unit } = following()
  const high = cents(entry + 1.5 * unit)
  desk.at += 30_000
  desk.settle(desk.quote('BTC_PERP', cents(entry + 1.1 * unit), 0.02))
  desk.at += 30_500
  const { notes } = desk.quote('BTC_PERP', high, 0.02)
  expect(notes).toEqual([])
  expect(desk.ladder('tvol', 'trail').exits.trailBest).toBe(high - 0.01)
  expect(desk.tell({ kind: 'tick' }).notes).toMatchObject([{ type: 'alert' }, { type: 'rule-fired' }])
  // From 0.35 units below on, it leaves.
  expect(desk.quote('BTC_PERP', cents(high - 0.3 * unit), 0.02).commands).toEqual([])
  expect(desk.quote('BTC_PERP', cents(high - 0.36 * unit), 0.02).commands).not.toEqual([])
})
