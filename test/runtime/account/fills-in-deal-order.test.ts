import { expect, test } from 'vitest'
import { inDealOrder } from '#src/runtime/account/fills-in-deal-order.ts'
import { endedOrder } from '#src/venues/whitebit/adapter/order-lists.ts'
import { orderOf, stateWith } from '#test/engine/support/state-fixture.ts'
import { beginsAtMs, openVenue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'

const perp = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.02' } as const

/** A sell that ends first and a buy that ends last, in the order of the history: the newest first. */
async function ended(profile: 'spec' | 'full') {
  const venue = await openVenue('socket', { profile })
  try {
    const sale = { ...perp, side: 'sell', price: '50100' } as const
    const orders = [
      { ...perp, client_order_id: 's.g.1.1' },
      { ...sale, client_order_id: 's.g.2.1' },
    ]
    await venue.paper.collateralBulk({ orders })
    for (const [price, side, amount] of [
      ['50000', 'sell', '0.01'],
      ['50100', 'buy', '0.02'],
      ['50000', 'sell', '0.01'],
    ] as const) {
      venue.advance(1000)
      await venue.rival.collateralBulk({ orders: [{ market: 'BTC_PERP', side, price, amount, ioc: true }] })
    }
    const history = await venue.paper.orderHistory({})
    if (history.kind !== 'answer') throw new Error('the venue did not answer')
    const listed = (history.value['BTC_PERP'] ?? []).map((row) => endedOrder('BTC_PERP', row))
    const about = { amount: '0.02', sentAt: beginsAtMs }
    const state = stateWith(
      orderOf('s.g.1.1', about),
      orderOf('s.g.2.1', { ...about, side: 'sell', price: '50100' }),
    )
    const told = await inDealOrder(
      adapterOf(venue.paper, { known: { profile, hedged: null } }).account,
      state,
      listed,
    )
    return told.map(({ id, filled, ended: isOver }) => [id, filled, isOver])
  } finally {
    await venue.close()
  }
}

test('fills of both sides are reported deal by deal', async () => {
  expect(await ended('full')).toEqual([
    ['s.g.1.1', '0.01', false],
    ['s.g.2.1', '0.02', true],
    ['s.g.1.1', '0.02', true],
  ])
})

test('without a list of deals, the order that ended first comes first', async () => {
  expect(await ended('spec')).toEqual([
    ['s.g.2.1', '0.02', true],
    ['s.g.1.1', '0.02', true],
  ])
})
