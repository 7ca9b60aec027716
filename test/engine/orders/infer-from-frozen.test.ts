import { expect, test } from 'vitest'
import { Decimal } from '#src/core/money/decimal.ts'
import type { EngineHarness } from '#test/engine/support/engine-harness.ts'
import { type UnknownOrderFacts, doubtful, statuses } from '#test/engine/support/unknown-order.ts'

const spec: UnknownOrderFacts = {
  clientIds: 'unproven',
  leverage: 1,
  capabilities: ['bulk', 'history', 'balance'],
}

test('without a list of orders, the held-back amount tells whether orders exist', () => {
  for (const [part, status] of [
    [0, 'ended'],
    [1, 'resting'],
    [0.5, 'doubtful'],
  ] as const) {
    const { harness, ids } = doubtful(spec)
    harness.at += 1000
    const freeze = { USDT: notionalOf(harness, ids).times(part).toFixed() }
    harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, found: {}, listed: false, freeze })
    expect(statuses(harness, ids)).toEqual(new Set([status]))
  }
})

test('it gives no answer where its conditions do not hold', () => {
  const whys: (string | null)[] = []
  const story = (
    facts: UnknownOrderFacts,
    change: (harness: EngineHarness, ids: string[]) => string[] | void,
  ) => {
    const { harness, ids } = doubtful(facts)
    harness.at += 1000
    const asked = change(harness, ids) ?? ids
    harness.tell({
      kind: 'evidence',
      ids: asked,
      fencedAt: harness.at,
      found: {},
      listed: false,
      freeze: { USDT: '0' },
    })
    expect(statuses(harness, asked)).toEqual(new Set(['doubtful']))
    whys.push(harness.order(asked[0] ?? '').why)
  }
  story({ ...spec, leverage: null }, () => undefined)
  story(spec, (harness) => void harness.tell({ kind: 'foreign', orders: ['one'] }))
  story(spec, (_desk, ids) => ids.slice(1))
  story(spec, (harness) => {
    harness.engine.state.strategies['sgrid']!.holdings['btc'] = {
      position: '0.1',
      cost: '6000',
      entry: '60000',
      realized: '0',
      fees: '0',
      fills: [],
    }
  })
  expect(whys).toEqual([
    expect.stringContaining('leverage'),
    expect.stringContaining('other programs trade'),
    expect.stringContaining('is unknown, too'),
    expect.stringContaining('close a position'),
  ])
})

function notionalOf(harness: EngineHarness, ids: readonly string[]): Decimal {
  const each = ids.map((id) => new Decimal(harness.order(id).price).times(harness.order(id).amount))
  return each.reduce((sum, notional) => sum.plus(notional), new Decimal(0))
}
