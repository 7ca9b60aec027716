import { z } from 'zod'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { CallOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { Unread } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import type { ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Ends, EndsWanted, ListedOrder, OrderList, ReadResult } from '#src/venue/port.ts'
import { failedRead, readValue } from './read-of.ts'
import { progressOf } from './order-progress.ts'

const named = z.object({ client_order_id: z.string() })

/** The client order ids of unreadable elements; null where not even the id is readable. */
function unreadIds(unread: readonly Unread[] = []): (string | null)[] {
  return unread.map(({ value }) => named.safeParse(value).data?.client_order_id ?? null)
}

type EndedRow = ReadOf<Contract['orderHistory']>[string][number]

const pageLength = 100
/** Each page begins so many records before the end of the last one: lists grow and shrink while they are read. */
const overlap = 20
/** After so many passes that lost their place, the read ends. */
const passesMax = 4
/** Other orders may end meanwhile and stand first in the history: few as a rule, else another page is read. */
const othersAtOnce = 8

type Page = { orders: ListedOrder[]; elements: readonly Unread[] }

/** All open orders. */
export function openOrders(
  client: Pick<Client, 'openOrders'>,
  options?: CallOptions,
): Promise<ReadResult<OrderList>> {
  return inPages('open orders', async (offset) => {
    const answer = await client.openOrders({ offset, limit: pageLength }, options)
    if (answer.kind !== 'answer') return failedRead(answer)
    const orders = answer.value.map((order): ListedOrder => {
      const { market, side, amount, price = 'the market', activation_price: activation } = order
      const venueId = String(order.order_id)
      return {
        venueId,
        id: order.client_order_id,
        market,
        side,
        price: order.price ?? null,
        activation,
        amount,
        placedAt: order.timestamp * 1000,
        endedAt: null,
        text: textOf(market, side, amount, price, venueId),
        progress: progressOf(order.order_id, order, false),
      }
    })
    return { kind: 'read', value: { orders, elements: answer.unread ?? [] } }
  })
}

/** All orders that ended at `since` or later: the history lists the newest first. */
export function endedOrders(
  client: Pick<Client, 'orderHistory'>,
  since: number,
  options?: CallOptions,
): Promise<ReadResult<OrderList>> {
  return inPages(
    'order history',
    async (offset) => {
      const answer = await client.orderHistory({ offset, limit: pageLength }, options)
      if (answer.kind !== 'answer') return failedRead(answer)
      const orders = Object.entries(answer.value).flatMap(([market, records]) =>
        records.map((record) => endedOrder(market, record)),
      )
      // The answer splits one list into markets.
      orders.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
      return { kind: 'read', value: { orders, elements: answer.unread ?? [] } }
    },
    (oldest) => (oldest.endedAt ?? 0) < since,
  )
}

/** One record of the history. */
export function endedOrder(market: string, order: EndedRow): ListedOrder {
  const { side, amount, price, activationPrice: activation } = order
  const venueId = String(order.id)
  return {
    venueId,
    id: order.client_order_id,
    market,
    side,
    price,
    activation,
    amount,
    placedAt: order.ctime * 1000,
    endedAt: order.ftime * 1000,
    text: textOf(market, side, amount, price, venueId),
    progress: progressOf(order.id, order, true),
  }
}

/** Reads back as far as the wanted orders and a page of others reach: what is not there by then is not shown yet. */
export async function recentEnds(
  client: Pick<Client, 'orderHistory'>,
  wanted: readonly EndsWanted[],
): Promise<Ends> {
  const ends = new Map<string, ListedOrder>()
  const unread = new Set<string | null>()
  for (const { market, ids, isOurs } of wanted) {
    const missing = new Set(ids)
    const farthest = missing.size + pageLength
    let limit = Math.min(pageLength, missing.size + othersAtOnce)
    for (let offset = 0; missing.size > 0 && offset < farthest; limit = pageLength) {
      const page = offset === 0 ? { market, limit } : { market, limit, offset }
      const outcome = await client.orderHistory(page, { priority: 'exits' })
      if (outcome.kind !== 'answer') break
      const ended = outcome.value[market] ?? []
      const unreadNow = unreadIds(outcome.unread)
      for (const id of unreadNow) unread.add(id)
      for (const record of ended) {
        const listed = endedOrder(market, record)
        if (missing.has(listed.id) && isOurs(listed)) {
          missing.delete(listed.id)
          ends.set(listed.id, listed)
        }
      }
      if (ended.length + unreadNow.length < limit) break
      offset += limit
    }
  }
  return { ends, unread }
}

function textOf(market: string, side: string, amount: string, price: string, venueId: string): string {
  return `${market}: ${side} ${amount} at ${price}, venue id ${venueId}`
}

async function inPages(
  what: string,
  read: (offset: number) => Promise<ReadResult<Page>>,
  isEnough: (oldest: ListedOrder) => boolean = () => false,
): Promise<ReadResult<OrderList>> {
  for (let pass = 1; pass <= passesMax; pass++) {
    const found = await onePass(what, read, isEnough)
    if (found.kind !== 'moved') return found
  }
  return { kind: 'moved' }
}

/** A page that shares nothing with the page before it leaves a gap: the list has moved. */
async function onePass(
  what: string,
  read: (offset: number) => Promise<ReadResult<Page>>,
  isEnough: (oldest: ListedOrder) => boolean,
): Promise<ReadResult<OrderList>> {
  const orders = new Map<string, ListedOrder>()
  const elements: Unread[] = []
  for (let offset = 0; ; offset += pageLength - overlap) {
    const answer = await read(offset)
    if (answer.kind !== 'read') return answer
    const page = answer.value
    if (offset > 0 && !page.orders.some(({ venueId }) => orders.has(venueId))) return { kind: 'moved' }
    for (const order of page.orders) orders.set(order.venueId, order)
    elements.push(...page.elements)
    const oldest = page.orders.at(-1)
    const isLast = page.orders.length + page.elements.length < pageLength
    if (isLast || (oldest !== undefined && isEnough(oldest)))
      return readValue({ orders, unread: new Set(unreadIds(elements)) }, what, elements)
  }
}
