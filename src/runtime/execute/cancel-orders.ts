import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { Command } from '#src/engine/commands.ts'
import type { SeenOrder, CancelledOrder } from '#src/engine/events.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import {
  endedOrder,
  mayHide,
  restingOrders,
  unreadIds,
  type List,
  type Listed,
} from '#src/runtime/account/order-lists.ts'

type Orders = Extract<Command, { kind: 'cancel' }>['orders']

/** What venues call an order that is not there (any more). */
const goneCodes = new Set([2, 404])
const goneText = /not found|not exist|already cancell?ed|unexecuted/i
/** Orders in one request. */
const batchMax = 50
/** Others end meanwhile, too, and stand before them in the history: few as a rule, else another page is read. */
const othersAtOnce = 8
const pageMax = 100

export type CancelParts = {
  client: Pick<Client, 'cancelOrders' | 'orderHistory' | 'openOrders'>
  /** Whether the venue lists resting orders. */
  isListed: boolean
  tell: (event: NewEvent) => void
  /** Waits as long as the history may be late; false when the process ends first. */
  settled: () => Promise<boolean>
  /** Whether it is an order of ours, and not one of others that has the same id. */
  isOurs: (listed: Listed) => boolean
  inDealOrder: (listed: readonly Listed[]) => Promise<SeenOrder[]>
}

/**
 * Takes orders back, many in one request, and reads right after it how far they had come: a part that was filled a moment
 * before is then known together with the end of the order, and not later. What the history does not show yet counts as at
 * rest for as long as the venue may take to show it. Each order is named by the venue's own id: another order may have ours.
 */
export async function cancelAtVenue(withdrawing: CancelParts, orders: Orders): Promise<void> {
  const { client, isListed, isOurs, settled } = withdrawing
  const unseen: Orders = []
  // Where all of them have names, the request takes its place in the queue at once.
  const isAsked = isListed && !orders.every(hasName)
  const names = namesOf(orders, isAsked ? await restingOrders(client) : undefined, isOurs)
  for (let from = 0; from < orders.length; from += batchMax) {
    const some = orders.slice(from, from + batchMax)
    const asked = some.flatMap((order) => names.get(order.id)?.name ?? [])
    const outcome =
      asked.length === 0
        ? ({ kind: 'accepted', value: [] } as const)
        : await client.cancelOrders({ orders: asked }, { priority: 'exits' })
    const isAnswered = outcome.kind === 'accepted' && outcome.value.length === asked.length
    const answers = isAnswered
      ? outcome.value.map(({ error }) => resultOf(error))
      : asked.map(() => sharedResult(outcome))
    const results = some.map(({ id }) => names.get(id)?.result ?? answers.shift() ?? silent)
    const { ends } = isAnswered ? await endsOf(withdrawing, some) : { ends: new Map<string, Listed>() }
    const withdrawn: CancelledOrder[] = []
    for (const [index, order] of some.entries()) {
      const result = results[index] ?? silent
      if (result.outcome === 'canceled' && !ends.has(order.id)) unseen.push(order)
      else withdrawn.push({ id: order.id, ...result })
    }
    await tellTogether(withdrawing, ends, withdrawn)
  }
  if (unseen.length === 0 || !(await settled())) return
  const { ends, unread } = await endsOf(withdrawing, unseen)
  const withdrawn = unseen.map(({ id }) => Object.assign({ id }, mayHide(unread, id) ? unreadable : canceled))
  await tellTogether(withdrawing, ends, withdrawn)
}

function hasName({ venueId }: Orders[number]): boolean {
  return venueId !== null && venueId !== ''
}

type Name = { market: string; order_id: number } | { market: string; client_order_id: string }

/**
 * What each order is called in a request, by our id: by the venue's own id, which a list shows where the bot does not know it,
 * and by ours only where there is no list. An order that no list shows is not asked for, and has its result.
 */
function namesOf(
  orders: Orders,
  list: List | null | undefined,
  isOurs: CancelParts['isOurs'],
): Map<string, { name?: Name; result?: Result }> {
  const rows = [...(list?.orders.values() ?? [])]
  return new Map(
    orders.map((order): [string, { name?: Name; result?: Result }] => {
      const { id, market } = order
      const venueId = hasName(order)
        ? order.venueId
        : rows.find((listed) => listed.id === id && isOurs(listed))?.venueId
      if (venueId) return [id, { name: { market, order_id: Number(venueId) } }]
      if (list === undefined) return [id, { name: { market, client_order_id: id } }]
      return [id, { result: list === null || mayHide(list.unread, id) ? unlisted : elsewhere }]
    }),
  )
}

/** All that a request brought, at once: a ladder that is laid anew then leaves at once, too. */
async function tellTogether(
  { tell, inDealOrder }: CancelParts,
  ends: ReadonlyMap<string, Listed>,
  withdrawn: CancelledOrder[],
): Promise<void> {
  const seen = await inDealOrder([...ends.values()])
  if (seen.length > 0) tell({ kind: 'seen', orders: seen })
  if (withdrawn.length > 0) tell({ kind: 'withdrawn', orders: withdrawn })
}

type Result = Omit<CancelledOrder, 'id'>

const elsewhere: Result = { outcome: 'gone', message: 'no open order with its id matches it' }
const unlisted: Result = { outcome: 'refused', message: 'the list of open orders could not be read' }

const silent: Result = { outcome: 'unknown', message: 'the answer does not mention it' }
const canceled: Result = { outcome: 'canceled', message: '' }
/** An unreadable record may hold a fill from before the cancellation. */
const unreadable: Result = { outcome: 'gone', message: 'a record of the order history could not be read' }

function resultOf(
  error: { code: number; message: string; errors?: Record<string, string[]> | undefined } | null,
): Result {
  if (error === null) return canceled
  const message = [error.message, ...Object.values(error.errors ?? {}).flat()].join('; ')
  const isGone = goneCodes.has(error.code) || goneText.test(message)
  return { outcome: isGone ? 'gone' : 'refused', message }
}

function sharedResult(outcome: { kind: string; message?: string; reason?: string }): Result {
  const message = outcome.message ?? outcome.reason ?? 'the venue answered for other orders than requested'
  // What never left is as good as refused: the orders rest, and may be asked for again.
  const isKnown = outcome.kind === 'refused' || outcome.kind === 'not-sent'
  return { outcome: isKnown ? 'refused' : 'unknown', message }
}

/** How far those had come that the history shows by now, and which others a record may be that cannot be read. */
async function endsOf(
  { client, isOurs }: CancelParts,
  orders: Orders,
): Promise<{ ends: Map<string, Listed>; unread: Set<string | null> }> {
  const ends = new Map<string, Listed>()
  const unread = new Set<string | null>()
  for (const market of new Set(orders.map((order) => order.market))) {
    const wanted = new Set(orders.filter((order) => order.market === market).map(({ id }) => id))
    // As far back as ours and a page of others reach: what is not there by then is not shown yet.
    const farthest = wanted.size + pageMax
    let limit = Math.min(pageMax, wanted.size + othersAtOnce)
    for (let offset = 0; wanted.size > 0 && offset < farthest; limit = pageMax) {
      const page = offset === 0 ? { market, limit } : { market, limit, offset }
      const outcome = await client.orderHistory(page, { priority: 'exits' })
      if (outcome.kind !== 'answer') break
      const ended = outcome.value[market] ?? []
      const unreadNow = unreadIds(outcome.unread)
      for (const id of unreadNow) unread.add(id)
      for (const record of ended) {
        const listed = endedOrder(market, record)
        if (wanted.has(listed.id) && isOurs(listed)) {
          wanted.delete(listed.id)
          ends.set(listed.id, listed)
        }
      }
      if (ended.length + unreadNow.length < limit) break
      offset += limit
    }
  }
  return { ends, unread }
}
