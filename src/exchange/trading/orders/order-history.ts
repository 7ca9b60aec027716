import { caps } from '#src/exchange/caps.ts'
import {
  columns,
  newestPlaces,
  nextPlace,
  type Columns,
  type Ring,
} from '#src/exchange/trading/book/columns.ts'
import {
  flag,
  positionSides,
  selfTrades,
  statuses,
  type OrderColumns,
} from '#src/exchange/trading/book/order-columns.ts'
import type { Stop, Trigger } from '#src/exchange/trading/records.ts'

/** The newest finished orders and deals of an account, in rings of typed columns. */

export type Finished = Columns<typeof finishedLayout> & Ring & { clientId: string[] }
export type Deals = Columns<typeof dealLayout> & Ring & { clientId: string[] }

const finishedLayout = {
  floats: ['id', 'ticks', 'lots', 'left', 'quanta', 'taken', 'at', 'changedAt'],
  integers: ['market', 'flags'],
  bytes: ['sells', 'positionSide', 'selfTrade', 'status', 'tier'],
  atoms: [],
} as const
/** `other` is the opposite order. */
const dealLayout = {
  floats: ['id', 'order', 'other', 'ticks', 'lots', 'at'],
  integers: ['market'],
  bytes: ['sells', 'taker', 'rpi', 'tier'],
  atoms: [],
} as const

export function noFinished(): Finished {
  return { ...columns(finishedLayout, 16), clientId: [], count: 0 }
}

export function noDeals(): Deals {
  return { ...columns(dealLayout, 16), clientId: [], count: 0 }
}

/** Stores the finished order of this row. */
export function recordFinished(finished: Finished, orders: OrderColumns, row: number): void {
  const place = nextPlace(finished, finished.id.length, caps.history)
  // Written column by column: a loop over the names would look up each column again for every finished order.
  finished.id[place] = orders.id[row] ?? 0
  finished.ticks[place] = orders.ticks[row] ?? 0
  finished.lots[place] = orders.lots[row] ?? 0
  finished.left[place] = orders.left[row] ?? 0
  finished.quanta[place] = orders.quanta[row] ?? 0
  finished.taken[place] = orders.taken[row] ?? 0
  finished.at[place] = orders.at[row] ?? 0
  finished.changedAt[place] = orders.changedAt[row] ?? 0
  finished.market[place] = orders.market[row] ?? 0
  finished.sells[place] = orders.sells[row] ?? 0
  finished.flags[place] = orders.flags[row] ?? 0
  finished.positionSide[place] = orders.positionSide[row] ?? 0
  finished.selfTrade[place] = orders.selfTrade[row] ?? 0
  finished.status[place] = orders.status[row] ?? 0
  finished.tier[place] = orders.tier[row] ?? 0
  finished.clientId[place] = orders.clientId[row] ?? ''
}

export type Deal = ReturnType<typeof dealAt>

export function addDeal(deals: Deals, deal: Deal): void {
  const place = nextPlace(deals, deals.id.length, caps.history)
  deals.id[place] = deal.id
  deals.order[place] = deal.order
  deals.other[place] = deal.other
  deals.ticks[place] = deal.ticks
  deals.lots[place] = deal.lots
  deals.at[place] = deal.at
  deals.market[place] = deal.market
  deals.sells[place] = deal.sells ? 1 : 0
  deals.taker[place] = deal.taker ? 1 : 0
  deals.rpi[place] = deal.rpi ? 1 : 0
  deals.tier[place] = deal.tier
  deals.clientId[place] = deal.clientId
}

export function dealAt(deals: Deals, place: number) {
  return {
    id: deals.id[place] ?? 0,
    at: deals.at[place] ?? 0,
    market: deals.market[place] ?? 0,
    order: deals.order[place] ?? 0,
    other: deals.other[place] ?? 0,
    clientId: deals.clientId[place] ?? '',
    sells: deals.sells[place] === 1,
    taker: deals.taker[place] === 1,
    ticks: deals.ticks[place] ?? 0,
    lots: deals.lots[place] ?? 0,
    rpi: deals.rpi[place] === 1,
    tier: deals.tier[place] ?? 0,
  }
}

/** The places of finished orders or deals, newest first. */
export function newestFirst(ring: Ring): Generator<number> {
  return newestPlaces(ring, caps.history)
}

/** The facts of an order, read from its row in any table with these columns: finished orders and live ones. */
class RowFacts {
  readonly table: Omit<Finished, 'count'>
  readonly place: number
  readonly stops: ReadonlyMap<number, Stop> | undefined
  constructor(table: Omit<Finished, 'count'>, place: number, stops?: ReadonlyMap<number, Stop>) {
    this.table = table
    this.place = place
    this.stops = stops
  }
  get id() {
    return this.table.id[this.place] ?? 0
  }
  get clientId() {
    return this.table.clientId[this.place] ?? ''
  }
  get market() {
    return this.table.market[this.place] ?? 0
  }
  get sells() {
    return this.table.sells[this.place] === 1
  }
  get flags() {
    return this.table.flags[this.place] ?? 0
  }
  get positionSide() {
    return positionSides[this.table.positionSide[this.place] ?? 0] ?? 'LONG'
  }
  get selfTrade() {
    return selfTrades[this.table.selfTrade[this.place] ?? 0] ?? 'no'
  }
  get ticks() {
    return this.table.ticks[this.place] ?? 0
  }
  get lots() {
    return this.table.lots[this.place] ?? 0
  }
  get left() {
    return this.table.left[this.place] ?? 0
  }
  get quanta() {
    return this.table.quanta[this.place] ?? 0
  }
  get taken() {
    return this.table.taken[this.place] ?? 0
  }
  get tier() {
    return this.table.tier[this.place] ?? 0
  }
  get at() {
    return this.table.at[this.place] ?? 0
  }
  get endedAt() {
    return this.table.changedAt[this.place] ?? 0
  }
  get status() {
    return statuses[this.table.status[this.place] ?? 0] ?? 'CANCELED'
  }
  get stop() {
    return (this.flags & flag.stop) === 0 ? undefined : this.stops?.get(this.id)
  }
}

export type OrderFacts = Omit<RowFacts, 'table' | 'place' | 'stops'>

/** Valid until the row is used again: the facts are not copied, because most answers read few of them. */
export function factsAt(...row: ConstructorParameters<typeof RowFacts>): OrderFacts {
  return new RowFacts(...row)
}

/** An order that waits for its activation price, in the same form. */
export function waitingFacts({ id, market, draft, activation, rises, at }: Trigger): OrderFacts {
  const { clientId, sells, flags, ticks, lots } = draft
  const positionSide = positionSides[draft.positionSide] ?? 'LONG'
  const selfTrade = selfTrades[draft.selfTrade] ?? 'no'
  const untouched = {
    left: lots,
    quanta: 0,
    taken: 0,
    tier: 0,
    at,
    endedAt: at,
    status: 'OPEN' as const,
    stop: { activation, rises, activatedAt: 0 },
  }
  return { id, clientId, market, sells, flags, positionSide, selfTrade, ticks, lots, ...untouched }
}
