import { expect, test } from 'vitest'
import { newOrder } from '#src/engine/orders/new-order.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import { readsByOrder, venueByOrder } from '#src/runtime/account/shared-client-ids.ts'
import type { AccountReads, EndsWanted, ListedOrder, OrderList, Venue } from '#src/venue/port.ts'

const at = 1_767_268_800_000
const clock = { speed: 1, isSure: () => true }

function orderOf(id: string, about: Partial<Order> = {}): Order {
  const place = { strategy: 'mm', ladder: 'bids', level: '1', generation: 1, role: 'entry' } as const
  const terms = {
    market: 'BTC_PERP',
    side: 'buy',
    positionSide: 'LONG',
    price: '50000',
    amount: '0.01',
  } as const
  const draft = { id, ...place, ...terms, postOnly: false, ioc: false, rpi: false }
  return { ...newOrder(draft, { at }), status: 'resting', ...about }
}

function listedOf(venueId: string, about: Partial<ListedOrder> = {}): ListedOrder {
  const progress = { venueId, filled: '0', money: '0', fee: '0', ended: false }
  const terms = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.01' } as const
  return {
    venueId,
    id: 'mm.bids.1.1',
    ...terms,
    placedAt: at,
    endedAt: null,
    text: venueId,
    progress,
    ...about,
  }
}

const amends = { id: 'mm.bids.1.1', venueId: '1', clientId: 'mm.bids.1.1' }
const first = orderOf('mm.bids.1.1', { venueId: '1' })
const second = orderOf('mm.bids.1.2', { venueId: '2', price: '50010', amends })

function listOf(rows: readonly ListedOrder[], unread: readonly (string | null)[] = []): OrderList {
  return { orders: new Map(rows.map((row) => [row.venueId, row])), unread: new Set(unread) }
}

/** What the bot reads of a list. */
async function read(
  orders: readonly Order[],
  list: OrderList,
): Promise<{ ids: string[]; unread: unknown[] }> {
  const states: State['orders'] = Object.fromEntries(orders.map((order) => [order.id, order]))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other reads are not called
  const account = { openOrders: async () => ({ kind: 'read', value: list }) } as unknown as AccountReads
  const found = await readsByOrder(account, () => states, clock).openOrders()
  if (found.kind !== 'read') throw new Error(found.kind)
  return { ids: [...found.value.orders.values()].map(({ id }) => id), unread: [...found.value.unread] }
}

test('records with one client order id belong to the orders whose id of the venue they have', async () => {
  const rows = [listedOf('1'), listedOf('2', { price: '50010' })]
  expect((await read([first, second], listOf(rows))).ids).toEqual(['mm.bids.1.1', 'mm.bids.1.2'])
})

test('a record with a new id of the venue belongs to the order with its price that has none yet', async () => {
  const sending = { ...second, venueId: null }
  const row = listedOf('7', { price: '50010' })
  expect((await read([first, sending], listOf([row]))).ids).toEqual(['mm.bids.1.2'])
  const other = listedOf('7', { price: '50020' })
  expect((await read([first, sending], listOf([other]))).ids).toEqual(['mm.bids.1.1'])
})

test('the first order may be forgotten', async () => {
  const rows = [listedOf('1'), listedOf('2', { price: '50010' })]
  expect((await read([second], listOf(rows))).ids).toEqual(['mm.bids.1.1', 'mm.bids.1.2'])
})

test('an unreadable record may be each order with its client order id', async () => {
  const { unread } = await read([first, second], listOf([], ['mm.bids.1.1', null]))
  expect(unread).toEqual(['mm.bids.1.1', null, 'mm.bids.1.2'])
})

test('the end of an amended order is asked for by its client order id, and found by the id of the venue', async () => {
  const rows = [listedOf('1', { endedAt: at }), listedOf('2', { price: '50010', endedAt: at })]
  const asked: string[] = []
  // The adapter takes the first record with the id that is ours.
  const cancel = async (_: unknown, wanted: readonly EndsWanted[]) => {
    const ends = new Map<string, ListedOrder>()
    for (const { ids, isOurs } of wanted) {
      asked.push(...ids)
      for (const row of rows) if (ids.has(row.id) && !ends.has(row.id) && isOurs(row)) ends.set(row.id, row)
    }
    return { results: [], ends, unread: new Set<string>() }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reads are not called
  const venue = { account: {}, cancel } as unknown as Pick<Venue, 'account' | 'cancel'>
  const orders = { [first.id]: first, [second.id]: second }
  const wanted = { market: 'BTC_PERP', ids: new Set(['mm.bids.1.2']), isOurs: () => true }
  const { ends } = await venueByOrder(venue, () => orders, clock).cancel([], [wanted])
  expect(asked).toEqual(['mm.bids.1.1'])
  expect([...ends].map(([id, { venueId }]) => [id, venueId])).toEqual([['mm.bids.1.2', '2']])
})
