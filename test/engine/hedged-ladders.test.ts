import { expect, test } from 'vitest'
import type { Submit } from '#src/engine/commands.ts'
import { accepted, EngineHarness, fileOf, told } from '#test/engine/support/engine-harness.ts'

function hedge(text = fileOf('hedged')): { harness: EngineHarness; sent: Submit['orders'] } {
  const harness = new EngineHarness([text])
  harness.quote('ETH_PERP', 2500, 0.02)
  return { harness, sent: harness.settle(harness.candle('ETH_PERP', '1m', 2500)) }
}

const total = (orders: Submit['orders']) =>
  orders.reduce((sum, { price, amount }) => sum + Number(price) * Number(amount), 0)

test('both ladders are placed completely', () => {
  const { sent } = hedge()
  expect(sent.map(({ ladder }) => ladder).filter((name) => name === 'down')).toHaveLength(8)
  expect(sent).toHaveLength(16)
})

test('each ladder is only as deep as the net limit allows if it alone filled', () => {
  const { sent } = hedge(fileOf('hedged').replace('net: 1250', 'net: 900'))
  const longs = sent.filter(({ positionSide, side }) => positionSide === 'LONG' && side === 'buy')
  const shorts = sent.filter(({ positionSide, side }) => positionSide === 'SHORT' && side === 'sell')
  expect(longs.length + shorts.length).toBe(sent.length)
  expect(longs.length).toBeGreaterThan(3)
  expect(shorts.length).toBeGreaterThan(3)
  expect(total(longs)).toBeLessThanOrEqual(900)
  expect(total(shorts)).toBeLessThanOrEqual(900)
})

test('a short ladder is bought back on its own position side, at the tick of its take profit', () => {
  const { harness } = hedge()
  harness.fill('hedg.up.1.1')
  const { entry } = harness.ladder('hedg', 'up').held
  expect(entry).toBe('2501.25')
  const position = harness.order('hedg.up.1.1').amount
  // Seven tenths of a percent below the entry, which is 2483.74125.
  harness.at += 1000
  const early = harness.tell({ kind: 'quote', market: 'ETH_PERP', bid: 2483.74, ask: 2483.75, last: null })
  expect(early.commands).toEqual([])
  harness.at += 1000
  const step = harness.tell({ kind: 'quote', market: 'ETH_PERP', bid: 2483.73, ask: 2483.74, last: null })
  const exits = harness.settle(step).filter(({ role }) => role === 'exit')
  const half = (Math.floor((Number(position) * 1e6) / 2) / 1e6).toString()
  expect(told(exits)).toEqual([`hedg.up.t1.1 buy ${half} at 2483.74`])
  expect(exits[0]).toMatchObject({ positionSide: 'SHORT', ioc: true })
  expect(Number(harness.ladder('hedg', 'up').held.position)).toBeCloseTo(Number(half) - Number(position), 9)
})

test('too many shorts freeze the short ladder: a short position counts by its absolute amount', () => {
  const { harness, sent } = hedge()
  const shorts = sent.filter(({ positionSide }) => positionSide === 'SHORT')
  let short = 0
  for (const { id, price, amount } of shorts) {
    if (short > 620) break
    harness.fill(id)
    short += Number(price) * Number(amount)
  }
  harness.wait(1000)
  expect(harness.ladder('hedg', 'up').goal).toBe('freeze')
  expect(harness.ladder('hedg', 'down').goal).toBe('ensure')
})

test.each(['skip_level', 'halt_ladder'])('a refusal in one ladder freezes the other under %s', (policy) => {
  const text = fileOf('hedged')
    .replace('on_reject: halt_ladder', `on_reject: ${policy}`)
    .replace('chunk: 16', 'chunk: 8')
    .replace('{ down: true, up: true }', 'false')
  const harness = new EngineHarness([text])
  harness.quote('ETH_PERP', 2500, 0.02)
  const poor = { kind: 'refused', code: 10, message: 'Not enough balance.', alreadyUsed: false } as const
  const sent = harness.settle(harness.candle('ETH_PERP', '1m', 2500), (order) =>
    order.ladder === 'up' ? poor : accepted(order),
  )
  const why = 'hedg.up.1.1 was refused: Not enough balance.'
  expect(harness.ladder('hedg', 'down').frozen).toBe(why)
  expect(harness.ladder('hedg', 'up').frozen).toBe(policy === 'skip_level' ? null : why)
  // Those of the first chunk, and of the second what goes on: told once, whatever is refused later.
  expect(sent.filter(({ ladder }) => ladder === 'down')).toHaveLength(4)
  expect(sent.filter(({ ladder }) => ladder === 'up')).toHaveLength(policy === 'skip_level' ? 8 : 4)
  const alerts = harness.steps.flatMap(({ step }) => step.notes.filter(({ type }) => type === 'alert'))
  expect(alerts).toHaveLength(policy === 'skip_level' ? 1 : 2)
})
