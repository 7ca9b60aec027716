import { timeText } from '#src/engine/rules/pauses.ts'
import { expect, test } from 'vitest'
import { explanationNow } from '#test/engine/support/explanation-replay.ts'
import { Engine } from '#src/engine/engine.ts'
import { EngineHarness, minute, told } from '#test/engine/support/engine-harness.ts'
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
function passes(harness: EngineHarness, price: number, ms = minute): string[] {
  harness.at += ms
  const quoted = harness.settle(harness.quote('BTC_USDT', price))
  const closed = harness.at % minute === 0 ? harness.settle(harness.candle('BTC_USDT', '1m', price)) : []
  return told([...quoted, ...closed, ...harness.settle(harness.wait(0))])
}

/** Its first rung has filled, and the price falls through its stop. */
function stopped(text: string): { harness: EngineHarness; sent: string[] } {
  const harness = new EngineHarness([text])
  passes(harness, 60_000)
  harness.settle(harness.fill('sgrid.grid.1.1'))
  const sent = passes(harness, 58_000)
  expect(harness.ladder('sgrid', 'grid').held.position).toBe('0')
  return { harness, sent }
}

const entries = (sent: string[]) => sent.filter((text) => /grid\.\d\./.test(text))

test('after a stop a ladder without a cooldown is placed again at once, and one with a cooldown waits', () => {
  expect(entries(stopped(buys('stop: { pct: 2% }')).sent)).toHaveLength(2)
  const { harness, sent } = stopped(buys('stop: { pct: 2% }, cooldown: 10m'))
  expect(entries(sent)).toEqual([])
  for (let round = 0; round < 9; round++) expect(passes(harness, 57_000)).toEqual([])
  expect(passes(harness, 57_000, minute - 1000)).toEqual([])
  // Laid anew where the price stands then, and not where it stood when it was stopped.
  harness.at += 1000
  harness.quote('BTC_USDT', 57_000)
  expect(told(harness.settle(harness.wait(0)))).toEqual([
    expect.stringMatching(/^sgrid\.grid\.1\.2 buy \S+ at 56430$/),
    expect.stringMatching(/^sgrid\.grid\.2\.2 buy \S+ at 55860$/),
  ])
})

test('the cooldown is explained, and survives a restart', () => {
  const { harness } = stopped(buys('stop: { pct: 2% }, cooldown: 10m'))
  const { missing } = harness.ladder('sgrid', 'grid')
  expect(missing).toBe(`cooldown after its stop until ${timeText(harness.at + 600_000)}`)
  expect(explanationNow(harness.engine.state, 'sgrid', 'grid')?.rungs[0]?.why).toContain(missing)
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  harness.begin()
  for (let round = 0; round < 9; round++) expect(passes(harness, 57_000)).toEqual([])
  expect(passes(harness, 57_000)).toHaveLength(2)
})

test('a changed cooldown counts from the same exit', () => {
  const { harness } = stopped(buys('stop: { pct: 2% }, cooldown: 10m'))
  passes(harness, 57_000)
  harness.settle(
    harness.tell({ kind: 'reloaded', name: 'sgrid', text: buys('stop: { pct: 2% }, cooldown: 3m') }),
  )
  expect(passes(harness, 57_000)).toEqual([])
  expect(passes(harness, 57_000)).toHaveLength(2)
})

test('a trailing exit and max_age begin a cooldown, and a take profit does not', () => {
  const aged = new EngineHarness([buys('max_age: 2m, cooldown: 5m')])
  passes(aged, 60_000)
  aged.settle(aged.fill('sgrid.grid.1.1'))
  passes(aged, 59_500)
  expect(passes(aged, 59_500)).toEqual([expect.stringContaining('sgrid.grid.ag.1 sell')])
  expect(passes(aged, 59_500)).toEqual([])
  expect(aged.ladder('sgrid', 'grid').missing).toContain('cooldown after its max_age')

  const taken = new EngineHarness([buys('tp: { pct: 2% }, stop: { pct: 5% }, cooldown: 5m')])
  passes(taken, 60_000)
  taken.settle(taken.fill('sgrid.grid.1.1'))
  const sent = passes(taken, 60_700)
  expect(sent[0]).toContain('sgrid.grid.t1.1 sell')
  expect(sent.slice(1)).toEqual([expect.stringContaining('sgrid.grid.1.2 buy')])
})
