import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import { wholeExplanations } from '#src/engine/explain/explanation.ts'
import { replayExplanation } from '#test/engine/support/explanation-replay.ts'
import { hedgeText } from '#test/engine/support/hedge.ts'
import { cancelsOf, EngineHarness, submitsOf, told } from '#test/engine/support/engine-harness.ts'

function hedging(...changes: Parameters<typeof hedgeText>): EngineHarness {
  const harness = new EngineHarness([hedgeText(...changes)])
  harness.quote('BTC_PERP', 60_000)
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.wait(1000))
  return harness
}

const sentIn = (step: Parameters<typeof submitsOf>[0]) =>
  told(submitsOf(step).flatMap(({ orders }) => orders))
const whyOf = (harness: EngineHarness, ladder: string) =>
  wholeExplanations(harness.steps.flatMap(({ step }) => step.decisions)).findLast(
    (decision) => decision.ladder === ladder,
  )?.rungs[0]?.why

test('a size of zero places no rung, and the explanation says so', () => {
  const harness = hedging()
  expect(harness.resting()).toEqual(['hedge.long.1.1', 'hedge.long.2.1'])
  expect(harness.ladder('hedge', 'short').missing).toBe('its size is 0 base, and zero or less places no rung')
  expect(whyOf(harness, 'short')).toMatch(/its size is 0 base, and zero or less places no rung$/)
})

test('an unknown size places no rung, and the explanation says which value is unknown', () => {
  const harness = hedging(["'(position(spot) + position(perp)) base'", "'avg_entry(perp) quote'"])
  expect(whyOf(harness, 'short')).toMatch(/size: .* is unknown$/)
})

test('while the new size is unknown, open orders stay and no rung is placed with an older size', () => {
  const equity: [string, string] = [
    "'(position(spot) + position(perp)) base'",
    "'(position(spot) + position(perp) + 0 * equity(account)) base'",
  ]
  const harness = hedging(equity)
  harness.account({}, {}, '1000')
  harness.settle(harness.fill('hedge.long.1.1'))
  harness.account({}, {}, null)
  expect(harness.fill('hedge.short.1.1', 0.3).commands).toEqual([])
  // The venue has ended the order.
  expect(submitsOf(harness.takenBack('hedge.short.1.1'))).toEqual([])
  expect(submitsOf(harness.wait(1000))).toEqual([])
  expect(whyOf(harness, 'short')).toMatch(/^its new amount is not known: size: .*equity.* is unknown$/)
  const all = wholeExplanations(harness.steps.flatMap((each) => each.step.decisions))
  for (const decision of all) expect(replayExplanation(decision, hedgeText(equity))).toEqual(decision)
  expect(sentIn(harness.account({}, {}, '1000'))).toEqual(['hedge.short.1.2 sell 0.07 at 59999'])
})

test('each fill of a leg sends the same amount of the other leg in the same step', () => {
  const harness = hedging()
  expect(sentIn(harness.fill('hedge.long.1.1'))).toEqual(['hedge.short.1.1 sell 0.1 at 59999'])
})

test('an order in flight is not sent twice: the rest follows when its outcome is known', () => {
  const harness = hedging()
  const [submit] = submitsOf(harness.fill('hedge.long.1.1'))
  expect(harness.fill('hedge.long.2.1').commands).toEqual([])
  const filled = {
    kind: 'accepted',
    venueId: '1',
    filled: '0.1',
    money: '5999.9',
    fee: '0',
    ended: true,
  } as const
  const answered = harness.tell({ kind: 'answered', chunk: submit!.chunk, orders: [filled] })
  expect(sentIn(answered)).toEqual(['hedge.short.1.2 sell 0.1 at 59999'])
})

test('an order with an unknown outcome counts until there is proof', () => {
  const harness = hedging()
  const [submit] = submitsOf(harness.fill('hedge.long.1.1'))
  const unknown = { kind: 'unknown', reason: 'no answer' } as const
  harness.tell({ kind: 'answered', chunk: submit!.chunk, orders: [unknown] })
  expect(submitsOf(harness.fill('hedge.long.2.1'))).toEqual([])
  expect(submitsOf(harness.wait(1000))).toEqual([])
})

test('the rest of a partly filled order is what the size still wants, so it stays', () => {
  const harness = hedging()
  harness.settle(harness.fill('hedge.long.1.1'))
  expect(harness.fill('hedge.short.1.1', 0.3).commands).toEqual([])
  expect(harness.ladder('hedge', 'short').rungs).toMatchObject([{ amount: '0.07' }])
  expect(harness.fill('hedge.short.1.1').commands).toEqual([])
})

test('an order that is too small is cancelled, and the larger one follows when the venue has reported its end', () => {
  const harness = hedging()
  harness.settle(harness.fill('hedge.long.1.1'))
  const step = harness.fill('hedge.long.2.1')
  expect(cancelsOf(step)).toEqual(['hedge.short.1.1'])
  expect(submitsOf(step)).toEqual([])
  // A part of it had filled before.
  const short = harness.order('hedge.short.1.1')
  harness.tell({
    kind: 'seen',
    orders: [{ id: short.id, venueId: '1', filled: '0.04', money: '2399.96', fee: '0', ended: true }],
  })
  const sent = harness.steps.flatMap((each) => sentIn(each.step)).slice(3)
  expect(sent).toEqual(['hedge.short.1.2 sell 0.16 at 59999'])
})

test('with several levels, no level is placed beside an order that its ladder no longer wants', () => {
  const twoLevels: [string, string] = [
    'levels: 1\n    spacing: { kind: offsets, at: [0%] }',
    'levels: 2\n    spacing: { kind: offsets, at: [0%, 1%] }',
  ]
  const harness = hedging(twoLevels)
  harness.settle(harness.fill('hedge.long.1.1'))
  expect(harness.resting()).toEqual(['hedge.long.2.1', 'hedge.short.1.1', 'hedge.short.2.1'])
  const step = harness.fill('hedge.short.1.1')
  // 0.05 of 0.1 are left: two levels of 0.025, and the second one still has 0.05.
  expect(cancelsOf(step)).toEqual(['hedge.short.2.1'])
  expect(submitsOf(step)).toEqual([])
  expect(whyOf(harness, 'short')).toBe(
    'it waits for the end of hedge.short.2.1, an order from before the last fill',
  )
  const all = wholeExplanations(harness.steps.flatMap((each) => each.step.decisions))
  for (const decision of all) expect(replayExplanation(decision, hedgeText(twoLevels))).toEqual(decision)
  expect(sentIn(harness.takenBack('hedge.short.2.1'))).toEqual([
    'hedge.short.1.2 sell 0.025 at 59999',
    'hedge.short.2.2 sell 0.025 at 60598.99',
  ])
})

test('an amount below the smallest order waits for the next fills, and no lot is lost by rounding', () => {
  const harness = hedging()
  harness.fill('hedge.long.1.1', 0.0005)
  expect(harness.ladder('hedge', 'short').missing).toMatch(/below the minimum of 5$/)
  expect(sentIn(harness.fill('hedge.long.1.1', 0.7))).toEqual(['hedge.short.1.1 sell 0.07 at 59999'])
  harness.settle(harness.fill('hedge.long.1.1', 0.7))
})

test('a fill during a stop of the process is followed after the start, in both legs', () => {
  const harness = hedging()
  harness.settle(harness.fill('hedge.long.1.1', 0.4))
  const state: State = structuredClone(harness.engine.state)
  harness.engine = new Engine(state)
  harness.at += 60_000
  harness.begin({ readsFirst: true })
  harness.fill('hedge.long.1.1')
  harness.quote('BTC_USDT', 59_000)
  harness.quote('BTC_PERP', 61_000)
  const sent = harness.settle(harness.tell({ kind: 'accountRead' }))
  expect(told(sent)).toEqual(['hedge.short.1.2 sell 0.1 at 60999'])
})

test('a ladder that follows its anchor and fills keeps the rung that hardly moves, with its new amount', () => {
  const harness = hedging([
    'rebase: on_fill',
    'rebase: { on_fill: true, drift: 0.5%, min_gap: 10s, hysteresis: 0.1% }',
  ])
  harness.settle(harness.fill('hedge.long.1.1'))
  harness.quote('BTC_PERP', 60_010)
  harness.fill('hedge.short.1.1', 0.5)
  expect(harness.ladder('hedge', 'short').rungs).toMatchObject([{ price: '59999', amount: '0.05' }])
  harness.at += 9000
  harness.quote('BTC_PERP', 61_000)
  expect(cancelsOf(harness.wait(1000))).toEqual(['hedge.short.1.1'])
})

test('a position that an operator writes off is followed, too', () => {
  const harness = hedging()
  harness.settle(harness.fill('hedge.long.1.1'))
  const step = harness.tell({
    kind: 'operator',
    act: 'write-off',
    strategy: 'hedge',
    ladder: 'long',
    amount: '0.1',
    price: '60000',
    reason: 'sold by hand',
  })
  expect(cancelsOf(step)).toEqual(['hedge.short.1.1'])
  harness.fill('hedge.short.1.1')
  expect(harness.ladder('hedge', 'short').missing).toBe(
    'its size is -0.1 base, and zero or less places no rung',
  )
})

/** Each entry is a share of the position, below the average entry; a take profit closes all of it. */
const recursive = hedgeText(
  [/  short:[^]*?base' }\n/.exec(hedgeText())![0], ''],
  ['ensure: long, ensure: short', 'ensure: long'],
  [
    'anchor: 60000',
    'anchor: "position(spot) > 0 ? avg_entry(spot) : 60000"\n    rebase: on_fill\n    exit: { tp: { pct: 2% } }',
  ],
  ['levels: 2', 'levels: 1'],
  ['spot: 20000', 'spot: 40000'],
  ['total: 0.2 base', "first: 'max(0.1, 0.5 * position(spot)) base'"],
)

test('sizes can follow the own fills: each entry is a share of the position, below the average entry', () => {
  const harness = new EngineHarness([recursive])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.wait(1000))
  expect(harness.resting()).toEqual(['hedge.long.1.1'])
  const sent = ['hedge.long.1.1', 'hedge.long.1.2', 'hedge.long.1.3'].flatMap((id) =>
    harness.settle(harness.fill(id)),
  )
  expect(told(sent)).toEqual([
    'hedge.long.1.2 buy 0.1 at 58806',
    'hedge.long.1.3 buy 0.1 at 58511.97',
    'hedge.long.1.4 buy 0.15 at 58316.93',
  ])
  // The position is closed: the ladder begins again, with its first size at the anchor of a new episode.
  const closed = harness.settle(harness.quote('BTC_USDT', 61_000))
  expect(told(closed).slice(0, 1)).toEqual(['hedge.long.t1.1 sell 0.3 at 60084.11'])
  harness.settle(harness.wait(1000))
  expect(harness.ladder('hedge', 'long')).toMatchObject({
    episode: 2,
    rungs: [{ price: '59400', amount: '0.1' }],
  })
})
