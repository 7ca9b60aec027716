import { expect, test } from 'vitest'
import { explanationNow } from '#src/engine/explain/replay.ts'
import { Engine } from '#src/engine/engine.ts'
import { Desk, minute, told } from '#test/engine/support/engine-harness.ts'
import { twoBuys } from '#test/engine/support/two-buys.ts'

/** Two buys of 100 quote each. */
const buys = (exit: string, ...changes: [string, string][]) =>
  twoBuys(
    exit,
    ['postOnly: true', 'postOnly: false'],
    ['{ total: 2100 quote }', '{ total: 200 quote }'],
    ...changes,
  )

/** A minute passes, and this is the price after it. */
function passes(desk: Desk, price: number, ms = minute): string[] {
  desk.at += ms
  const quoted = desk.settle(desk.quote('BTC_USDT', price))
  const closed = desk.at % minute === 0 ? desk.settle(desk.candle('BTC_USDT', '1m', price)) : []
  return told([...quoted, ...closed, ...desk.settle(desk.wait(0))])
}

/** Its first rung has filled, and the price falls through its stop. */
function stopped(text: string): { desk: Desk; sent: string[] } {
  const desk = new Desk([text])
  passes(desk, 60_000)
  desk.settle(desk.fill('sgrid.grid.1.1'))
  const sent = passes(desk, 58_000)
  expect(desk.ladder('sgrid', 'grid').held.position).toBe('0')
  return { desk, sent }
}

const entries = (sent: string[]) => sent.filter((text) => /grid\.\d\./.test(text))

test('after a stop a ladder without a cooldown is placed again at once, and one with a cooldown waits', () => {
  expect(entries(stopped(buys('stop: { pct: 2% }')).sent)).toHaveLength(2)
  const { desk, sent } = stopped(buys('stop: { pct: 2% }, cooldown: 10m'))
  expect(entries(sent)).toEqual([])
  for (let round = 0; round < 9; round++) expect(passes(desk, 57_000)).toEqual([])
  expect(passes(desk, 57_000, minute - 1000)).toEqual([])
  // Laid anew where the price stands then, and not where it stood when it was stopped.
  desk.at += 1000
  desk.quote('BTC_USDT', 57_000)
  expect(told(desk.settle(desk.wait(0)))).toEqual([
    expect.stringMatching(/^sgrid\.grid\.1\.2 buy \S+ at 56430$/),
    expect.stringMatching(/^sgrid\.grid\.2\.2 buy \S+ at 55860$/),
  ])
})

test('the cooldown is explained, and survives a restart', () => {
  const { desk } = stopped(buys('stop: { pct: 2% }, cooldown: 10m'))
  const { missing } = desk.ladder('sgrid', 'grid')
  expect(missing).toBe('cooldown after its stop for another 600 s')
  expect(explanationNow(desk.engine.state, 'sgrid', 'grid')?.rungs[0]?.why).toContain(missing)
  desk.engine = new Engine(JSON.parse(JSON.stringify(desk.engine.state)))
  desk.begin()
  for (let round = 0; round < 9; round++) expect(passes(desk, 57_000)).toEqual([])
  expect(passes(desk, 57_000)).toHaveLength(2)
})

test('a changed cooldown counts from the same exit', () => {
  const { desk } = stopped(buys('stop: { pct: 2% }, cooldown: 10m'))
  passes(desk, 57_000)
  desk.settle(desk.tell({ kind: 'reloaded', name: 'sgrid', text: buys('stop: { pct: 2% }, cooldown: 3m') }))
  expect(passes(desk, 57_000)).toEqual([])
  expect(passes(desk, 57_000)).toHaveLength(2)
})

test('a trailing exit and max_age begin a cooldown, and a take profit does not', () => {
  const aged = new Desk([buys('max_age: 2m, cooldown: 5m')])
  passes(aged, 60_000)
  aged.settle(aged.fill('sgrid.grid.1.1'))
  passes(aged, 59_500)
  expect(passes(aged, 59_500)).toEqual([expect.stringContaining('sgrid.grid.ag.1 sell')])
  expect(passes(aged, 59_500)).toEqual([])
  expect(aged.ladder('sgrid', 'grid').missing).toContain('cooldown after its max_age')

  const taken = new Desk([buys('tp: { pct: 2% }, stop: { pct: 5% }, cooldown: 5m')])
  passes(taken, 60_000)
  taken.settle(taken.fill('sgrid.grid.1.1'))
  const sent = passes(taken, 60_700)
  expect(sent[0]).toContain('sgrid.grid.t1.1 sell')
  expect(sent.slice(1)).toEqual([expect.stringContaining('sgrid.grid.1.2 buy')])
})
