import { clientIdOf } from '#src/engine/orders/order-ids.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import type {
  AccountReads,
  Ends,
  EndsWanted,
  ListedOrder,
  OrderList,
  ReadResult,
  Venue,
} from '#src/venue/port.ts'
import { identityOf, type DatingClock } from './order-identity.ts'

type Orders = State['orders']

/**
 * Lists of the venue in which each order has the id that it has in the state. An amended order has the client order id of the
 * order that it has replaced; the venue's id distinguishes them, and as long as that is not known, price, amount and date.
 */
export function readsByOrder(account: AccountReads, orders: () => Orders, clock: DatingClock): AccountReads {
  const byOrder = (read: ReadResult<OrderList>): ReadResult<OrderList> =>
    read.kind === 'read' ? { ...read, value: new OrderNames(orders(), clock).ofList(read.value) } : read
  return {
    ...account,
    openOrders: (policy) => account.openOrders(policy).then(byOrder),
    endedOrders: (since, policy) => account.endedOrders(since, policy).then(byOrder),
    ends(wanted) {
      const names = new OrderNames(orders(), clock)
      return account
        .ends(wanted.map((each) => names.wantedAtVenue(each)))
        .then((found) => names.ofEnds(found))
    },
  }
}

/** The same for the results of cancel requests. */
export function venueByOrder<Of extends Pick<Venue, 'account' | 'cancel'>>(
  venue: Of,
  orders: () => Orders,
  clock: DatingClock,
): Of {
  return {
    ...venue,
    account: readsByOrder(venue.account, orders, clock),
    cancel(named, wanted) {
      const names = new OrderNames(orders(), clock)
      const asked = wanted.map((each) => names.wantedAtVenue(each))
      return venue.cancel(named, asked).then((answer) => ({ ...answer, ...names.ofEnds(answer) }))
    },
  }
}

class OrderNames {
  readonly #orders: Orders
  readonly #clock: DatingClock
  /** Orders that share a client order id, by that id, in the order of sending. */
  readonly #sharing = new Map<string, Order[]>()

  constructor(orders: Orders, clock: DatingClock) {
    this.#orders = orders
    this.#clock = clock
    for (const order of Object.values(orders)) {
      if (!order.amends) continue
      const { clientId } = order.amends
      const some = this.#sharing.get(clientId)
      const first = orders[clientId]
      if (some) some.push(order)
      else this.#sharing.set(clientId, first ? [first, order] : [order])
    }
  }

  ofList(list: OrderList): OrderList {
    if (this.#sharing.size === 0) return list
    const named = [...list.orders].map(([venueId, listed]) => [venueId, this.#named(listed)] as const)
    return { orders: new Map(named), unread: this.#unread(list.unread) }
  }

  ofEnds({ ends, unread }: Ends): Ends {
    if (this.#sharing.size === 0) return { ends, unread }
    const named = [...ends.values()].map((listed) => this.#named(listed))
    return { ends: new Map(named.map((listed) => [listed.id, listed])), unread: this.#unread(unread) }
  }

  /** What an adapter is asked for: it knows client order ids alone. */
  wantedAtVenue(wanted: EndsWanted): EndsWanted {
    if (this.#sharing.size === 0) return wanted
    const { market, ids, isOurs } = wanted
    return {
      market,
      ids: new Set([...ids].map((id) => this.#clientIdOf(id))),
      isOurs: (listed) => {
        const named = this.#named(listed)
        return ids.has(named.id) && isOurs(named)
      },
    }
  }

  #clientIdOf(id: string): string {
    const order = this.#orders[id]
    return order ? clientIdOf(order) : id
  }

  #named(listed: ListedOrder): ListedOrder {
    const sharing = this.#sharing.get(listed.id)
    if (!sharing) return listed
    const known = sharing.find(({ venueId }) => venueId === listed.venueId)
    const order = known ?? sharing.findLast((each) => this.#mayBe(each, listed))
    return order ? { ...listed, id: order.id } : listed
  }

  /** The venue's id of the order is not known yet. */
  #mayBe(order: Order, listed: ListedOrder): boolean {
    if (order.venueId !== null && order.venueId !== '') return false
    const identity = identityOf(order, listed, this.#clock)
    return identity === 'ours' || identity === 'unsure'
  }

  /** An unreadable element may be any of the orders that share its id. */
  #unread(unread: OrderList['unread']): OrderList['unread'] {
    const sharing = [...unread].flatMap((id) => (id === null ? [] : (this.#sharing.get(id) ?? [])))
    return new Set([...unread, ...sharing.map((order) => order.id)])
  }
}
