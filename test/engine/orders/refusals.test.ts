import { expect, test } from 'vitest'
import type { OrderAnswer } from '#src/engine/events.ts'
import { withRefusals } from '#src/engine/orders/refusals.ts'
import { explanationNow, replayExplanation } from '#test/engine/support/explanation-replay.ts'
import {
  accepted,
  askingGrid,
  type EngineHarness,
  fileOf,
  minute,
  refusal,
} from '#test/engine/support/engine-harness.ts'

const wouldTake = refusal(13, "This order couldn't be executed as a maker order and was canceled.")
const poor = refusal(10, 'Not enough balance.')

/** In how many seconds after the first try each of the others came. */
function triesOf(
  harness: EngineHarness,
  level: string,
  seconds: number,
  answer: (order: Sent) => OrderAnswer,
): number[] {
  const [begun, tries] = [harness.at, new Array<number>()]
  while (harness.at < begun + seconds * 1000) {
    harness.at += 2000
    const sent = harness.settle(harness.quote('BTC_USDT', 60_000), answer)
    const price = harness.at % minute === 0 ? harness.candle('BTC_USDT', '1m', 60_000) : harness.wait(0)
    sent.push(...harness.settle(price, answer))
    if (sent.some((order) => order.level === level)) tries.push((harness.at - begun) / 1000)
  }
  return tries
}

const allButFirst = (order: Sent) => (order.level === 'b1' ? wouldTake : accepted(order))
const poorBelow = (order: Sent) => (order.level.startsWith('b') ? poor : accepted(order))

type Sent = { level: string; amount: string; price: string; ioc: boolean }
const alertsOf = ({ steps }: EngineHarness) =>
  steps.flatMap(({ step }) => step.notes.flatMap((note) => (note.type === 'alert' ? [note.message] : [])))
/** Levels of all refused orders, in the order of the answers. */
const refusedOf = ({ steps }: EngineHarness) =>
  steps.flatMap(({ step }) =>
    step.notes.flatMap((note) => (note.type === 'order-refused' ? [note.rung] : [])),
  )
const levelsOf = (harness: EngineHarness) =>
  harness
    .resting()
    .map((id) => id.split('.')[2] ?? '')
    .sort()
const rungOf = (harness: EngineHarness, level: string) =>
  harness.ladder('sgrid', 'grid').rungs.find((rung) => rung.level === level)
const whyOf = (harness: EngineHarness, level: string) => {
  const rung = explanationNow(harness.engine.state, 'sgrid', 'grid')?.rungs.find(
    (rung) => rung.level === level,
  )
  return `${rung?.why}; ${rung?.change}`
}

const sellsRest = ['b1', 's1', 's2', 's3', 's4', 's5', 's6']

test('for lack of money one rung of a side is retried at growing intervals, and the others wait', () => {
  const { harness, step } = askingGrid()
  harness.settle(step, poorBelow)
  expect(harness.resting().length).toBe(6)
  expect(whyOf(harness, 'b1')).toBe(
    'the venue refused it: Not enough balance.; retry in 4 s, or when an exit fills or an order is cancelled',
  )
  expect(triesOf(harness, 'b1', 3000, poorBelow)).toEqual([4, 20, 84, 340, 1364, 2388])
  // The venue refused all of them only in the first request.
  expect(refusedOf(harness)).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'b6', ...Array<string>(6).fill('b1')])
  expect(whyOf(harness, 'b4')).toMatch(/^it waits for level b1 of its side: the venue refused it 7 times: /)
  expect(alertsOf(harness)).toEqual([
    'level b1 was refused 4 times; the bot retries it after 256 s: Not enough balance.',
  ])
  expect(triesOf(harness, 'b1', 1100, accepted)).toHaveLength(1)
  expect(harness.resting().length).toBe(12)
})

/** Of the buys, those from the second on are too dear. */
const poorBeyond = (order: Sent) => (order.level === 'b1' ? accepted(order) : poorBelow(order))

test('lack of money on one side does not hold back the other side', () => {
  const { harness, step } = askingGrid()
  harness.settle(step, poorBeyond)
  expect(levelsOf(harness)).toEqual(sellsRest)
})

test('money that an exit or a cancelled order frees is used at once', () => {
  const { harness, step } = askingGrid()
  harness.settle(step, poorBelow)
  triesOf(harness, 'b1', 400, poorBelow)
  const before = refusedOf(harness).length
  harness.settle(harness.fill('sgrid.grid.s1.1'), poorBelow)
  expect(refusedOf(harness)).toHaveLength(before)
  harness.wait(2000)
  const mirror = harness.resting().find((id) => id.includes('.m')) ?? ''
  harness.settle(harness.fill(mirror), poorBelow)
  expect(refusedOf(harness)).toHaveLength(before + 1)
  harness.wait(2000)
  harness.settle(harness.takenBack('sgrid.grid.s6.1'), accepted)
  expect(harness.resting().filter((id) => id.includes('grid.b'))).toHaveLength(6)
})

const poorMirrors = (order: Sent) => (order.level.startsWith('m') ? poor : accepted(order))

test('of the mirrors that the account has no money for, one is retried at growing intervals', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  for (const level of ['b1', 'b2', 'b3']) harness.settle(harness.fill(`sgrid.grid.${level}.1`), poorMirrors)
  const first = ['mb1', 'mb2', 'mb3']
  expect(refusedOf(harness)).toEqual(first)
  expect(alertsOf(harness)).toEqual(['an exit was refused; retry in 1 s: Not enough balance.'])
  expect(triesOf(harness, 'mb1', 1200, poorMirrors)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024])
  expect(refusedOf(harness)).toEqual([...first, ...Array<string>(11).fill('mb1')])
  expect(alertsOf(harness).slice(1)).toEqual(
    [2, 4, 8].map(
      (count) => `an exit was refused ${count} times; retry in ${2 ** (count - 1)} s: Not enough balance.`,
    ),
  )
  // Money that is free is used at once, for all of them.
  harness.settle(harness.takenBack('sgrid.grid.b6.1'), accepted)
  harness.settle(harness.wait(2000), accepted)
  expect(levelsOf(harness).filter((level) => level.startsWith('m'))).toEqual(first)
})

test('the explanation of a rung that waits for money is repeated, before and after money is free', () => {
  const { harness, step } = askingGrid()
  harness.settle(step, poorBelow)
  const { state } = harness.engine
  for (const [at, freedAt] of [
    [harness.at + 1000, 0],
    [harness.at + 1000, harness.at + 500],
    [harness.at + 5000, 0],
  ] as const) {
    Object.assign(state, { at, freedAt })
    const decision = explanationNow(state, 'sgrid', 'grid')
    expect(decision && replayExplanation(decision, fileOf('static-grid'))).toEqual(decision)
  }
})

test('a rung outside the price band is sent again when the price has come closer', () => {
  const { harness, step } = askingGrid()
  const outside = refusal(250, 'The Price is out of bands')
  const farBelow = (order: Sent) => (Number(order.price) < 58_700 ? outside : accepted(order))
  harness.settle(step, farBelow)
  const first = refusedOf(harness)
  expect(whyOf(harness, first[0] ?? '')).toBe(
    'the venue refused it: The Price is out of bands; retry in 4 s, or when the price comes closer',
  )
  const [price = 0] = first.map((level) => Number(rungOf(harness, level)?.price))
  triesOf(harness, 'none', 400, farBelow)
  const before = refusedOf(harness).length
  const approach = (share: number) => {
    harness.quote('BTC_USDT', price + share * (60_000 - price))
    harness.settle(harness.wait(2000), farBelow)
  }
  approach(0.97)
  expect(refusedOf(harness)).toHaveLength(before)
  approach(0.94)
  expect(refusedOf(harness)).toHaveLength(before + 1)
})

test('a line that breaks a rule of the market is left out, reported once, and retried after resume', () => {
  const { harness, step } = askingGrid()
  const small = refusal(32, 'Given amount is less than min amount 0.5')
  const smallBelow = (order: Sent) => (order.level.startsWith('b') ? small : accepted(order))
  harness.settle(step, smallBelow)
  expect(triesOf(harness, 'b1', 1000, smallBelow)).toEqual([])
  expect(alertsOf(harness)).toEqual([
    'level b1 is omitted until the ladder is recomputed: Given amount is less than min amount 0.5',
  ])
  expect(whyOf(harness, 'b1')).toBe(
    'the venue refused it: Given amount is less than min amount 0.5; ' +
      'the bot retries it when the ladder is recomputed, or after rungs resume sgrid',
  )
  harness.settle(harness.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'smaller now' }))
  expect(harness.resting().length).toBe(12)
})

test('a refused post-only order is retried soon, and in the end every half a minute', () => {
  const { harness, step } = askingGrid()
  harness.settle(step, allButFirst)
  expect(triesOf(harness, 'b1', 130, allButFirst)).toEqual([2, 4, 8, 16, 32, 62, 92, 122])
  expect(harness.resting().length).toBe(11)
})

test('refusals in journals of 0.3.2 and older are classified when they are read', () => {
  const old = { kind: 'refused', code: 13, message: 'no', alreadyUsed: false } as const
  const event = { kind: 'answered', at: 1, chunk: 1, orders: [old, { kind: 'not-attempted' }] } as const
  const classified = withRefusals({ ...event, orders: [...event.orders] }, () => 'would-take')
  expect(classified.orders).toEqual([{ ...old, refusal: 'would-take' }, { kind: 'not-attempted' }])
  // A class that the adapter has given stays.
  expect(withRefusals(classified, () => 'no-funds')).toBe(classified)
})
