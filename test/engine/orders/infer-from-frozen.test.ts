import { expect, test } from 'vitest'
import { Decimal } from '#src/core/money/decimal.ts'
import type { Desk } from '#test/engine/support/engine-harness.ts'
import { type Facts, doubtful, statuses } from '#test/engine/support/unknown-order.ts'

const spec: Facts = { clientIds: 'unproven', leverage: 1, capabilities: ['bulk', 'history', 'balance'] }

test('without a list of orders, the held-back amount tells whether orders exist', () => {
  for (const [part, status] of [
    [0, 'ended'],
    [1, 'resting'],
    [0.5, 'doubtful'],
  ] as const) {
    const { desk, ids } = doubtful(spec)
    desk.at += 1000
    const freeze = { USDT: notionalOf(desk, ids).times(part).toFixed() }
    desk.tell({ kind: 'evidence', ids, fencedAt: desk.at, found: {}, listed: false, freeze })
    expect(statuses(desk, ids)).toEqual(new Set([status]))
  }
})

test('it gives no answer where its conditions do not hold', () => {
  const whys: (string | null)[] = []
  const story = (facts: Facts, change: (desk: Desk, ids: string[]) => string[] | void) => {
    const { desk, ids } = doubtful(facts)
    desk.at += 1000
    const asked = change(desk, ids) ?? ids
    desk.tell({
      kind: 'evidence',
      ids: asked,
      fencedAt: desk.at,
      found: {},
      listed: false,
      freeze: { USDT: '0' },
    })
    expect(statuses(desk, asked)).toEqual(new Set(['doubtful']))
    whys.push(desk.order(asked[0] ?? '').why)
  }
  story({ ...spec, leverage: null }, () => undefined)
  story(spec, (desk) => void desk.tell({ kind: 'foreign', orders: ['one'] }))
  story(spec, (_desk, ids) => ids.slice(1))
  story(spec, (desk) => {
    desk.engine.state.strategies['sgrid']!.holdings['btc'] = {
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

function notionalOf(desk: Desk, ids: readonly string[]): Decimal {
  const each = ids.map((id) => new Decimal(desk.order(id).price).times(desk.order(id).amount))
  return each.reduce((sum, notional) => sum.plus(notional), new Decimal(0))
}
