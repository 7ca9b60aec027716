import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import type { FuturesValues } from '#src/engine/futures-event.ts'
import type { State } from '#src/engine/state/state.ts'
import { EngineHarness, hour, told } from '#test/engine/support/engine-harness.ts'
import { explanationNow, replayExplanation } from '#test/engine/support/explanation-replay.ts'
import { futuresStrategy } from '#test/strategy/futures-strategy.ts'

const text = futuresStrategy({})

function begun(): EngineHarness {
  const harness = new EngineHarness([text])
  harness.account({ USDT: '10000' }, {}, '10000')
  harness.past('BTC_PERP', '1m', [60_000, 60_000])
  harness.quote('BTC_PERP', 60_000)
  return harness
}

const listed = (harness: EngineHarness, values: Partial<FuturesValues> = {}, market = 'BTC_PERP') =>
  harness.tell({
    kind: 'futures',
    market,
    funding: -0.0001,
    fundingAt: harness.at + 2 * hour,
    mark: 60_000,
    index: 60_000,
    openInterest: null,
    ...values,
  })
const truths = (harness: EngineHarness) =>
  explanationNow(harness.engine.state, 'futent', 'entry')?.rules.map(({ truth }) => truth)

test('without a list the rules are unknown, and a list places the ladder in the same step', () => {
  const harness = begun()
  expect(harness.settle(harness.wait(1000))).toEqual([])
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
  expect(told(harness.settle(listed(harness)))).toHaveLength(2)
  expect(truths(harness)).toEqual(['true', 'false'])
})

test('the list of another market, and a value that the list lacks, say nothing', () => {
  const harness = begun()
  expect(listed(harness, {}, 'ETH_PERP').commands).toEqual([])
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
  listed(harness, { funding: null })
  expect(truths(harness)).toEqual(['unknown', 'false'])
})

test('values are known until they are older than stale_after, and the same values make them young again', () => {
  const harness = begun()
  listed(harness)
  harness.wait(30_000)
  expect(truths(harness)).toEqual(['true', 'false'])
  harness.wait(1)
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
  listed(harness)
  expect(truths(harness)).toEqual(['true', 'false'])
})

test('while the feed is stale, no entry of its market is placed although the goal stays', () => {
  const harness = begun()
  harness.settle(listed(harness))
  harness.wait(30_001)
  const [first = ''] = harness.resting()
  expect(harness.settle(harness.takenBack(first))).toEqual([])
  expect(explanationNow(harness.engine.state, 'futent', 'entry')?.rungs[0]).toMatchObject({
    order: null,
    why: 'the feed fut is 30001 ms old',
  })
  expect(harness.settle(listed(harness))).toHaveLength(1)
})

test('the time until the payment falls with each second, and is zero until the venue names the next one', () => {
  const harness = begun()
  listed(harness, { fundingAt: harness.at + hour + 5000 })
  expect(truths(harness)).toEqual(['true', 'false'])
  harness.wait(5000)
  expect(truths(harness)).toEqual(['true', 'false'])
  harness.wait(1000)
  expect(truths(harness)).toEqual(['true', 'true'])
  listed(harness, { fundingAt: harness.at + 2000 })
  harness.wait(9000)
  expect(truths(harness)).toEqual(['true', 'true'])
  listed(harness, { fundingAt: harness.at + 8 * hour })
  expect(truths(harness)).toEqual(['true', 'false'])
})

test('a process that reads the account first begins without the values of the last one, as without its prices', () => {
  const harness = begun()
  listed(harness)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a journal stores it
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)) as State)
  harness.at += 1000
  harness.begin()
  expect(truths(harness)).toEqual(['true', 'false'])
  harness.begin({ readsFirst: true })
  expect(harness.engine.state.futures).toBeUndefined()
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
})

test('a state without futures has no key for them', () => {
  expect(Object.keys(begun().engine.state)).not.toContain('futures')
})

test('explanations hold the list that they were made from', () => {
  const harness = begun()
  harness.settle(listed(harness))
  listed(harness, {}, 'ETH_PERP')
  harness.wait(1000)
  const { step } = harness.steps.findLast(({ step: { decisions } }) => decisions.length > 0) ?? {}
  const [decision] = step?.decisions ?? []
  expect(decision?.seen).toMatchObject({ futures: { BTC_PERP: { funding: -0.0001 } } })
  expect(decision && replayExplanation(decision, text)).toEqual(decision)
})
