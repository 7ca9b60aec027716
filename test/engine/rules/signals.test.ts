import { expect, test } from 'vitest'
import type { State } from '#src/engine/state/state.ts'
import { Engine } from '#src/engine/engine.ts'
import { EngineHarness, fileOf, hour, minute, told } from '#test/engine/support/engine-harness.ts'
import { explanationNow, replayExplanation } from '#test/engine/support/explanation-replay.ts'

const text = fileOf('signal-entry')

function begun(): EngineHarness {
  const harness = new EngineHarness([text])
  harness.account({ USDT: '10000' }, {}, '10000')
  harness.past('BTC_PERP', '1m', [60_000, 60_000])
  harness.quote('BTC_PERP', 60_000)
  return harness
}

const signal = (harness: EngineHarness, value: string) =>
  harness.tell({ kind: 'signal', name: 'trend', value })
const truths = (harness: EngineHarness) => {
  const found = explanationNow(harness.engine.state, 'sigent', 'entry')
  // The rules that read the signal.
  return found?.rules.filter(({ id }) => id !== 'target').map(({ truth }) => truth)
}
/** Prices stay young while hours pass. */
const later = (harness: EngineHarness, ms: number) => {
  harness.at += ms
  harness.past('BTC_PERP', '1m', [60_000])
  harness.quote('BTC_PERP', 60_000)
  return harness.wait(0)
}
const why = (harness: EngineHarness) => explanationNow(harness.engine.state, 'sigent', 'entry')?.rungs[0]

test('without a signal the rules are unknown, and its arrival places the ladder in the same step', () => {
  const harness = begun()
  expect(harness.settle(harness.wait(1000))).toEqual([])
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
  const step = signal(harness, 'long')
  expect(told(harness.settle(step))).toHaveLength(4)
  expect(harness.notes()).toContain('signal-received')
  expect(truths(harness)).toEqual(['true', 'false'])
})

test('a signal is known until it is older than stale_after, and the same value makes it young again', () => {
  const harness = begun()
  signal(harness, 'long')
  later(harness, 4 * hour)
  expect(truths(harness)).toEqual(['true', 'false'])
  later(harness, 1)
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
  signal(harness, 'long')
  expect(truths(harness)).toEqual(['true', 'false'])
})

test('while the signal is stale, no entry is placed although the goal stays, and the reason names the signal', () => {
  const harness = begun()
  harness.settle(signal(harness, 'long'))
  later(harness, 4 * hour + 1)
  const [first = ''] = harness.resting()
  expect(harness.settle(harness.takenBack(first))).toEqual([])
  expect(why(harness)).toMatchObject({
    order: null,
    why: 'the signal trend is unknown: no value came within 4h',
    change: 'a value resolves it, such as from rungs signal trend VALUE',
  })
  expect(harness.settle(signal(harness, 'long'))).toHaveLength(1)
})

test('the exits of a position need no signal', () => {
  const harness = begun()
  harness.settle(signal(harness, 'long'))
  const [first = ''] = harness.resting()
  harness.settle(harness.fill(first))
  later(harness, 5 * hour)
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
  harness.at += minute
  harness.quote('BTC_PERP', 60_600)
  const sold = harness.settle(harness.candle('BTC_PERP', '1m', 60_600))
  expect(sold.map(({ side, role, level }) => [side, role, level])).toEqual([['sell', 'exit', 'cl']])
})

test('a restart keeps the value and its time, so that its age goes on', () => {
  const harness = begun()
  signal(harness, 'long')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a journal stores it
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)) as State)
  harness.at += 4 * hour - minute
  harness.begin()
  later(harness, 0)
  expect(truths(harness)).toEqual(['true', 'false'])
  later(harness, minute + 1)
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
})

test('a value that came earlier than the event counts from its own time', () => {
  const harness = begun()
  harness.tell({ kind: 'signal', name: 'trend', value: 'long', since: harness.at - 3 * hour })
  later(harness, hour + 1)
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
})

test('a value that the changed file does not know is unknown', () => {
  const harness = begun()
  signal(harness, 'flat')
  const other = text.replaceAll('flat', 'out')
  harness.tell({ kind: 'reloaded', name: 'sigent', text: other })
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
})

test('a state without signals has no key for them, and a signal of another name changes no strategy', () => {
  const harness = begun()
  expect(JSON.stringify(harness.engine.state.strategies)).not.toContain('"signals"')
  expect(harness.tell({ kind: 'signal', name: 'constructor', value: 'long' }).commands).toEqual([])
  expect(truths(harness)).toEqual(['unknown', 'unknown'])
})

test('a name with a strategy in front sets the signal of that strategy alone', () => {
  const other = text.replace('name: sigent', 'name: other')
  const harness = new EngineHarness([text, other])
  harness.tell({ kind: 'signal', name: 'other.trend', value: 'long' })
  const { strategies } = harness.engine.state
  expect(strategies['sigent']?.signals).toBeUndefined()
  expect(strategies['other']?.signals).toEqual({ trend: { at: harness.at, value: 'long' } })
  harness.tell({ kind: 'signal', name: 'trend', value: 'flat' })
  expect(Object.values(strategies).map(({ signals }) => signals?.['trend']?.value)).toEqual(['flat', 'flat'])
})

test('explanations hold the signals that they were made from', () => {
  const harness = begun()
  harness.settle(signal(harness, 'long'))
  harness.wait(1000)
  const { step } = harness.steps.findLast(({ step: { decisions } }) => decisions.length > 0) ?? {}
  const [decision] = step?.decisions ?? []
  expect(decision?.seen).toMatchObject({ own: { signals: { trend: { value: 'long' } } } })
  expect(decision && replayExplanation(decision, text)).toEqual(decision)
})
