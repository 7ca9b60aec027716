import { expect, test } from 'vitest'
import type { Submit } from '#src/engine/commands.ts'
import { EngineHarness, submitsOf } from '#test/engine/support/engine-harness.ts'
import { haltingAt, market, priced } from '#test/engine/support/falling-prices.ts'

/** Two strategies of one buy at 59 400 each; the file has no exit. */
const textOf = (name: string) => `
version: 1
name: ${name}
needs: [bulk, history, balance]
markets:
  btc: { symbol: BTC_PERP }
feeds:
  top: { source: book, market: btc, stale_after: 1d }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 2
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 0.2 base }
rules:
  - { id: on, when: 1 < 2, do: [ensure: dip] }${haltingAt('{ pause: 50%, halt: 60% }', '{ btc: 60000 }')}`

const reason = 'news'
const flatten = (strategy: string | null) =>
  ({ kind: 'operator', act: 'halt', strategy, reason, flatten: true }) as const
const stop = { kind: 'operator', act: 'stop', reason, freeze: true } as const

/** Each strategy is long 0.1 from 59 400 and has an entry at 58 800. */
function holding(): EngineHarness {
  const harness = new EngineHarness([textOf('one'), textOf('two')], { clientIds: 'unproven' })
  harness.quote(market, 60_000)
  harness.settle(harness.wait(0))
  for (const name of ['one', 'two']) harness.settle(harness.fill(`${name}.dip.1.1`))
  expect(harness.resting()).toEqual(['one.dip.2.1', 'two.dip.2.1'])
  return harness
}

const sent = (orders: Submit['orders']) =>
  orders.map(({ id, side, amount, price, ioc }) => `${id} ${side} ${amount} at ${price} ${String(ioc)}`)
const flats = (harness: EngineHarness) =>
  harness.steps.flatMap(({ step }) => step.notes.filter(({ type }) => type === 'flattened'))
const positions = (harness: EngineHarness) =>
  ['one', 'two'].map((name) => harness.ladder(name, 'dip').held.position)

// 0.5 % below the bid of 59 999, rounded up to the tick.
const closed = (name: string) => `${name}.dip.fl.1 sell 0.1 at 59699.01 true`

test('flattening one strategy cancels its entries and closes its position, and the other one trades on', () => {
  const harness = holding()
  expect(sent(harness.settle(harness.tell(flatten('one'))))).toEqual([closed('one')])
  expect(positions(harness)).toEqual(['0', '0.1'])
  expect(harness.resting()).toEqual(['two.dip.2.1'])
  expect(flats(harness)).toMatchObject([{ strategy: 'one', message: 'the position is flat' }])
  expect(priced(harness, 60_000)).toEqual([])
})

test('flattening all strategies closes both positions, until rungs resume', () => {
  const harness = holding()
  expect(sent(harness.settle(harness.tell(flatten(null))))).toEqual([closed('one'), closed('two')])
  expect({ positions: positions(harness), resting: harness.resting() }).toEqual({
    positions: ['0', '0'],
    resting: [],
  })
  expect(priced(harness, 59_000)).toEqual([])
  const resume = { kind: 'operator', act: 'resume', strategy: null, reason } as const
  harness.settle(harness.tell(resume))
  priced(harness, 60_000)
  expect(harness.resting()).toHaveLength(4)
})

test('it closes positions although exits were frozen before: of the strategy, and of all strategies', () => {
  const one = holding()
  one.settle(one.tell({ kind: 'operator', act: 'halt', strategy: 'one', reason, freeze: true }))
  expect(sent(one.settle(one.tell(flatten('one'))))).toEqual([closed('one')])
  const all = holding()
  all.settle(all.tell(stop))
  expect(sent(all.settle(all.tell(flatten(null))))).toEqual([closed('one'), closed('two')])
})

test('a strategy that is flat already reports it again, and one without a position at once', () => {
  const harness = holding()
  harness.settle(harness.tell(flatten('one')))
  harness.settle(harness.tell(flatten('one')))
  expect(flats(harness)).toHaveLength(2)
})

test('a later freeze stops it: the last command of the operator holds', () => {
  const harness = holding()
  const [submit] = submitsOf(harness.tell(flatten('one')))
  const refusal = { kind: 'refused', code: 31, message: 'not now', alreadyUsed: false } as const
  harness.tell({ kind: 'answered', chunk: submit!.chunk, orders: [refusal] })
  harness.tell({ kind: 'operator', act: 'halt', strategy: 'one', reason, freeze: true })
  expect(priced(harness, 59_000)).toEqual([])
  expect(positions(harness)).toEqual(['0.1', '0.1'])
})
