import { expect, test } from 'vitest'
import type { OrderAnswer } from '#src/engine/events.ts'
import type { Step } from '#src/engine/step-context.ts'
import { vocabulary } from '#src/core/log-events/vocabulary.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'
import {
  accepted,
  askingGrid,
  EngineHarness,
  progress,
  refusal,
  told,
  type HarnessOrder,
} from '#test/engine/support/engine-harness.ts'

const wouldTake = refusal(13, "This order couldn't be executed as a maker order and was canceled.")
const noAnswer: OrderAnswer = { kind: 'unknown', reason: 'no answer' }
const crossing =
  (...levels: string[]) =>
  (order: HarnessOrder): OrderAnswer =>
    levels.includes(order.level) ? wouldTake : accepted(order)

/** Orders that are sent again at once when the first chunk is answered so. */
function again(
  harness: EngineHarness,
  step: Step,
  answer: (order: HarnessOrder) => OrderAnswer,
  next: (order: HarnessOrder) => OrderAnswer = accepted,
): HarnessOrder[] {
  return harness
    .settle(step, (order) => (order.generation > 1 ? next(order) : answer(order)))
    .filter(({ generation }) => generation > 1)
}

/** What a person would be shown: warnings, and worse. */
const warnings = ({ steps }: EngineHarness) =>
  steps.flatMap(({ step }) =>
    step.notes.filter(({ type }) => vocabulary[type].level === 'warn' || vocabulary[type].level === 'error'),
  )

test('a refused post-only buy is placed again at once, on the tick below the best ask', () => {
  const { harness, step } = askingGrid()
  harness.quote('BTC_USDT', 59_400)
  const sent = again(harness, step, crossing('b1'))
  // The ask is 59 401; the line is 59 500.
  expect(told(sent)).toEqual(['sgrid.grid.b1.2 buy 0.001764 at 59400.99'])
  expect(sent[0]?.postOnly).toBe(true)
  expect(harness.order('sgrid.grid.b1.2').status).toBe('resting')
  // It belongs to its rung: the engine does not cancel it.
  expect(harness.wait(1000).commands).toEqual([])
  expect(warnings(harness)).toEqual([])
})

test('a refused post-only sell is placed again on the tick above the best bid', () => {
  const { harness, step } = askingGrid()
  harness.quote('BTC_USDT', 60_600)
  const sent = again(harness, step, crossing('s1'))
  expect(told(sent)).toEqual(['sgrid.grid.s1.2 sell 0.001735 at 60599.01'])
})

test('a refusal proves an opposite order at the price: if no quote shows it, the order moves by a tick', () => {
  const { harness, step } = askingGrid()
  const sent = again(harness, step, crossing('b1', 's1'))
  expect(told(sent).toSorted()).toEqual([
    'sgrid.grid.b1.2 buy 0.001764 at 59499.99',
    'sgrid.grid.s1.2 sell 0.001735 at 60500.01',
  ])
})

test.each<[clientIds: 'unproven' | 'forever', tries: OrderAnswer[], price: string]>([
  ['unproven', [noAnswer], '59499.99'],
  ['forever', [noAnswer, wouldTake], '59499.98'],
])(
  'an order that has moved, and that the venue does not have (ids %s), is not placed at a refused price',
  (clientIds, tries, price) => {
    const { harness, step } = askingGrid({ clientIds })
    const sent = again(harness, step, crossing('b1'), () => tries.shift() ?? noAnswer)
    expect(new Set(told(sent))).toEqual(new Set(['sgrid.grid.b1.2 buy 0.001764 at 59499.99']))
    harness.at += 1000
    const ids = ['sgrid.grid.b1.2']
    const evidence = {
      kind: 'evidence',
      ids,
      fencedAt: harness.at,
      found: {},
      listed: true,
      freeze: {},
    } as const
    expect(told(harness.settle(harness.tell(evidence)))).toEqual([`sgrid.grid.b1.3 buy 0.001764 at ${price}`])
  },
)

test('the mirror of an order that has moved is counted from its line', () => {
  const { harness, step } = askingGrid()
  harness.quote('BTC_USDT', 59_400)
  again(harness, step, crossing('b1'))
  const orders = harness.settle(harness.fill('sgrid.grid.b1.2'))
  expect(told(orders)).toContain('sgrid.grid.mb1.1 sell 0.001764 at 60000')
})

/** In how many milliseconds after the first refusal each other try came. */
function triesOf(harness: EngineHarness, step: Step, seconds: number): number[] {
  const begun = harness.at
  const tries: number[] = []
  const answer = (order: HarnessOrder) => {
    if (order.level === 'b1') tries.push(harness.at - begun)
    return crossing('b1')(order)
  }
  harness.settle(step, answer)
  while (harness.at < begun + seconds * 1000) {
    harness.at += 500
    // The touch runs away.
    harness.settle(harness.quote('BTC_USDT', 59_400 - (harness.at - begun) / 1000), answer)
    harness.settle(harness.wait(0), answer)
    if ((harness.at - begun) % 60_000 === 0) harness.settle(harness.candle('BTC_USDT', '1m', 59_400), answer)
  }
  return tries.slice(1)
}

test('an order follows a moving best price at growing intervals, without a warning', () => {
  const { harness, step } = askingGrid()
  const tries = triesOf(harness, step, 150)
  expect(tries.slice(0, 9)).toEqual([0, 0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000])
  expect(warnings(harness)).toEqual([])
})

test('on_cross: skip waits for the market to let the order rest at its own price', () => {
  const harness = new EngineHarness([
    gridWith(['on_reject: skip_level', 'on_reject: skip_level\n  on_cross: skip']),
  ])
  harness.quote('BTC_USDT', 60_000)
  const step = harness.candle('BTC_USDT', '1m', 60_000)
  harness.quote('BTC_USDT', 59_400)
  expect(again(harness, step, crossing('b1'))).toEqual([])
  harness.at += 2000
  expect(harness.settle(harness.quote('BTC_USDT', 59_400)).concat(harness.settle(harness.wait(0)))).toEqual(
    [],
  )
  harness.quote('BTC_USDT', 60_000)
  expect(told(harness.settle(harness.wait(0)))).toEqual(['sgrid.grid.b1.2 buy 0.001764 at 59500'])
  expect(warnings(harness)).toEqual([])
})

test('a rung with a new price starts its waits over', () => {
  const harness = new EngineHarness([
    gridWith(
      ['balance]', 'balance, cancel]'],
      ['anchor: 60000', 'anchor: price\n    rebase: { drift: 0.1%, min_gap: 1s }'],
      ['levels: 21', 'levels: 2'],
      ['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 1% }'],
      ['on_reject: skip_level', 'on_reject: skip_level\n  on_cross: skip'],
    ),
  ])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000), crossing('b1'))
  for (const seconds of [10, 10, 10, 15]) {
    harness.at += seconds * 1000
    harness.quote('BTC_USDT', 60_000)
    harness.settle(harness.wait(0), crossing('b1'))
  }
  // The fifth refusal would bench it for 16 s.
  harness.at += 15_000
  harness.quote('BTC_USDT', 60_000)
  expect(harness.wait(0).commands).toEqual([])
  harness.quote('BTC_USDT', 60_600)
  const sent = harness
    .settle(harness.candle('BTC_USDT', '1m', 60_600))
    .concat(harness.settle(harness.wait(0)))
  expect(told(sent.filter(({ level }) => level === 'b1'))).toEqual([expect.stringContaining(' at 59994')])
})

test.each([
  ['a code', refusal(14, 'no')],
  ['a field', refusal(32, 'Validation failed', ['postOnly'])],
  [
    'an end at once',
    (order: HarnessOrder): OrderAnswer => ({ kind: 'accepted', ...progress(order, '0', true) }),
  ],
])('a venue may say it by %s', (_, answer) => {
  const { harness, step } = askingGrid()
  harness.quote('BTC_USDT', 59_400)
  const sent = again(harness, step, (order) =>
    order.level !== 'b1' ? accepted(order) : typeof answer === 'function' ? answer(order) : answer,
  )
  expect(told(sent)).toEqual(['sgrid.grid.b1.2 buy 0.001764 at 59400.99'])
  expect(warnings(harness)).toEqual([])
})

test('a code with another meaning is no post-only refusal, whatever the message says', () => {
  const { harness, step } = askingGrid()
  harness.quote('BTC_USDT', 59_400)
  const poor = refusal(10, 'Not enough balance for a maker order.')
  const sent = again(harness, step, (order) => (order.level === 'b1' ? poor : accepted(order)))
  expect(sent).toEqual([])
  expect(warnings(harness).map(({ type }) => type)).toEqual(['order-refused'])
})

test('a mirror that would take is sent again at once without post-only, without a warning', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  const sent = harness.settle(harness.fill('sgrid.grid.b1.1'), (order) =>
    order.postOnly ? wouldTake : accepted(order),
  )
  expect(sent.map(({ id, price, postOnly }) => `${id} ${price} ${postOnly}`)).toEqual([
    'sgrid.grid.mb1.1 60000 true',
    'sgrid.grid.mb1.2 60000 false',
  ])
  expect(warnings(harness)).toEqual([])
})
