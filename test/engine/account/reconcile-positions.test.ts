import { expect, test } from 'vitest'
import {
  cancelsOf,
  EngineHarness,
  fileOf,
  restingGrid,
  submitsOf,
  told,
} from '#test/engine/support/engine-harness.ts'

const positions = (amount: string) => ({ BTC_USDT: { long: amount, short: '0' } })

test('each order of others is reported', () => {
  const { notes } = restingGrid().tell({ kind: 'foreign', orders: ['one', 'another'] })
  expect(notes).toMatchObject([
    { type: 'drift', message: 'An order that no strategy has placed: one' },
    { type: 'drift', message: 'An order that no strategy has placed: another' },
  ])
})

test('positions must equal those at the start plus our fills; a lasting difference is reported once', () => {
  const harness = restingGrid()
  const told = (amount: string) => harness.tell({ kind: 'positions', held: positions(amount) }).notes
  expect(told('0.5')).toEqual([])
  harness.fill('sgrid.grid.b1.1')
  const { filled } = harness.order('sgrid.grid.b1.1')
  // One reading that has not heard of the fill, or heard of it first, is nothing.
  expect([told('0.5'), told('0.5'), told(String(0.5 + Number(filled)))].flat()).toEqual([])
  expect([told('0.4'), told('0.4'), told('0.4'), told('0.4')].map(({ length }) => length)).toEqual([
    0, 0, 1, 0,
  ])
  expect([told('0.3'), told('0.3'), told('0.3')].flat()).toMatchObject([
    { type: 'drift', message: expect.stringContaining('in BTC_USDT') },
  ])
})

type Sides = { long: string; short: string }
const resume = { kind: 'operator', act: 'resume', strategy: 'mrev', reason: 'looked' } as const
const reason = expect.stringContaining('the venue holds 0 long in SOL_USDT, and the fills of the bot give 2')

/** Two at 100, with a stop at 95. */
function reversion(): EngineHarness {
  const harness = new EngineHarness([fileOf('mean-reversion')])
  harness.quote('SOL_USDT', 100, 0.02)
  const ladder = harness.ladder('mrev', 'fade')
  Object.assign(ladder, {
    openedAt: harness.at,
    episode: 1,
    filled: ['1'],
    goal: 'ensure',
    laidAt: harness.at,
  })
  const held = { position: '2', cost: '200', entry: '100' }
  Object.assign(ladder.held, held)
  const own = harness.engine.state.strategies['mrev']
  if (own) own.holdings = { sol: { ...held, realized: '0', fees: '0', fills: [] } }
  harness.wait(0)
  return harness
}

/** Some readings, a second apart, and what was halted with them. */
function read(harness: EngineHarness, times: number, held: Record<string, Sides>) {
  return Array.from({ length: times }, () => {
    harness.at += 1000
    return harness.tell({ kind: 'positions', held }).notes
  })
    .flat()
    .filter(({ type }) => type === 'halted')
}

function sentAt(harness: EngineHarness, price: number): string[] {
  harness.at += 1000
  return told(submitsOf(harness.quote('SOL_USDT', price, 0.02)).flatMap(({ orders }) => orders))
}

const sale = ['mrev.fade.st.1 sell 2 at 93.53']

test('a position that the venue has closed is not sold: the strategy halts once that is certain', () => {
  const harness = reversion()
  expect(read(harness, 2, {})).toEqual([])
  expect(read(harness, 2, {})).toMatchObject([{ type: 'halted', strategy: 'mrev', reason }])
  expect(harness.engine.state.strategies['mrev']?.halted).toEqual(reason)
  expect(sentAt(harness, 94)).toEqual([])
})

test('after resume the reason of the waiting exit is reported, and the exit is sent when positions agree again', () => {
  const harness = reversion()
  read(harness, 3, {})
  expect(harness.settle(harness.tell(resume))).toEqual([])
  expect(sentAt(harness, 94)).toEqual([])
  harness.wait(10_000)
  const blocks = harness.steps
    .flatMap(({ step }) => step.notes)
    .filter((note) => note.type === 'risk-blocked' && note.order === 'mrev.fade.st.1')
  expect(blocks).toMatchObject([{ reason }])
  read(harness, 1, { SOL_USDT: { long: '2', short: '0' } })
  harness.at += 10_000
  expect(sentAt(harness, 94)).toEqual(sale)
})

test('a person who adds to the position, or closes his own part, does not affect ours', () => {
  const more = reversion()
  const less = reversion()
  const hedging = reversion()
  read(less, 1, { SOL_USDT: { long: '7', short: '0' } })
  read(hedging, 1, { SOL_USDT: { long: '2', short: '0' } })
  expect(read(more, 4, { SOL_USDT: { long: '3', short: '0' } })).toEqual([])
  expect(read(less, 4, { SOL_USDT: { long: '2', short: '0' } })).toEqual([])
  expect(read(hedging, 4, { SOL_USDT: { long: '2', short: '1' } })).toEqual([])
  for (const harness of [more, less, hedging]) expect(sentAt(harness, 94)).toEqual(sale)
})

test('an amount that an exit with unknown outcome may have sold is not missing', () => {
  const harness = reversion()
  expect(sentAt(harness, 94)).toEqual(sale)
  harness.tell({ kind: 'answered', chunk: 1, orders: [{ kind: 'unknown', reason: 'nothing was heard' }] })
  expect(read(harness, 5, {})).toEqual([])
})

test('a resting take profit is cancelled when its position is gone', () => {
  const harness = restingGrid()
  harness.tell({ kind: 'positions', held: {} })
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  expect(harness.order('sgrid.grid.mb1.1').status).toBe('resting')
  expect(read(harness, 3, {})).toHaveLength(1)
  expect(cancelsOf(harness.wait(1000))).toContain('sgrid.grid.mb1.1')
})

test("a difference counts after the time that the venue needs to list its cause, in the venue's time", () => {
  const harness = reversion()
  harness.engine.state.venue.settleMs = 40_000
  expect(read(harness, 42, {})).toEqual([])
  expect(read(harness, 1, {})).toMatchObject([{ type: 'halted', strategy: 'mrev', reason }])
})

test('an amount that an unlisted order may have sold is not missing, and no larger amount is explained by it', () => {
  for (const [there, isHalted] of [
    ['1', false],
    ['0.5', true],
  ] as const) {
    const harness = reversion()
    expect(sentAt(harness, 94)).toEqual(sale)
    Object.assign(harness.order('mrev.fade.st.1'), { status: 'resting', amount: '1' })
    const held = { SOL_USDT: { long: there, short: '0' } }
    const unlisted = ['mrev.fade.st.1']
    const notes = [1, 2, 3, 4].flatMap(() => harness.tell({ kind: 'positions', held, unlisted }).notes)
    expect(notes.some(({ type }) => type === 'halted')).toBe(isHalted)
  }
})
