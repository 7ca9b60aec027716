import { expect, test } from 'vitest'
import type { AccountLimits } from '#src/engine/events.ts'
import { wholeExplanations } from '#src/engine/explain/explanation.ts'
import { newHolding } from '#src/engine/holdings/holdings.ts'
import { replayExplanation } from '#test/engine/support/explanation-replay.ts'
import { limitUsageOf } from '#src/engine/risk/limit-usage.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'
import { accepted, EngineHarness, fileOf, venue } from '#test/engine/support/engine-harness.ts'

const one = fileOf('static-grid')
const two = one.replace('name: sgrid', 'name: twin')
const unanswered = { kind: 'unknown', reason: 'no answer came' } as const

/** Two grids in one market, the first of which has sent its orders before the second looks. */
function side(
  limits: AccountLimits,
  answer: Parameters<EngineHarness['settle']>[1] = accepted,
): EngineHarness {
  const harness = new EngineHarness([one, two], { limits })
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000), answer)
  return harness
}

const sentBy = (harness: EngineHarness, strategy: string) =>
  Object.values(harness.engine.state.orders).filter((order) => order.strategy === strategy)
const used = (harness: EngineHarness, text = one) =>
  limitUsageOf(harness.engine.state, strategyIn(text).strategy)
    .filter(({ limit }) => limit.startsWith('account'))
    .map(({ limit, used, most }) => `${limit}: ${used} of ${most}`)

test('two strategies share the limits of the account, for one market and for all', () => {
  for (const cap of ['total', 'BTC_USDT']) {
    const harness = side({ max_notional: { [cap]: '900' } })
    expect([sentBy(harness, 'sgrid').length, sentBy(harness, 'twin').length]).toEqual([12, 4])
    const { step } = harness.steps.findLast(({ step: { decisions } }) =>
      wholeExplanations(decisions).some(({ strategy }) => strategy === 'twin'),
    )!
    const decision = wholeExplanations(step.decisions).find(({ strategy }) => strategy === 'twin')!
    const blocked = decision.rungs.find(({ why }) => why?.startsWith('account'))
    expect(blocked?.why).toMatch(
      new RegExp(`^account max_notional ${cap} 900 would be 9\\d\\d\\.\\d\\d with this order$`),
    )
    // As it comes out of a journal, without the strategy that used it up.
    const kept: typeof decision = JSON.parse(JSON.stringify(decision))
    expect(JSON.parse(JSON.stringify(replayExplanation(kept, two)))).toEqual(kept)
    const note = harness.steps.flatMap(({ step }) => step.notes).find(({ type }) => type === 'risk-blocked')
    expect(note).toMatchObject({ strategy: 'twin', reason: blocked?.why })
  }
  expect(sentBy(side({ max_notional: { ETH_USDT: '1' } }), 'twin').length).toBe(12)
})

test('orders of all strategies count, and no exit is blocked', () => {
  const harness = side({ max_notional: {}, max_open_orders: 14 })
  expect([sentBy(harness, 'sgrid').length, sentBy(harness, 'twin').length]).toEqual([12, 2])
  expect(used(harness)).toEqual(['account max_open_orders: 14 of 14'])
  harness.tell({
    kind: 'began',
    venue: { ...venue, limits: { max_notional: { total: '1' }, max_open_orders: 1 } },
    strategies: [
      { name: 'sgrid', text: one },
      { name: 'twin', text: two },
    ],
  })
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  expect(harness.order('sgrid.grid.mb1.1').status).toBe('resting')
  harness.tell({ kind: 'began', venue, strategies: [{ name: 'twin', text: two }] })
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.wait(1000))
  expect(sentBy(harness, 'twin').length).toBe(12)
})

test('orders with unknown outcome count in full, and so do holdings of strategies that do not run or have no valid file', () => {
  const limits = { max_notional: { BTC_USDT: '1500', total: '4000' } }
  const sure = used(side(limits))
  expect(used(side(limits, () => unanswered))).toEqual(sure)
  const harness = side({ max_notional: {} }, (order) => (order.level === 'b1' ? accepted(order) : unanswered))
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  harness.engine.state.strategies['sgrid']!.text = 'version: none'
  harness.tell({ kind: 'began', venue: { ...venue, limits }, strategies: [{ name: 'twin', text: two }] })
  const moneyOf = (strategy: string, side: 'buy' | 'sell') =>
    sentBy(harness, strategy)
      .filter((order) => order.status !== 'ended' && order.side === side)
      .reduce((sum, { price, amount }) => sum + Number(price) * Number(amount), 0)
  // Of a file that nobody can read it is unknown what pays for what.
  const all =
    Number(harness.order('sgrid.grid.b1.1').money) + moneyOf('sgrid', 'buy') + moneyOf('sgrid', 'sell')
  const found = used(harness, two).map((text) => Number(/: (\S+)/.exec(text)?.[1]))
  const expected = all + Math.max(moneyOf('twin', 'buy'), moneyOf('twin', 'sell'))
  expect(found[0]).toBeCloseTo(expected, 4)
  expect(found[1]).toBe(found[0])
})

test('the loss of all strategies since midnight blocks all entries until the next day', () => {
  const harness = side({ max_notional: {}, daily_loss: '4' })
  for (const [name, result] of [
    ['sgrid', '-3'],
    ['twin', '-1.5'],
  ] as const)
    harness.engine.state.strategies[name]!.holdings['btc'] = { ...newHolding(), realized: result }
  harness.settle(harness.wait(1000))
  harness.settle(harness.takenBack('twin.grid.b1.1'))
  expect(used(harness)).toEqual(['account daily_loss: 4.5 of 4'])
  const again = () => sentBy(harness, 'twin').filter(({ level }) => level === 'b1').length
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.wait(1000))
  expect(again()).toBe(1)
  const note = harness.steps.flatMap(({ step }) => step.notes).find(({ type }) => type === 'risk-blocked')
  expect(note).toMatchObject({
    strategy: 'twin',
    reason: 'account daily_loss 4 is reached: 4.50 lost since 00:00 UTC',
  })
  harness.at += 13 * 3_600_000
  harness.quote('BTC_USDT', 60_000)
  harness.candle('BTC_USDT', '1m', 60_000)
  for (let tick = 0; tick < 2; tick++) harness.settle(harness.wait(1000))
  expect(again()).toBe(2)
  expect(used(harness)).toEqual(['account daily_loss: 0 of 4'])
})
