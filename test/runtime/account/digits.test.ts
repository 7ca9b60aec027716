import { expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { cancelAtVenue } from '#src/runtime/execute/cancel-orders.ts'
import { beginStrategy } from '#src/engine/state/initial-state.ts'
import type { ApprovedOrder } from '#src/engine/commands.ts'
import { applyProgress } from '#src/engine/holdings/holdings.ts'
import { orderOf } from '#test/engine/support/state-fixture.ts'
import { asListed } from '#test/runtime/support/unknown-order-venue.ts'
import { openVenue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'

/** Each has more digits than a double can hold. */
const [amount, price, taken] = ['87654321.12345611', '1', '76543210.98765411']

/** Money enough for it, and a market in which it may be. */
const world = {
  switches: { priceBand: 'none' },
  markets: {
    BTC_PERP: {
      amountDigits: '8',
      priceDigits: '0',
      minAmount: '0.00000001',
      minTotal: '0.00000001',
      maxTotal: '90000000',
    },
  },
  accounts: {
    paper: { collateral: { USDT: '200000000' } },
    rival: { collateral: { USDT: '200000000' } },
  },
}

test('an amount keeps every digit in the request, in the book of the venue, and in its fills', async () => {
  const venue = await openVenue('socket', { profile: 'full', world })
  try {
    const id = 's.g.1.1'
    const draft = { ...orderOf(id), market: 'BTC_PERP', side: 'buy', positionSide: 'LONG', price, amount }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no gate is needed to see what is sent
    const orders = [draft as unknown as ApprovedOrder]
    const adapter = adapterOf(venue.paper)
    const { answers } = await adapter.submit(orders, {
      stopOnFail: false,
      priority: 'entries',
      withinMs: () => 10_000,
      signal: new AbortController().signal,
      onTime: () => {},
    })
    expect(answers).toMatchObject([{ kind: 'accepted' }])
    expect(await venue.paper.openOrders({ market: 'BTC_PERP' })).toMatchObject({ value: [{ amount, price }] })
    const sold = { market: 'BTC_PERP', side: 'sell', amount: taken, price } as const
    await venue.rival.collateralBulk({ orders: [sold] })
    const told: NewEvent[] = []
    const tell = (event: NewEvent) => void told.push(event)
    const named = [{ id, market: 'BTC_PERP', venueId: null }]
    const lists = { isListed: true, settled: async () => true, isOurs: () => true, inDealOrder: asListed }
    await cancelAtVenue({ venue: adapter, tell, ...lists }, named)
    expect(told[0]).toMatchObject({ kind: 'seen', orders: [{ id, filled: taken, money: taken }] })
  } finally {
    await venue.close()
  }
})

test('what has filled is held to the last digit', () => {
  const own = beginStrategy('')
  const order = { ...orderOf('s.g.1.1'), side: 'buy' as const, amount }
  const progress = { venueId: '1', filled: taken, money: amount, fee: taken, ended: false }
  expect(applyProgress(own, order, progress, { market: 'btc', at: 0 })).toEqual({
    amount: taken,
    money: amount,
    fee: taken,
  })
  expect(own.holdings['btc']).toMatchObject({ position: taken, cost: amount, fees: taken })
})
