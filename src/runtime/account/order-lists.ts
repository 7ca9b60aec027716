import { z } from 'zod'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { Unread } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import type { ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Progress } from '#src/engine/events.ts'
import { progressOf } from './order-progress.ts'

/** An order as a list of the venue has it: at rest, or in the history. */
export type Listed = {
  /** The venue's own id of it. */
  venueId: string
  /** Ours, or that of whoever placed it. */
  id: string
  market: string
  side: 'buy' | 'sell'
  /** Null at the market. */
  price: string | null
  amount: string
  /** In milliseconds of the venue. */
  placedAt: number
  /** In milliseconds of the venue; null while it rests. */
  endedAt: number | null
  progress: Progress
  /** For people. */
  text: string
}

/** A list of the venue, as far as it could be read. */
export type List = {
  /** By the venue's id. */
  orders: ReadonlyMap<string, Listed>
  /** Our ids of the unreadable elements, where an id is readable; null stands for all others. */
  unread: UnreadIds
}
type UnreadIds = ReadonlySet<string | null>

/** Whether an element that could not be read may be this order: then nothing proves that it is absent. */
export function mayHide(unread: UnreadIds, id: string): boolean {
  return unread.has(id) || unread.has(null)
}

const named = z.object({ client_order_id: z.string() })

/** The ids of unreadable elements, where at least the id is readable. */
export function unreadIds(unread: readonly Unread[] = []): (string | null)[] {
  return unread.map(({ value }) => named.safeParse(value).data?.client_order_id ?? null)
}

type EndedRow = ReadOf<Contract['orderHistory']>[string][number]

const pageLength = 100
/** Every page begins so many records before the end of the last one: lists grow and shrink while they are read. */
const overlap = 20
/** A list that keeps slipping away is given up. */
const passesMax = 4

type Page = { orders: Listed[]; unread: (string | null)[] }

/** All resting orders; null if the list is incomplete, which proves nothing. */
export function restingOrders(client: Pick<Client, 'openOrders'>): Promise<List | null> {
  return inPages(async (offset) => {
    const answer = await client.openOrders({ offset, limit: pageLength })
    if (answer.kind !== 'answer') return null
    const orders = answer.value.map((order): Listed => {
      const { market, side, amount, price = 'the market' } = order
      const venueId = String(order.order_id)
      return {
        venueId,
        id: order.client_order_id,
        market,
        side,
        price: order.price ?? null,
        amount,
        placedAt: order.timestamp * 1000,
        endedAt: null,
        text: textOf(market, side, amount, price, venueId),
        progress: progressOf(order.order_id, order, false),
      }
    })
    return { orders, unread: unreadIds(answer.unread) }
  })
}

/** All orders that ended at `since` or later: the history has the newest first. */
export function endedOrders(client: Pick<Client, 'orderHistory'>, since: number): Promise<List | null> {
  return inPages(
    async (offset) => {
      const answer = await client.orderHistory({ offset, limit: pageLength })
      if (answer.kind !== 'answer') return null
      const orders = Object.entries(answer.value).flatMap(([market, records]) =>
        records.map((record) => endedOrder(market, record)),
      )
      // One list that was cut into markets for the answer.
      orders.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
      return { orders, unread: unreadIds(answer.unread) }
    },
    (oldest) => (oldest.endedAt ?? 0) < since,
  )
}

/** One record of the history. */
export function endedOrder(market: string, order: EndedRow): Listed {
  const { side, amount, price } = order
  const venueId = String(order.id)
  return {
    venueId,
    id: order.client_order_id,
    market,
    side,
    price,
    amount,
    placedAt: order.ctime * 1000,
    endedAt: order.ftime * 1000,
    text: textOf(market, side, amount, price, venueId),
    progress: progressOf(order.id, order, true),
  }
}

function textOf(market: string, side: string, amount: string, price: string, venueId: string): string {
  return `${market}: ${side} ${amount} at ${price}, venue id ${venueId}`
}

async function inPages(
  read: (offset: number) => Promise<Page | null>,
  isEnough: (oldest: Listed) => boolean = () => false,
): Promise<List | null> {
  for (let pass = 1; pass <= passesMax; pass++) {
    const found = await onePass(read, isEnough)
    if (found !== 'slipped') return found
  }
  return null
}

/** A page that shares nothing with the one before it leaves a gap: then somebody must begin again. */
async function onePass(
  read: (offset: number) => Promise<Page | null>,
  isEnough: (oldest: Listed) => boolean,
): Promise<List | null | 'slipped'> {
  const found = new Map<string, Listed>()
  const unread = new Set<string | null>()
  for (let offset = 0; ; offset += pageLength - overlap) {
    const page = await read(offset)
    if (page === null) return null
    if (offset > 0 && !page.orders.some(({ venueId }) => found.has(venueId))) return 'slipped'
    for (const order of page.orders) found.set(order.venueId, order)
    for (const id of page.unread) unread.add(id)
    const oldest = page.orders.at(-1)
    const isLast = page.orders.length + page.unread.length < pageLength
    if (isLast || (oldest !== undefined && isEnough(oldest))) return { orders: found, unread }
  }
}
