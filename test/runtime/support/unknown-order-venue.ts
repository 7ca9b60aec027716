import { inDealOrder } from '#src/runtime/account/fills-in-deal-order.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { resolveUnknown, type ResolveParts } from '#src/runtime/execute/resolve-unknown.ts'
import type { ListedOrder } from '#src/venue/port.ts'
import { adapterOf, noDeals } from '#test/support/adapter.ts'
import type { Order } from '#src/engine/state/state.ts'
import { orderOf, stateWith } from '#test/engine/support/state-fixture.ts'
import { beginsAtMs, openVenue, type TestVenue, type VenueOptions } from '#test/support/venue.ts'

export const order = (id: string, about: object = {}) => ({
  market: 'BTC_PERP',
  side: 'buy' as const,
  price: '50000',
  amount: '0.01',
  client_order_id: id,
  ...about,
})
export const sell = (price = '50000', amount = '0.01') => ({
  orders: [{ ...order(''), side: 'sell' as const, price, amount }],
})

/** The fills of orders at a venue without a list of deals. */
export const asListed = (listed: readonly ListedOrder[]) => inDealOrder(noDeals, stateWith(), listed)

/** The clocks of bot and venue advance as soon as a timer waits. */
export function partsOf(venue: TestVenue, about: Partial<ResolveParts> = {}): ResolveParts {
  return {
    venue: adapterOf(venue.paper),
    clock: {
      sleep: async (ms) => {
        venue.advance(ms)
        await new Promise(setImmediate)
      },
    },
    venueClock: { now: () => venue.clock.now(), speed: 1, isSure: () => true },
    settleMs: 0,
    listed: false,
    inDealOrder: asListed,
    signal: new AbortController().signal,
    ...about,
  }
}

export async function inVenue(
  options: VenueOptions,
  story: (venue: TestVenue) => Promise<void>,
): Promise<void> {
  const venue = await openVenue('socket', options)
  try {
    await story(venue)
  } finally {
    await venue.close()
  }
}
export const question = (...ids: string[]) => ({ kind: 'look', ids, sentSince: beginsAtMs }) as const
/** What the engine knows: the orders of these ids, as `order` places them. */
export const knowing =
  (...orders: Order[]) =>
  () =>
    Object.fromEntries(orders.map((each) => [each.id, each]))
export const sent = (id: string, about: Partial<Order> = {}) => orderOf(id, { sentAt: beginsAtMs, ...about })
export const one = knowing(sent('s.g.1.1'))
export type Asked = Parameters<typeof resolveUnknown>
export const seek = (
  parts: ResolveParts,
  about: Asked[1],
  orders: Asked[2],
  tell: (event: NewEvent) => void = () => {},
) => resolveUnknown(parts, about, orders, tell)
