import type { Command } from '#src/engine/commands.ts'
import type { SeenOrder, CancelledOrder } from '#src/engine/events.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import {
  mayHide,
  type AccountReads,
  type EndsWanted,
  type CancelResult,
  type ListedOrder,
  type OrderList,
  type OrderName,
  type Venue,
} from '#src/venue/port.ts'

type Orders = Extract<Command, { kind: 'cancel' }>['orders']

export type CancelParts = {
  venue: Pick<Venue, 'cancel' | 'cancelMax'> & { account: Pick<AccountReads, 'openOrders' | 'ends'> }
  /** Whether the venue lists open orders. */
  isListed: boolean
  tell: (event: NewEvent) => void
  /** Waits as long as the history may be late; false when the process ends first. */
  settled: () => Promise<boolean>
  /** Whether it is our order, and not another one with the same id. */
  isOurs: (listed: ListedOrder) => boolean
  inDealOrder: (listed: readonly ListedOrder[]) => Promise<SeenOrder[]>
}

/**
 * Cancels orders, many in one request, and reads the history right after it: a fill just before the cancellation is then
 * known together with the end of the order. An order that the history does not show yet counts as open for as long as the
 * history may be late. Orders are named by the venue's id: another order may have our id.
 */
export async function cancelAtVenue(parts: CancelParts, orders: Orders): Promise<void> {
  const { venue, isListed, isOurs } = parts
  const unseen: Orders = []
  // If all venue ids are known, the request takes its place in the queue at once.
  const isAsked = isListed && !orders.every(hasName)
  const names = namesOf(orders, isAsked ? await openList(venue.account) : undefined, isOurs)
  for (let from = 0; from < orders.length; from += venue.cancelMax) {
    const some = orders.slice(from, from + venue.cancelMax)
    const asked = some.flatMap((order) => names.get(order.id)?.name ?? [])
    const { results: answers, ends } = await venue.cancel(asked, endsOf(some, isOurs))
    const results = some.map(({ id }) => names.get(id)?.result ?? answers.shift() ?? silent)
    const cancelled: CancelledOrder[] = []
    for (const [index, order] of some.entries()) {
      const result = results[index] ?? silent
      if (result.outcome === 'canceled' && !ends.has(order.id)) unseen.push(order)
      else cancelled.push({ id: order.id, ...result })
    }
    await tellTogether(parts, ends, cancelled)
  }
  await tellUnseen(parts, unseen)
}

/** The venue has replaced these orders by others: emits how far they came. */
export async function tellReplaced(parts: CancelParts, orders: Orders): Promise<void> {
  const { ends } = await parts.venue.account.ends(endsOf(orders, parts.isOurs))
  const cancelled = orders.filter(({ id }) => ends.has(id)).map(({ id }) => Object.assign({ id }, canceled))
  await tellTogether(parts, ends, cancelled)
  await tellUnseen(
    parts,
    orders.filter(({ id }) => !ends.has(id)),
  )
}

/** The history does not show the end of these orders yet: it is read again when it cannot be late any more. */
async function tellUnseen(parts: CancelParts, unseen: Orders): Promise<void> {
  const { venue, settled, isOurs } = parts
  if (unseen.length === 0 || !(await settled())) return
  const { ends, unread } = await venue.account.ends(endsOf(unseen, isOurs))
  const cancelled = unseen.map(({ id }) => Object.assign({ id }, mayHide(unread, id) ? unreadable : canceled))
  await tellTogether(parts, ends, cancelled)
}

function hasName({ venueId }: Orders[number]): boolean {
  return venueId !== null && venueId !== ''
}

async function openList(account: Pick<AccountReads, 'openOrders'>): Promise<OrderList | null> {
  const list = await account.openOrders()
  return list.kind === 'read' ? list.value : null
}

/**
 * The name of each order in a request, by our id: the venue's id, which a list shows where the bot does not know it, and our
 * id only where there is no list. An order that no list shows is not sent, and has its result.
 */
function namesOf(
  orders: Orders,
  list: OrderList | null | undefined,
  isOurs: CancelParts['isOurs'],
): Map<string, { name?: OrderName; result?: CancelResult }> {
  const rows = [...(list?.orders.values() ?? [])]
  return new Map(
    orders.map((order): [string, { name?: OrderName; result?: CancelResult }] => {
      const { id, market } = order
      const venueId = hasName(order)
        ? order.venueId
        : rows.find((listed) => listed.id === id && isOurs(listed))?.venueId
      if (venueId) return [id, { name: { market, venueId } }]
      if (list === undefined) return [id, { name: { market, id } }]
      return [id, { result: list === null || mayHide(list.unread, id) ? unlisted : elsewhere }]
    }),
  )
}

/** All results of a request in one step, so that replacement orders are submitted together. */
async function tellTogether(
  { tell, inDealOrder }: CancelParts,
  ends: ReadonlyMap<string, ListedOrder>,
  cancelled: CancelledOrder[],
): Promise<void> {
  const seen = await inDealOrder([...ends.values()])
  if (seen.length > 0) tell({ kind: 'seen', orders: seen })
  if (cancelled.length > 0) tell({ kind: 'withdrawn', orders: cancelled })
}

const elsewhere: CancelResult = { outcome: 'gone', message: 'no open order with its id matches it' }
const unlisted: CancelResult = { outcome: 'refused', message: 'the list of open orders could not be read' }
const silent: CancelResult = { outcome: 'unknown', message: 'the answer does not mention it' }
const canceled: CancelResult = { outcome: 'canceled', message: '' }
/** An unreadable record may hold a fill from before the cancellation. */
const unreadable: CancelResult = {
  outcome: 'gone',
  message: 'a record of the order history could not be read',
}

/** The orders of each market. */
function endsOf(orders: Orders, isOurs: CancelParts['isOurs']): EndsWanted[] {
  return [...new Set(orders.map((order) => order.market))].map((market) => ({
    market,
    ids: new Set(orders.filter((order) => order.market === market).map(({ id }) => id)),
    isOurs,
  }))
}
