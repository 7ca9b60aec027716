import { describe, expect, test } from 'vitest'
import type { Submit } from '#src/engine/commands.ts'
import { Engine } from '#src/engine/engine.ts'
import { cancelsOf, EngineHarness, minute, submitsOf } from '#test/engine/support/engine-harness.ts'
import { haltingAt, market, priced } from '#test/engine/support/falling-prices.ts'

/** Three buys of 0.1 below 60 000, a unit of 600 apart, and these exits; a loss of 300 halts. */
function textOf(exit: string, drawdown = '{ pause: 0.2%, halt: 0.5% }'): string {
  return `
version: 1
name: dips
needs: [bulk, history, balance]
markets:
  btc: { symbol: BTC_PERP }
feeds:
  px: { source: candles, market: btc, interval: 1m, stale_after: 1d }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 3
    spacing: { kind: volatility, unit: "600", first: 1, step: 1 }
    size: { total: 0.3 base }
    exit: ${exit}
rules:
  - { id: on, when: last(px) > 0, do: [ensure: dip] }
  - { id: crash, when: last(px) < 58500, do: [halt: crashed] }${haltingAt(drawdown, '{ btc: 60000 }')}`
}

const positions = (long: string) => ({ kind: 'positions', held: { [market]: { long, short: '0' } } }) as const

/** Long 0.1 from 59 400, with the other two buys at rest. */
function holding(text: string, facts: ConstructorParameters<typeof EngineHarness>[1] = {}): EngineHarness {
  const harness = new EngineHarness([text], { clientIds: 'unproven', ...facts })
  harness.tell(positions('0'))
  harness.quote(market, 60_000)
  harness.settle(harness.candle(market, '1m', 60_000))
  expect(harness.resting()).toEqual(['dips.dip.1.1', 'dips.dip.2.1', 'dips.dip.3.1'])
  harness.settle(harness.fill('dips.dip.1.1'))
  harness.tell(positions('0.1'))
  return harness
}

const sent = (orders: Submit['orders']) => orders.map(({ id, side, amount }) => `${id} ${side} ${amount}`)

/** Each way in which a strategy stops, and how it is brought about while 0.1 is held. */
const ways: Record<string, (harness: EngineHarness) => void> = {
  'a halt by drawdown': (harness) => void priced(harness, 56_000),
  'a halt by a rule': (harness) => {
    harness.at += minute
    harness.settle(harness.candle(market, '1m', 58_400))
  },
  'rungs stop STRATEGY': (harness) => {
    harness.settle(harness.tell({ kind: 'operator', act: 'halt', strategy: 'dips', reason: 'lunch' }))
  },
  'rungs stop': (harness) => {
    harness.settle(harness.tell({ kind: 'operator', act: 'stop', reason: 'lunch' }))
  },
  'a halt by doubt': (harness) => {
    harness.withdrawn(['dips.dip.3.1'], 'gone', 'not found')
    for (let second = 0; second < 70; second++) harness.settle(harness.wait(1000))
  },
  'a halt by drift': (harness) => {
    for (let reading = 0; reading < 3; reading++) {
      harness.at += 1000
      harness.settle(harness.tell(positions('0.06')))
    }
    harness.settle(harness.wait(1000))
  },
  'rungs stop STRATEGY --freeze': (harness) => {
    harness.settle(
      harness.tell({ kind: 'operator', act: 'halt', strategy: 'dips', reason: 'look', freeze: true }),
    )
  },
  'rungs stop --freeze': (harness) => {
    harness.settle(harness.tell({ kind: 'operator', act: 'stop', reason: 'look', freeze: true }))
  },
}

/** Each exit: what the file says, and the prices at which it leaves. */
const exits: Record<
  string,
  { file: string; leaves: (harness: EngineHarness) => Submit['orders']; label: string }
> = {
  stop: { file: '{ stop: { pct: 12% } }', leaves: (harness) => priced(harness, 52_000), label: 'st' },
  trail: {
    file: '{ trail: { activate: 1 x unit, retrace: 0.5 x unit } }',
    leaves: (harness) => [...priced(harness, 60_600), ...priced(harness, 60_100)],
    label: 'tr',
  },
  max_age: {
    file: '{ max_age: 30m }',
    leaves: (harness) => {
      harness.at += 30 * minute
      harness.quote(market, 59_000)
      return harness.settle(harness.wait(0))
    },
    label: 'ag',
  },
  at: { file: '{ at: 60500 }', leaves: (harness) => priced(harness, 60_600), label: 'at' },
  'take profit on touch': {
    file: '{ tp: { pct: 2% } }',
    leaves: (harness) => priced(harness, 60_700),
    label: 't1',
  },
}

type Expected = {
  /** What leaves, of the 0.1 that is held. */
  amount: string | null
  /** Buys at rest afterwards, without those in doubt. */
  entries: string[]
}
const kept = ['dips.dip.2.1', 'dips.dip.3.1']
const matrix: [way: string, expected: Expected][] = [
  ['a halt by drawdown', { amount: '0.1', entries: [] }],
  ['a halt by a rule', { amount: '0.1', entries: [] }],
  ['rungs stop STRATEGY', { amount: '0.1', entries: [] }],
  ['rungs stop', { amount: '0.1', entries: kept }],
  ['a halt by doubt', { amount: '0.1', entries: [] }],
  ['a halt by drift', { amount: '0.06', entries: [] }],
  ['rungs stop STRATEGY --freeze', { amount: null, entries: [] }],
  ['rungs stop --freeze', { amount: null, entries: kept }],
]

describe.each(matrix)('after %s', (way, { amount, entries }) => {
  test('entries follow the table', () => {
    const harness = holding(textOf('{ stop: { pct: 12% } }'))
    ways[way]!(harness)
    expect(harness.resting()).toEqual(entries)
    harness.quote(market, 60_000)
    expect(submitsOf(harness.wait(10_000))).toEqual([])
  })

  test.each(Object.entries(exits))('%s works, or is frozen', (_name, { file, leaves, label }) => {
    const harness = holding(textOf(file))
    ways[way]!(harness)
    const out = sent(leaves(harness))
    expect(out[0]).toBe(amount === null ? undefined : `dips.dip.${label}.1 sell ${amount}`)
    const { position } = harness.ladder('dips', 'dip').held
    expect(position).toBe(amount === null ? '0.1' : amount === '0.1' ? '0' : '0.04')
  })

  test('a start from the stored state behaves the same', () => {
    const harness = holding(textOf('{ stop: { pct: 12% } }'))
    ways[way]!(harness)
    harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
    expect(sent(priced(harness, 52_000))[0]).toBe(
      amount === null ? undefined : `dips.dip.st.1 sell ${amount}`,
    )
  })

  test('resting exits stay as far as the venue shows a position for them, and new ones are armed', () => {
    const harness = holding(textOf('{ mirror: 1 }'))
    expect(harness.resting()).toContain('dips.dip.m1.1')
    ways[way]!(harness)
    const isCovered = way !== 'a halt by drift'
    expect(harness.resting().includes('dips.dip.m1.1')).toBe(isCovered)
    // Another buy fills in part while it is cancelled.
    harness.settle(harness.fill('dips.dip.2.1', 0.5))
    harness.tell(positions(isCovered ? '0.15' : '0.11'))
    harness.settle(harness.wait(10_000))
    expect(harness.resting().includes('dips.dip.m1.1')).toBe(isCovered)
    expect(harness.resting().some((id) => id.startsWith('dips.dip.m2.'))).toBe(amount !== null)
  })

  test('resume lifts it, freeze included', () => {
    const harness = holding(textOf('{ stop: { pct: 12% } }'))
    ways[way]!(harness)
    const strategy = way.startsWith('rungs stop') && !way.includes('STRATEGY') ? null : 'dips'
    // As long as the doubt lasts, it halts again.
    const proof = { kind: 'operator', act: 'resolve', as: 'absent', reason: 'looked at' } as const
    harness.tell({ ...proof, order: 'dips.dip.3.1' })
    harness.settle(harness.tell({ kind: 'operator', act: 'resume', strategy, reason: 'looked at' }))
    const own = harness.engine.state.strategies['dips']
    expect([
      own?.halted,
      own?.haltedExits,
      harness.engine.state.stopped,
      harness.engine.state.frozen,
    ]).toEqual([null, undefined, null, undefined])
  })
})

test('a stop that a halt of 0.3.2 had blocked is sent: that state has no frozen exits', () => {
  const harness = holding(textOf('{ stop: { pct: 12% } }'))
  const { state } = harness.engine
  state.strategies['dips']!.halted = 'lost too much'
  state.stopped = 'lunch'
  harness.engine = new Engine(JSON.parse(JSON.stringify(state)))
  expect(sent(priced(harness, 52_000))).toEqual(['dips.dip.st.1 sell 0.1'])
})

test('if the venue shows no positions, exits follow our own fills after a halt by an unknown outcome', () => {
  const harness = new EngineHarness([textOf('{ stop: { pct: 12% } }')], {
    clientIds: 'unproven',
    capabilities: ['bulk'],
  })
  harness.quote(market, 60_000)
  harness.settle(harness.candle(market, '1m', 60_000))
  harness.fill('dips.dip.1.1')
  ways['a halt by doubt']!(harness)
  expect(harness.engine.state.strategies['dips']?.halted).toMatch(/unknown/)
  // This venue cannot cancel: the other buy may fill, and its stop closes it, too.
  expect(harness.resting()).toEqual(['dips.dip.2.1'])
  harness.fill('dips.dip.2.1')
  expect(sent(priced(harness, 51_000))).toEqual(['dips.dip.st.1 sell 0.2'])
})

test('an exit with unknown outcome is sent again while entries are stopped', () => {
  const harness = holding(textOf('{ stop: { pct: 12% } }'), { clientIds: 'forever' })
  ways['rungs stop']!(harness)
  harness.at += 1000
  const [stop] = submitsOf(harness.quote(market, 52_000))
  const unknown = { kind: 'unknown', reason: 'nothing was heard' } as const
  const again = harness.tell({ kind: 'answered', chunk: stop!.chunk, orders: [unknown] })
  expect(sent(submitsOf(again).flatMap(({ orders }) => orders))).toEqual(['dips.dip.st.1 sell 0.1'])
})

test("an exit that closes the whole position cancels the ladder's entries during a stop", () => {
  const harness = holding(textOf('{ stop: { pct: 12% } }'))
  ways['rungs stop']!(harness)
  harness.at += 1000
  expect(cancelsOf(harness.quote(market, 52_000))).toEqual(['dips.dip.2.1', 'dips.dip.3.1'])
})
