import { expect, test } from 'vitest'
import { wholeExplanations } from '#src/engine/explain/explanation.ts'
import { rulesOf } from '#src/engine/rules/market-rules.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { edgesOf } from '#src/strategy/check/edge.ts'
import { gridWith, strategyIn } from '#test/strategy/strategy-files.ts'
import {
  cancelsOf,
  EngineHarness,
  minute,
  restingGrid,
  submitsOf,
  told,
  venue,
} from '#test/engine/support/engine-harness.ts'

/** A grid whose lines are as far apart as the market moved lately, around where it stands when it begins. */
const measured = gridWith(
  ['anchor: 60000', 'anchor: price at episode_start'],
  ['levels: 21', 'levels: 3'],
  ['max_loss: 350', 'max_loss: 400'],
  ['{ kind: range, from: 55000, to: 65000 }', '{ kind: volatility, unit: "atr(px, 3)", first: 1, step: 1 }'],
)

/** A minute of this range around a price. */
function passing(harness: EngineHarness, price: number, swing: number) {
  harness.at += minute
  harness.quote('BTC_USDT', price)
  const sent = harness.settle(harness.candle('BTC_USDT', '1m', price, swing / 2))
  return [...sent, ...harness.settle(harness.wait(0))]
}

test('a ladder whose exits would not cover their fees is not placed, explains that, and is placed when they would', () => {
  const harness = new EngineHarness([measured])
  const narrow = [1, 1, 1, 1, 1, 2].flatMap((wider) => passing(harness, 60_000, 0.0001 * wider))
  expect(narrow).toEqual([])
  const decisions = harness.steps.flatMap(({ step }) => wholeExplanations(step.decisions))
  expect(decisions.at(-1)?.rungs[0]).toMatchObject({
    level: 'b1',
    state: 'missing',
    why: 'the ladder cannot be computed: level b1 of grid earns 0.01% before fees, less than 0.022%',
  })
  // Another number is no news.
  expect(decisions.filter(({ rungs }) => rungs[0]?.why?.includes('earns') === true)).toHaveLength(1)
  const wide = [1, 2, 3].flatMap(() => passing(harness, 60_000, 0.01))
  expect(wide).toHaveLength(6)
  expect(harness.ladder('sgrid', 'grid').missing).toBe(null)
})

test('a position from earlier lines is sold at the distance of the floor', () => {
  const harness = new EngineHarness([
    gridWith(
      ['balance]', 'balance, cancel]'],
      ['anchor: 60000', 'anchor: price\n    rebase: { drift: 0.5%, min_gap: 1m }'],
      ['levels: 21', 'levels: 3'],
      ['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 1% }'],
    ),
  ])
  passing(harness, 60_000, 0)
  passing(harness, 60_618, 0)
  // It had filled before it was cancelled. Its line was at 59400; now the second one stands at 59405.64.
  const sent = told(harness.settle(harness.fill('sgrid.grid.b1.1', 0.5)))
  expect(sent).toEqual([expect.stringMatching(/^sgrid\.grid\.mb1\.1 sell \S+ at 59413\.07$/)])
})

const following = gridWith(
  ['balance]', 'balance, cancel]'],
  ['anchor: 60000', 'anchor: price\n    rebase: { drift: 0.5%, min_gap: 1m }'],
  ['levels: 21', 'levels: 5'],
  ['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 1% }'],
)

/** Whose every line is being taken back, because it has moved. */
function moving(): { harness: EngineHarness; asked: string[] } {
  const harness = new EngineHarness([following])
  passing(harness, 60_000, 0)
  harness.at += minute
  const step = harness.quote('BTC_USDT', 60_600)
  const asked = [step, harness.candle('BTC_USDT', '1m', 60_600), harness.wait(0)].flatMap(cancelsOf)
  expect(asked).toHaveLength(10)
  return { harness, asked }
}

const sentBy = (step: ReturnType<EngineHarness['wait']>) =>
  submitsOf(step).map(({ orders }) => orders.map(({ level }) => level).toSorted())

test('a recomputed ladder is placed in one bulk, whichever source reports the cancels', () => {
  const { harness, asked } = moving()
  const all = asked.map((id) => harness.order(id).level).toSorted()
  expect(sentBy(harness.takenBack(...asked))).toEqual([all])
  const { harness: other } = moving()
  expect(sentBy(other.seenEnded(asked, () => '0'))).toEqual([all])
})

test('a line with an unconfirmed cancel delays none of the others', () => {
  const { harness, asked } = moving()
  const [first = '', ...others] = asked
  const levels = others.map((id) => harness.order(id).level).toSorted()
  expect(sentBy(harness.takenBack(...others))).toEqual([levels])
  harness.withdrawn([first], 'unknown')
  expect(cancelsOf(harness.wait(6000))).toEqual([first])
})

test('fills found by one read are sold in one bulk', () => {
  const harness = restingGrid()
  const ids = ['b1', 'b2', 'b3'].map((level) => `sgrid.grid.${level}.1`)
  expect(sentBy(harness.seenEnded(ids, ({ amount }) => amount))).toEqual([['mb1', 'mb2', 'mb3']])
})

test.each([
  ['buy', 1],
  ['buy', 3],
  ['sell', 2],
  ['both', 2],
])('the edges that are looked at are those of the mirrors that come: %s, %d away', (side, mirror) => {
  const text = gridWith(
    ['side: both', `side: ${side}`],
    ['levels: 21', 'levels: 5'],
    ['{ kind: range, from: 55000, to: 65000 }', '{ kind: geometric, first: 1%, step: 0.5%, grow: 1.2 }'],
    ['mirror: 1', `mirror: ${mirror}`],
    ['max_loss: 350', 'max_loss: 900'],
  )
  const harness = new EngineHarness([text])
  passing(harness, 60_000, 0)
  const grid = harness.ladder('sgrid', 'grid')
  const rungs = grid.rungs.map(({ level, side, price }) => ({ level, side, price: decimal(price) }))
  const edges = edgesOf(
    strategyIn(text).strategy.ladder['grid']!,
    { rungs, anchor: decimal('60000') },
    rulesOf(venue.markets['BTC_USDT']!),
  )
  expect(rungs).toHaveLength(side === 'both' ? 10 : 5)
  for (const rung of rungs) {
    harness.fill(`sgrid.grid.${rung.level}.1`)
    const exit = decimal(grid.exits.mirrors[rung.level]?.price ?? 'none')
    expect(exit.minus(rung.price).abs().div(rung.price)).toEqual(edges.get(rung)?.gross)
  }
})
