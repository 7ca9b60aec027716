import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import { EngineHarness } from '#test/engine/support/engine-harness.ts'
import { haltingAt, market } from '#test/engine/support/falling-prices.ts'

/** Has bought 0.1 at 59 400; a loss of so much of 60 000 halts. */
function holding(halt?: string): EngineHarness {
  const harness = resting(halt)
  harness.quote(market, 59_400)
  harness.settle(harness.fill('dip.dip.1.1'))
  return harness
}

/** Its order rests while the price is 60 000. */
function resting(halt = '90%'): EngineHarness {
  const harness = new EngineHarness([
    `
version: 1
name: dip
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_PERP } }
feeds: { top: { source: book, market: btc, stale_after: 1d } }
ladder:
  dip: { market: btc, side: buy, anchor: 60000, levels: 1, spacing: { kind: offsets, at: [1%] }, size: { total: 0.1 base } }
rules:
  - { id: on, when: 1 < 2, do: [ensure: dip] }${haltingAt(`{ pause: 0.1%, halt: ${halt} }`, '{ btc: 60000 }')}`,
  ])
  harness.quote(market, 60_000)
  harness.settle(harness.wait(0))
  return harness
}

const worthOf = (harness: EngineHarness) => harness.engine.state.strategies['dip']!.worth
const notesOf = (harness: EngineHarness) =>
  harness.steps.flatMap(({ step }) => step.notes.map(({ type }) => type))

test('each quote counts for the drawdown, also between two ticks', () => {
  const harness = holding()
  const paid = Number(worthOf(harness).result)
  harness.at += 100
  for (const price of [59_410, 59_400, 59_390, 59_400]) harness.quote(market, price)
  // From the best quote to the worst one: 20 for each of 0.1.
  expect(drawdownOf(worthOf(harness))).toMatchObject({ maxDrawdown: '2' })
  harness.settle(harness.wait(900))
  expect(Number(worthOf(harness).peak)).toBeCloseTo(paid + 1, 9)
  expect(drawdownOf(worthOf(harness))).toEqual({ drawdown: '1', maxDrawdown: '2' })
})

test('a fill that is newer than the last price is neither a profit nor a loss at that price', () => {
  const harness = resting()
  const { id, amount } = harness.order('dip.dip.1.1')
  const seen = { id, venueId: '1', filled: amount, money: '5940', fee: '1', ended: true }
  harness.settle(harness.tell({ kind: 'seen', orders: [{ ...seen, dealtAt: harness.at + 1 }] }))
  expect(worthOf(harness)).toMatchObject({ result: '-1', peak: '0' })
  // The venue corrects the fee: that is no deal, and has no price.
  harness.settle(harness.tell({ kind: 'seen', orders: [{ ...seen, fee: '1.5', dealtAt: harness.at + 1 }] }))
  expect(worthOf(harness)).toMatchObject({ result: '-1.5', peak: '0' })
  harness.at += 1000
  harness.settle(harness.quote(market, 59_390))
  expect(drawdownOf(worthOf(harness))).toMatchObject({ maxDrawdown: '2.5' })
})

test('a drawdown limit acts at the quote that reaches it, although the price recovers within the second', () => {
  const harness = holding('0.5%')
  harness.at += 100
  harness.settle(harness.quote(market, 56_000))
  harness.settle(harness.quote(market, 59_400))
  expect(notesOf(harness)).toContain('halted')
  expect(harness.engine.state.strategies['dip']!.halted).toMatch(/^34\d\.\d\d lost since the best result/)
})

test('a resume starts the count again, and keeps the largest drawdown', () => {
  const harness = holding('0.5%')
  harness.settle(harness.quote(market, 56_000))
  const { maxDrawdown } = drawdownOf(worthOf(harness))
  harness.settle(harness.tell({ kind: 'operator', act: 'resume', strategy: 'dip', reason: 'looked at' }))
  expect(drawdownOf(worthOf(harness))).toEqual({ drawdown: '0', maxDrawdown })
  harness.settle(harness.quote(market, 55_990))
  harness.settle(harness.wait(1000))
  expect(drawdownOf(worthOf(harness))).toEqual({ drawdown: '1', maxDrawdown })
})

test('a state of 0.3.2 has no largest drawdown: it begins with that of now', () => {
  const harness = holding()
  harness.quote(market, 59_300)
  harness.settle(harness.wait(1000))
  const { drawdown } = drawdownOf(worthOf(harness))
  delete worthOf(harness).maxDrawdown
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  expect(drawdownOf(worthOf(harness))).toEqual({ drawdown, maxDrawdown: drawdown })
})
