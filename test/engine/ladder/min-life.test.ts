import { expect, test } from 'vitest'
import { wholeExplanations } from '#src/engine/explain/explanation.ts'
import { Engine } from '#src/engine/engine.ts'
import { explanationNow, replayExplanation } from '#test/engine/support/explanation-replay.ts'
import { cancelsOf, EngineHarness, submitsOf, told } from '#test/engine/support/engine-harness.ts'

/** Two quotes on each side of the mid price, which follow it after a move of 0.1 %. */
function quotesWith(rebase: string, submit = 'stopOnFail: false'): string {
  return [
    'version: 1',
    'name: mm',
    'markets: { btc: BTC_USDT }',
    'feeds: { top: { source: book, market: btc, stale_after: 1h } }',
    'ladder:',
    '  quotes:',
    '    market: btc',
    '    side: both',
    '    anchor: mid(top)',
    `    rebase: { drift: 0.1%, min_gap: 1s${rebase} }`,
    '    levels: 2',
    '    spacing: { kind: arithmetic, first: 0.5%, step: 0.5% }',
    '    size: { total: 400 quote }',
    'rules:',
    '  - { id: quote, when: mid(top) > 0, do: [ensure: quotes] }',
    '  - { id: wide, when: spread(top) > 0.01, do: [retire: quotes] }',
    'risk:',
    '  max_notional: { btc: 5000 }',
    '  worst_case: { move: -50%, max_loss: 5000 }',
    '  drawdown: { pause: 50%, halt: 90% }',
    `submit: { ${submit} }`,
  ].join('\n')
}

const ids = (generation: number, ...levels: string[]) =>
  levels.map((level) => `mm.quotes.${level}.${generation}`)
const all = ids(1, 'b1', 'b2', 's1', 's2')

/** The four quotes have rested since `at`; after `agedMs` the price moves by 0.2 %. */
function moved(agedMs: number, text = quotesWith(', min_life: 5s')) {
  const harness = new EngineHarness([text])
  const sent = harness.settle(harness.quote('BTC_USDT', 60_000))
  expect(sent.map(({ id }) => id).toSorted()).toEqual(all)
  harness.at += agedMs
  const step = harness.quote('BTC_USDT', 60_120)
  return { harness, asked: [...cancelsOf(step), ...cancelsOf(harness.wait(0))].toSorted() }
}

test('without min_life a moved rung gives up its order at once', () => {
  expect(moved(2000, quotesWith('')).asked).toEqual(all)
})

test('with min_life a moved rung keeps its order until the order is old enough, and then moves it', () => {
  const { harness, asked } = moved(2000)
  expect(asked).toEqual([])
  expect(cancelsOf(harness.wait(2999))).toEqual([])
  const step = harness.wait(1)
  expect(cancelsOf(step).toSorted()).toEqual(all)
  expect(told(harness.settle(step)).toSorted()).toEqual([
    'mm.quotes.b1.2 buy 0.001671 at 59819.4',
    'mm.quotes.b2.2 buy 0.00168 at 59518.8',
    'mm.quotes.s1.2 sell 0.001655 at 60420.6',
    'mm.quotes.s2.2 sell 0.001646 at 60721.2',
  ])
})

test('an order that is old enough moves at once', () => {
  expect(moved(5000).asked).toEqual(all)
})

test('a backtest jumps to the moment at which the youngest orders are old enough', () => {
  const { harness } = moved(2000)
  const next = () => harness.recorder.horizon().at - harness.at
  // The new prices are evaluated again with the next tick.
  harness.wait(1000)
  expect(next()).toBe(2000)
  harness.wait(1999)
  expect(next()).toBe(1)
})

test('the life of an order begins with the answer of the venue', () => {
  const harness = new EngineHarness([quotesWith(', min_life: 5s')])
  const step = harness.quote('BTC_USDT', 60_000)
  harness.at += 4000
  harness.settle(step)
  harness.quote('BTC_USDT', 60_120)
  expect(cancelsOf(harness.wait(2000))).toEqual([])
  expect(cancelsOf(harness.wait(2999))).toEqual([])
  expect(cancelsOf(harness.wait(1)).toSorted()).toEqual(all)
})

test('an order whose rung has come back to its price stays, however old it is', () => {
  const { harness } = moved(2000)
  harness.wait(1000)
  harness.quote('BTC_USDT', 60_000)
  for (let second = 0; second < 20; second++) expect(harness.wait(1000).commands).toEqual([])
  expect(harness.resting().toSorted()).toEqual(all)
})

test('a young quote that fills at its earlier price is booked at this price', () => {
  const { harness } = moved(2000)
  harness.settle(harness.fill('mm.quotes.s1.1'))
  const { position, cost } = harness.ladder('mm', 'quotes').held
  expect([position, cost]).toEqual(['-0.001658', '-99.9774'])
})

const operator = { kind: 'operator', reason: 'by hand' } as const
const ways: [string, (harness: EngineHarness) => string[], string[]][] = [
  ['a rule that retires the ladder', (harness) => cancelsOf(harness.quote('BTC_USDT', 60_120, 900)), all],
  ['a halt', (harness) => cancelsOf(harness.tell({ ...operator, act: 'halt', strategy: 'mm' })), all],
  [
    'flatten',
    (harness) => cancelsOf(harness.tell({ ...operator, act: 'halt', strategy: 'mm', flatten: true })),
    all,
  ],
  [
    'rungs cancel',
    (harness) => cancelsOf(harness.tell({ ...operator, act: 'cancel', order: 'mm.quotes.b2.1' })),
    ['mm.quotes.b2.1'],
  ],
]

test.each(ways)('%s cancels young orders at once, moved or not', (_, cancel, expected) => {
  expect(cancel(moved(2000).harness).toSorted()).toEqual(expected)
  const unmoved = new EngineHarness([quotesWith(', min_life: 5s')])
  unmoved.settle(unmoved.quote('BTC_USDT', 60_000))
  expect(cancel(unmoved).toSorted()).toEqual(expected)
})

test('why names the rest of the time, and a replay of the explanation gives the same', () => {
  const text = quotesWith(', min_life: 5s')
  const { harness } = moved(2000, text)
  harness.wait(1000)
  const decision = harness.steps.flatMap(({ step }) => wholeExplanations(step.decisions)).at(-1)
  expect(decision?.rungs[0]).toMatchObject({
    level: 'b1',
    state: 'resting',
    why: 'mm.quotes.b1.1 is still open for this level, at 59700 instead of 59819.4',
    change: expect.stringMatching(/^the bot cancels it in [23] s, when it is 5s old \(min_life\)$/),
  })
  const kept = JSON.parse(JSON.stringify(decision))
  expect(JSON.parse(JSON.stringify(replayExplanation(kept, text)))).toEqual(kept)
})

test('a new amount counts like a new price, and why names both amounts', () => {
  const text = quotesWith(', min_life: 5s').replace(
    'total: 400 quote',
    'total: 400 quote, scale_by: "position(btc) < 0 ? 0.5 : 1"',
  )
  const harness = new EngineHarness([text])
  harness.settle(harness.quote('BTC_USDT', 60_000))
  const filled = harness.fill('mm.quotes.s2.1')
  expect(cancelsOf(filled)).toEqual([])
  // The fill makes the ladder compute its rungs again, at the same prices.
  expect(harness.settle(harness.wait(1000)).map(({ id }) => id)).toEqual(['mm.quotes.s2.2'])
  const rungs = explanationNow(harness.engine.state, 'mm', 'quotes')?.rungs ?? []
  expect(rungs.find(({ level }) => level === 'b1')?.why).toBe(
    'mm.quotes.b1.1 is still open for this level, with the amount 0.001675 instead of 0.000837',
  )
  expect(cancelsOf(harness.wait(4000)).toSorted()).toEqual(ids(1, 'b1', 'b2', 's1'))
})

test('an order that an operator has cancelled is not explained by its age', () => {
  const { harness } = moved(2000)
  harness.tell({ ...operator, act: 'cancel', order: 'mm.quotes.b1.1' })
  const rung = explanationNow(harness.engine.state, 'mm', 'quotes')?.rungs[0]
  expect(rung?.change).not.toMatch(/min_life/)
})

test.each(['stopOnFail: false', 'stopOnFail: true'])(
  'old orders behind young ones of the same ladder move, and the young ones stay: %s',
  (submit) => {
    const harness = new EngineHarness([quotesWith(', min_life: 5s', submit)])
    harness.settle(harness.quote('BTC_USDT', 60_000))
    harness.at += 4000
    // The venue has ended the orders next to the mid price, and the bot places them again.
    harness.settle(harness.seenEnded(ids(1, 'b1', 's1'), () => '0'))
    const [old, young] = [ids(1, 'b2', 's2'), ids(2, 'b1', 's1')]
    expect(harness.resting().toSorted()).toEqual([...young, ...old].toSorted())
    harness.wait(2000)
    harness.quote('BTC_USDT', 60_120)
    const step = harness.wait(0)
    const asked = harness.steps.slice(-4).flatMap(({ step }) => cancelsOf(step))
    expect(asked.toSorted()).toEqual(old)
    expect(cancelsOf(step)).toEqual([])
    const sent = submitsOf(harness.takenBack(...old)).flatMap(({ orders }) => orders)
    expect(sent.map(({ id }) => id).toSorted()).toEqual(ids(2, 'b2', 's2'))
    expect(young.map((id) => harness.order(id).status)).toEqual(['resting', 'resting'])
  },
)

test('a restart does not shorten the life of an order', () => {
  const { harness } = moved(2000)
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  harness.begin()
  harness.quote('BTC_USDT', 60_120)
  expect(cancelsOf(harness.wait(2999))).toEqual([])
  expect(cancelsOf(harness.wait(1)).toSorted()).toEqual(all)
})

test('an order keeps the time since when it rests while its outcome is unknown, and after it', () => {
  const { harness } = moved(0)
  const since = harness.order('mm.quotes.b1.1').restsSince
  harness.at += 1000
  harness.withdrawn(['mm.quotes.b1.1'], 'gone')
  const order = harness.order('mm.quotes.b1.1')
  expect(order.status).toBe('doubtful')
  harness.tell({ kind: 'operator', act: 'resolve', order: order.id, as: 'placed', reason: 'it is there' })
  expect([order.status, order.restsSince]).toEqual(['resting', since])
})

test('orders of a ladder without min_life have no field for it', () => {
  const { harness } = moved(2000, quotesWith(''))
  expect(Object.values(harness.engine.state.orders).some((order) => 'restsSince' in order)).toBe(false)
  expect(submitsOf(harness.wait(0))).toEqual([])
})
