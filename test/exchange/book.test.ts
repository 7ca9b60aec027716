import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { freezeOf, historyOf, order, place } from './order-fixture.ts'
import { openVenue, worldWith } from './exchange-fixture.ts'

const idsOf = (orders: { client_order_id: string }[]) => orders.map(({ client_order_id }) => client_order_id)

test('the better price trades first, and at one price the older order', () => {
  const venue = openVenue()
  for (const [id, price] of [
    ['late', '101'],
    ['first', '100'],
    ['second', '100'],
    ['never', '102'],
  ] as const) {
    place(venue, 'paper', order('sell', '1', price, { client_order_id: id }))
  }
  for (const _ of [1, 2, 3]) {
    venue.pass(1000)
    expect(place(venue, 'rival', order('buy', '1', '101'))).toMatchObject({ status: 'FILLED' })
  }
  expect(idsOf(historyOf(venue, 'paper'))).toEqual(['late', 'second', 'first'])
})

test('bids trade from the highest price down', () => {
  const venue = openVenue()
  for (const price of ['99', '101', '100'])
    place(venue, 'paper', order('buy', '1', price, { client_order_id: price }))
  expect(place(venue, 'rival', order('sell', '3', '99'))).toMatchObject({
    deal_money: '300',
    status: 'FILLED',
  })
  expect(idsOf(historyOf(venue, 'paper'))).toEqual(['99', '100', '101'])
})

test('a fill has the price of the resting order', () => {
  const venue = openVenue()
  place(venue, 'paper', order('sell', '1', '100'))
  expect(place(venue, 'rival', order('buy', '1', '105'))).toMatchObject({
    deal_money: '100',
    deal_stock: '1',
    price: '105',
  })
  place(venue, 'paper', order('buy', '1', '100'))
  expect(place(venue, 'rival', order('sell', '1', '95'))).toMatchObject({ deal_money: '100' })
})

test('an rpi order fills after all other orders of its price, however old it is, and before the next price', () => {
  const venue = openVenue()
  place(venue, 'paper', order('sell', '1', '100', { client_order_id: 'rpi', rpi: true }))
  place(venue, 'paper', order('sell', '1', '101', { client_order_id: 'worse' }))
  place(venue, 'paper', order('sell', '1', '100', { client_order_id: 'open' }))
  place(venue, 'rival', order('buy', '3', '101'))
  expect(idsOf(historyOf(venue, 'paper'))).toEqual(['worse', 'rpi', 'open'])
})

test('a partially filled order rests with the remainder and keeps its place', () => {
  const venue = openVenue()
  place(venue, 'paper', order('sell', '2', '100', { client_order_id: 'older' }))
  place(venue, 'paper', order('sell', '2', '100', { client_order_id: 'younger' }))
  expect(place(venue, 'rival', order('buy', '1.5', '100'))).toMatchObject({ status: 'FILLED', left: '0' })
  expect(place(venue, 'rival', order('buy', '1', '100'))).toMatchObject({ status: 'FILLED' })
  expect(historyOf(venue, 'paper')).toMatchObject([
    { client_order_id: 'older', deal_stock: '2', status: 'FILLED' },
  ])
  expect(place(venue, 'rival', order('buy', '3', '100'))).toMatchObject({
    status: 'PARTIALLY_FILLED',
    deal_stock: '1.5',
    left: '1.5',
  })
  expect(freezeOf(venue, 'rival')).toBe('150')
})

test('an ioc order fills what is there and cancels the rest; without a match all of it is canceled', () => {
  const venue = openVenue()
  place(venue, 'paper', order('sell', '1', '100'))
  expect(place(venue, 'rival', order('buy', '3', '100', { ioc: true }))).toMatchObject({
    status: 'CANCELED',
    deal_stock: '1',
    left: '2',
  })
  expect(place(venue, 'rival', order('buy', '3', '100', { ioc: true }))).toMatchObject({
    status: 'CANCELED',
    left: '3',
  })
  expect(freezeOf(venue, 'rival')).toBe('0')
  expect(historyOf(venue, 'rival')).toHaveLength(2)
})

test.each(['postOnly', 'rpi'] as const)(
  'a %s order that would take is refused and changes nothing',
  (flag) => {
    const venue = openVenue()
    place(venue, 'paper', order('sell', '1', '100'))
    expect(
      place(venue, 'rival', order('buy', '1', '100', { [flag]: true, client_order_id: 'again' })),
    ).toEqual({
      refused: [flag],
    })
    expect(historyOf(venue, 'rival')).toEqual([])
    expect(
      place(venue, 'rival', order('buy', '1', '99.99', { [flag]: true, client_order_id: 'again' })),
    ).toMatchObject({
      status: 'OPEN',
    })
  },
)

test('with the switch `canceled`, such an order is accepted and ends at once', () => {
  const venue = openVenue({ world: worldWith({ postOnlyCross: 'canceled' }) })
  place(venue, 'paper', order('sell', '1', '100'))
  expect(place(venue, 'rival', order('buy', '1', '100', { postOnly: true }))).toMatchObject({
    status: 'CANCELED',
    left: '1',
  })
  expect(historyOf(venue, 'rival')).toMatchObject([{ status: 'CANCELED', deal_stock: '0' }])
})

test('an account that meets its own order trades with itself and pays both fees', () => {
  const venue = openVenue()
  place(venue, 'paper', order('sell', '1', '100'))
  expect(place(venue, 'paper', order('buy', '1', '100'))).toMatchObject({
    status: 'FILLED',
    deal_fee: '0.035',
  })
  expect(historyOf(venue, 'paper').map(({ deal_fee }) => deal_fee)).toEqual(['0.035', '0.01'])
  expect(venue.exchange.state.accounts.get('paper')?.collateral.open).toEqual([])
})

test('orders of one bulk can match each other, in their order', () => {
  const venue = openVenue()
  const answers = venue.ask(contract.collateralBulk, 'paper', {
    orders: [order('sell', '1', '100'), order('buy', '2', '100'), order('sell', '1', '100')],
  })
  expect(answers.map(({ result }) => result?.status)).toEqual(['OPEN', 'PARTIALLY_FILLED', 'FILLED'])
})

test('a thousand orders at one price trade in the order of their arrival', () => {
  const venue = openVenue()
  const ids = Array.from({ length: 1000 }, (_, index) => `o.${index}`)
  for (let from = 0; from < ids.length; from += 20) {
    const orders = ids
      .slice(from, from + 20)
      .map((id) => order('sell', '0.1', '100', { client_order_id: id }))
    venue.ask(contract.collateralBulk, 'paper', { orders })
  }
  for (const amount of ['33.3', '0.1', '66.6']) place(venue, 'rival', order('buy', amount, '100'))
  const finished = [0, 500].flatMap(
    (offset) =>
      venue.ask(contract.orderHistory, 'paper', { market: 'SOL_PERP', limit: 500, offset })['SOL_PERP'] ?? [],
  )
  expect(idsOf(finished)).toEqual(ids.toReversed())
})
