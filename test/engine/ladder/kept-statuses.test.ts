import { expect, test } from 'vitest'
import { settleEntries } from '#src/engine/exits/exit-orders.ts'
import { rungStatuses } from '#src/engine/ladder/rung-status.ts'
import { cancelAgainLater } from '#src/engine/orders/cancelling.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { EngineHarness, fileOf, venue } from '#test/engine/support/engine-harness.ts'

/** All lines of it rest. */
const text = fileOf('static-grid').replace('resting: { max: 12, within: 5% }', '')

/** A resting grid whose buy `b1` has filled to one half, and the status of that rung. */
function halfFilled() {
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  const { state } = harness.engine
  const order = Object.values(state.orders).find(({ level }) => level === 'b1')!
  harness.fill(order.id, 0.5)
  const compiled = compileStrategy(text, venue)!
  const own = state.strategies['sgrid']!
  const ladder = compiled.ladders[0]!
  const status = () => {
    const { all, unsettled } = rungStatuses(state, compiled, own)(ladder)
    const { fits, reason } = all.find(({ rung }) => rung.level === 'b1')!
    return { fits, reason: reason?.kind, isSettled: unsettled.every(({ rung }) => rung.level !== 'b1') }
  }
  expect(status()).toEqual({ fits: true, reason: undefined, isSettled: true })
  return { state, own: own.ladders[ladder.name]!, order, status }
}

test('an order of an earlier episode no longer fits its rung', () => {
  const { state, own, status } = halfFilled()
  settleEntries(state, own)
  expect(status()).toEqual({ fits: false, reason: 'former order', isSettled: false })
})

test('an order that the venue does not cancel stays', () => {
  const { state, order, status } = halfFilled()
  cancelAgainLater({ state }, order, 'the venue did not cancel it')
  expect(status()).toEqual({ fits: true, reason: 'stays', isSettled: false })
})
