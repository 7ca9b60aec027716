import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import { Desk } from '#test/engine/support/engine-harness.ts'
import { haltingAt, market } from '#test/engine/support/falling-prices.ts'

/** Buys 0.1 at 59 400; a loss of so much of 60 000 halts. */
function holding(halt = '90%'): Desk {
  const desk = new Desk([
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
  desk.quote(market, 60_000)
  desk.settle(desk.wait(0))
  desk.quote(market, 59_400)
  desk.settle(desk.fill('dip.dip.1.1'))
  return desk
}

const worthOf = (desk: Desk) => desk.engine.state.strategies['dip']!.worth
const notesOf = (desk: Desk) => desk.steps.flatMap(({ step }) => step.notes.map(({ type }) => type))

test('each quote counts for the drawdown, also between two ticks', () => {
  const desk = holding()
  const paid = Number(worthOf(desk).result)
  desk.at += 100
  for (const price of [59_410, 59_400, 59_390, 59_400]) desk.quote(market, price)
  // From the best quote to the worst one: 20 for each of 0.1.
  expect(drawdownOf(worthOf(desk))).toMatchObject({ maxDrawdown: '2' })
  desk.settle(desk.wait(900))
  expect(Number(worthOf(desk).peak)).toBeCloseTo(paid + 1, 9)
  expect(drawdownOf(worthOf(desk))).toEqual({ drawdown: '1', maxDrawdown: '2' })
})

test('a drawdown limit acts at the quote that reaches it, although the price recovers within the second', () => {
  const desk = holding('0.5%')
  desk.at += 100
  desk.settle(desk.quote(market, 56_000))
  desk.settle(desk.quote(market, 59_400))
  expect(notesOf(desk)).toContain('halted')
  expect(desk.engine.state.strategies['dip']!.halted).toMatch(/^34\d\.\d\d lost since the best result/)
})

test('a resume starts the count again, and keeps the largest drawdown', () => {
  const desk = holding('0.5%')
  desk.settle(desk.quote(market, 56_000))
  const { maxDrawdown } = drawdownOf(worthOf(desk))
  desk.settle(desk.tell({ kind: 'operator', act: 'resume', strategy: 'dip', reason: 'looked at' }))
  expect(drawdownOf(worthOf(desk))).toEqual({ drawdown: '0', maxDrawdown })
  desk.settle(desk.quote(market, 55_990))
  desk.settle(desk.wait(1000))
  expect(drawdownOf(worthOf(desk))).toEqual({ drawdown: '1', maxDrawdown })
})

test('a state of 0.3.2 has no largest drawdown: it begins with that of now', () => {
  const desk = holding()
  desk.quote(market, 59_300)
  desk.settle(desk.wait(1000))
  const { drawdown } = drawdownOf(worthOf(desk))
  delete worthOf(desk).maxDrawdown
  desk.engine = new Engine(JSON.parse(JSON.stringify(desk.engine.state)))
  expect(drawdownOf(worthOf(desk))).toEqual({ drawdown, maxDrawdown: drawdown })
})
