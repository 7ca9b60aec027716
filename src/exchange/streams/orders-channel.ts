import { z } from 'zod'
import { market as marketName, pageLimit, pageOffset } from '#src/venues/whitebit/contract/fields.ts'
import { orderEvents, streamErrors } from '#src/venues/whitebit/contract/streams/streams.ts'
import { restingOf } from '#src/exchange/trading/orders/find-orders.ts'
import {
  factsAt,
  newestFirst,
  waitingFacts,
  type OrderFacts,
} from '#src/exchange/trading/orders/order-history.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import type { Trader } from '../trading/trader.ts'
import { waitingOf } from '#src/exchange/trading/orders/cancel-orders.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  marketsOf,
  privateMethod,
  topicsChannel,
  writtenUpdate,
  type Channel,
  type SendFrame,
} from './channel.ts'
import { orderJson, typeOf } from './order-json.ts'

const offset = pageOffset(1_000_000)
const limit = pageLimit(100)
const names = z.array(marketName)
/** Which finished orders a subscription asks for. */
const filters = { all: 0, limit: 1, market: 2 } as const

/** The orders of an account: every change of a resting order, and every finished order. */
export function ordersChannel(venue: VenueContext, post: SendFrame): Channel {
  const { trading } = venue
  const topicsOf = (account: Trader, names: readonly string[], filter?: number) => {
    const markets = marketsOf(venue, names)
    return 'error' in markets
      ? markets
      : { topics: markets.map(({ number }) => topic(account, number, filter)) }
  }
  const pending = topicsChannel(
    'ordersPending',
    privateMethod(names, ({ account }, names) => topicsOf(account, names)),
  )
  const executed = topicsChannel(
    'ordersExecuted',
    privateMethod(z.tuple([names, z.literal(Object.values(filters))]), ({ account }, [names, filter]) =>
      topicsOf(account, names, filter),
    ),
  )
  const audiences = { ordersPending: pending.audience, ordersExecuted: executed.audience }

  function tell(name: keyof typeof audiences, about: string, params: () => string): void {
    const readers = audiences[name].of(about)
    if (readers) post(readers, writtenUpdate(name, params()))
  }

  return {
    methods: {
      ...pending.methods,
      ordersPending_request: pendingPage(venue),
      ...executed.methods,
      ordersExecuted_request: executedPage(venue),
    },
    leave(reader) {
      pending.leave(reader)
      executed.leave(reader)
    },
    waits(account, trigger, what) {
      const order = waitingFacts(trigger)
      const about = topic(account, order.market)
      tell('ordersPending', about, () => `[${orderEvents[what]},${orderJson(venue, order)}]`)
    },
    order(account, row, what) {
      if (pending.audience.size === 0 && executed.audience.size === 0) return
      const order = factsAt(trading.state.orders, row, account.stops)
      const event = `[${orderEvents[what]},`
      tell('ordersPending', topic(account, order.market), () => `${event}${orderJson(venue, order)}]`)
      if (what !== 'ended') return
      const kind = (order.flags & flag.market) === 0 ? filters.limit : filters.market
      for (const filter of [filters.all, kind]) {
        tell('ordersExecuted', topic(account, order.market, filter), () => `[${orderJson(venue, order)}]`)
      }
    },
  }
}

/** One page of the resting and the waiting orders of a market, newest first. */
function pendingPage(venue: VenueContext) {
  const { trading, state } = venue
  return privateMethod(z.tuple([marketName, offset, limit]), ({ account }, [name, offset, limit]) => {
    const market = venue.markets.get(name)
    if (market === undefined) return { error: streamErrors.marketUnknown(name) }
    const about = { market: market.number }
    const resting = [...restingOf(trading, account, about)].map(({ row }) =>
      factsAt(state.orders, row, account.stops),
    )
    const waiting = waitingOf(trading, account, about).map(waitingFacts)
    const all = [...resting, ...waiting].sort((a, b) => b.id - a.id)
    const records = all.slice(offset, offset + limit).map((order) => orderJson(venue, order))
    return { json: page({ limit, offset, total: all.length }, records) }
  })
}

const executedOrders = z.object({ market: marketName, order_types: z.array(z.int()).optional() })

/** One page of the finished orders of a market, newest first. */
function executedPage(venue: VenueContext) {
  return privateMethod(z.tuple([executedOrders, offset, limit]), ({ account }, [about, offset, limit]) => {
    const { market: name, order_types: types = [] } = about
    const market = venue.markets.get(name)
    if (market === undefined) return { error: streamErrors.marketUnknown(name) }
    const records: OrderFacts[] = []
    for (const place of newestFirst(account.finished)) {
      if (account.finished.market[place] !== market.number) continue
      const order = factsAt(account.finished, place, account.stops)
      if (types.length === 0 || types.includes(typeOf(order.flags))) records.push(order)
      if (records.length === offset + limit) break
    }
    const wanted = records.slice(offset).map((order) => orderJson(venue, order))
    return { json: page({ limit, offset }, wanted) }
  })
}

function topic(account: Trader, market: number, filter: number = filters.all): string {
  return `${account.number} ${market} ${filter}`
}

/** One page of a list, as JSON. */
export function page(about: Record<string, number>, records: readonly string[]): string {
  return `${JSON.stringify(about).slice(0, -1)},"records":[${records.join(',')}]}`
}
