import { describe, expect, test } from 'vitest'
import type { FoundChoice, UnownedOrder } from '#src/engine/events.ts'
import { cancelsOf, EngineHarness, fileOf, submitsOf, venue } from '#test/engine/support/engine-harness.ts'

const b1 = { price: '59500', amount: '0.001764' }

/** An open order of the grid, as another journal has placed it. */
function found(id: string, about: Partial<UnownedOrder> = {}): UnownedOrder {
  const order = { id, market: 'BTC_USDT', side: 'buy', ...b1, placedAt: 1000 } as const
  return {
    ...order,
    venueId: id.length.toString(),
    filled: '0',
    money: '0',
    fee: '0',
    ended: false,
    ...about,
  }
}

/** A grid with the tag k7 that has just read an account with these orders. */
function starting(
  orders: readonly UnownedOrder[],
  choice: FoundChoice,
  { isLast, facts = {} }: { isLast?: true; facts?: Partial<typeof venue> } = {},
) {
  const harness = new EngineHarness([fileOf('static-grid')], facts, 'k7')
  harness.begin({ readsFirst: true })
  const step = harness.tell({ kind: 'found', orders: [...orders], choice, ...(isLast && { isLast }) })
  harness.tell({ kind: 'accountRead' })
  return { harness, step }
}

/** What the grid sends with its first prices. */
function firstSent(harness: EngineHarness): string[] {
  harness.quote('BTC_USDT', 60_000)
  return harness.settle(harness.candle('BTC_USDT', '1m', 60_000)).map(({ id }) => id)
}

describe('stop', () => {
  test('one message names the number, strategies, markets and tags, and the choices; exits keep working', () => {
    const orders = [
      found('sgrid.grid.b1.q21'),
      found('sgrid.grid.s1.q21'),
      found('maker.quotes.1.4', { market: 'ETH_PERP' }),
    ]
    const { harness, step } = starting(orders, 'stop')
    expect(step.notes).toEqual([
      {
        type: 'stopped',
        at: harness.at,
        exits: 'work',
        reason:
          '3 open orders of Rungs that this journal has not placed: 2 of sgrid in BTC_USDT with the tag q2; ' +
          '1 of maker in ETH_PERP without a tag. fix: start again with --found-orders adopt (manage them), cancel, or ' +
          'ignore (trade beside them); rungs resume ignores them until the next start',
      },
    ])
    expect(firstSent(harness)).toEqual([])
    const resume = { kind: 'operator', act: 'resume', strategy: null, reason: 'both shall trade' } as const
    expect(harness.settle(harness.tell(resume)).length).toBeGreaterThan(5)
    expect(harness.engine.state.drift.foreign).toBe(true)
  })

  test('the stop ends with the session, and the stop of an operator does not', () => {
    const { harness } = starting([found('sgrid.grid.b1.q21')], 'stop')
    expect(harness.engine.state.stopped).not.toBeNull()
    harness.begin({ readsFirst: true })
    expect(harness.engine.state.stopped).toBeNull()
    harness.tell({ kind: 'found', orders: [found('sgrid.grid.b1.q21')], choice: 'stop' })
    harness.tell({ kind: 'operator', act: 'stop', reason: 'by hand' })
    harness.begin({ readsFirst: true })
    expect(harness.engine.state.stopped).toBe('by hand')
    const { notes } = harness.tell({ kind: 'found', orders: [found('sgrid.grid.b1.q21')], choice: 'stop' })
    expect(notes).toMatchObject([
      { type: 'alert', message: expect.stringContaining('1 open order of Rungs') },
    ])
    expect(harness.engine.state.stopped).toBe('by hand')
  })
})

test('ignore: the grid is placed under its own ids', () => {
  const { harness, step } = starting([found('sgrid.grid.b1.q21')], 'ignore')
  expect(step.notes).toMatchObject([{ type: 'alert', message: expect.stringMatching(/trades beside them/) }])
  expect(firstSent(harness)).toContain('sgrid.grid.b1.k71')
  expect(harness.engine.state.drift.foreign).toBe(true)
})

describe('cancel', () => {
  test('these orders are cancelled by the ids of the venue, and no other', () => {
    const orders = [
      found('sgrid.grid.b1.q21', { venueId: '71' }),
      found('sgrid.grid.b2.q21', { ended: true }),
    ]
    const { harness, step } = starting(orders, 'cancel')
    expect(step.commands).toEqual([
      {
        kind: 'cancel',
        strategy: 'sgrid',
        orders: [{ id: 'sgrid.grid.b1.q21', market: 'BTC_USDT', venueId: '71' }],
      },
    ])
    harness.withdrawn(['sgrid.grid.b1.q21'], 'canceled')
    expect(Object.keys(harness.engine.state.orders)).toEqual([])
    expect(harness.engine.state.drift.foreign).toBe(false)
    expect(firstSent(harness)).toContain('sgrid.grid.b1.k71')
  })

  test.each([
    ['they are still open after several tries', { isLast: true } as const],
    [
      'the venue cannot cancel',
      { facts: { capabilities: venue.capabilities.filter((each) => each !== 'cancel') } },
    ],
  ])('no entry is placed if %s', (_, about) => {
    const { harness, step } = starting([found('sgrid.grid.b1.q21')], 'cancel', about)
    expect(cancelsOf(step)).toEqual([])
    expect(step.notes).toMatchObject([
      { type: 'stopped', reason: expect.stringContaining('could not be cancelled') },
    ])
    expect(firstSent(harness)).toEqual([])
  })
})

describe('adopt', () => {
  test('an order at its rung stays; one with another price is replaced; their fills from now on are booked', () => {
    const orders = [found('sgrid.grid.b1.q21'), found('sgrid.grid.b2.q29', { price: '58000' })]
    const { harness, step } = starting(orders, 'adopt')
    expect(step.notes).toMatchObject([
      { type: 'alert', message: expect.stringContaining('has adopted them') },
    ])
    expect(step.commands).toEqual([])
    harness.quote('BTC_USDT', 60_000)
    const asking = harness.candle('BTC_USDT', '1m', 60_000)
    expect(cancelsOf(asking)).toEqual(['sgrid.grid.b2.q29'])
    const ids = harness.settle(asking).map(({ id }) => id)
    // Numbers go on behind those of adopted orders.
    expect(ids.filter((id) => /\.b[12]\./.test(id))).toEqual(['sgrid.grid.b2.k7a'])
    const mirrors = submitsOf(harness.fill('sgrid.grid.b1.q21')).flatMap((command) => command.orders)
    expect(mirrors.map(({ id }) => id)).toEqual(['sgrid.grid.mb1.k71'])
    const holding = Object.values(harness.engine.state.strategies['sgrid']?.holdings ?? {})[0]
    expect(holding?.position).toBe(b1.amount)
  })

  test('what has filled before is the position of another journal: it is not booked, and the rest is placed anew', () => {
    const part = { filled: '0.001', money: '59.5', fee: '0.01' }
    const { harness } = starting([found('sgrid.grid.b1.q21', part)], 'adopt')
    expect(harness.steps.flatMap(({ step }) => cancelsOf(step))).toEqual(['sgrid.grid.b1.q21'])
    expect(harness.engine.state.strategies['sgrid']?.holdings).toEqual({})
    // It fills some more before the cancellation.
    harness.tell({
      kind: 'seen',
      orders: [
        {
          id: 'sgrid.grid.b1.q21',
          venueId: '17',
          filled: '0.0015',
          money: '89.25',
          fee: '0.015',
          ended: true,
        },
      ],
    })
    const holding = Object.values(harness.engine.state.strategies['sgrid']?.holdings ?? {})[0]
    expect(holding).toMatchObject({ position: '0.0005', cost: '29.75', fees: '0.005' })
  })

  test.each([
    ['another.grid.b1.q21', {}, 'the strategy another does not run here'],
    ['sgrid.other.b1.q21', {}, 'sgrid has no ladder other'],
    ['sgrid.grid.mb1.q21', { side: 'sell' }, 'it is an exit of a position that this journal does not hold'],
    ['sgrid.grid.b99.q21', {}, 'sgrid.grid has no such rung in its file'],
    ['sgrid.grid.1.q21', {}, 'sgrid.grid has no such rung in its file'],
    ['sgrid.grid.s1.q21', {}, 'sgrid.grid has no such rung in its file'],
    ['sgrid.grid.b1.q21', { market: 'ETH_USDT' }, 'sgrid.grid has no such rung in its file'],
    ['sgrid.grid.b1.q21', { price: null }, 'sgrid.grid has no such rung in its file'],
  ] as const)('%s %o is not claimed: %s', (id, about, why) => {
    const { harness, step } = starting([found(id, about)], 'adopt')
    // What has failed is not proposed again.
    const others = 'fix: start again with --found-orders cancel, or ignore (trade beside them)'
    const reason = expect.stringContaining(`they cannot be adopted (${id}: ${why}). ${others}`)
    expect(step.notes).toMatchObject([{ type: 'stopped', reason }])
    expect(Object.keys(harness.engine.state.orders)).toEqual([])
    expect(firstSent(harness)).toEqual([])
  })

  test('of two orders for one rung the second is not claimed', () => {
    const { harness, step } = starting([found('sgrid.grid.b1.q21'), found('sgrid.grid.b1.z91')], 'adopt')
    expect(step.notes.map(({ type }) => type)).toEqual(['alert', 'stopped'])
    expect(harness.engine.state.stopped).toContain('sgrid.grid.b1.z91: sgrid.grid.b1.q21 has its rung')
    expect(Object.keys(harness.engine.state.orders)).toEqual(['sgrid.grid.b1.q21'])
  })
})

test('after an old backup, the bot reports fills of orders with its tag, and does not use their numbers again', () => {
  const ended = { ended: true, filled: '0.001764', money: '104.958' }
  const orders = [found('sgrid.grid.b1.k75', ended), found('sgrid.grid.b2.k73', { ended: true })]
  const { harness, step } = starting(orders, 'stop')
  expect(step.notes).toMatchObject([
    {
      type: 'alert',
      message: expect.stringMatching(
        /^1 order has an id of this journal.*\(\+0\.001764 in BTC_USDT\) are not/,
      ),
    },
  ])
  expect(harness.engine.state.stopped).toBeNull()
  expect(harness.engine.state.strategies['sgrid']?.holdings).toEqual({})
  expect(firstSent(harness)).toEqual(
    expect.arrayContaining(['sgrid.grid.b1.k76', 'sgrid.grid.b2.k74', 'sgrid.grid.b3.k71']),
  )
})
