import { selfTradeModes, type SelfTradeMode } from '#src/venues/whitebit/contract/trading/order-fields.ts'
import { columns, stretch, type Columns } from './columns.ts'

/**
 * The live orders of all accounts, a row each, in typed columns: an order that rests costs the collector of
 * garbage nothing but its client id, and what matching touches lies side by side. Links are row numbers, 0 is
 * nobody. A row that has ended keeps its values until the next order comes, so that its end can be told.
 */
export type OrderColumns = Columns<
  (typeof layout.floats)[number],
  (typeof layout.integers)[number],
  (typeof layout.bytes)[number]
> & {
  clientId: string[]
  /** Rows that were ever used, the nobody in row 0 among them. */
  used: number
  /** The first of the rows to use again, linked through `behind`. */
  freed: number
}

const layout = {
  floats: [
    'id',
    /** The limit; that of a market order is the end of the band it may reach. */
    'ticks',
    'lots',
    'left',
    /** Money traded so far, in quanta (a quantum is one lot at one tick), and how much of it as the taker. */
    'quanta',
    'taken',
    'at',
    'changedAt',
    /** Lots of others in front of it at its price, in a market where they queue; below zero as long as nobody counted. */
    'ahead',
  ],
  integers: [
    /** Numbers, in the order of the world file: accounts from 1, markets from 0. */
    'account',
    'market',
    /** Its level in the book, and its neighbours in the queue there. */
    'level',
    'before',
    'behind',
    /** Its neighbours among the account's resting orders, by age. */
    'older',
    'newer',
    'flags',
  ],
  bytes: ['sells', 'positionSide', 'selfTrade', 'status'],
} as const

/**
 * `linked`: another order ends when this one trades; `stock`: a spot market order for an amount of goods;
 * `stop`: it waits, or has waited, for a price.
 */
export const flag = {
  postOnly: 1,
  ioc: 2,
  rpi: 4,
  reduceOnly: 8,
  spot: 16,
  market: 32,
  linked: 64,
  stock: 128,
  stop: 256,
} as const
export const positionSides = ['LONG', 'SHORT', 'BOTH'] as const
export const selfTrades = ['no', 'cb', 'cn', 'co'] as const
export const statuses = [
  'OPEN',
  'FILLED',
  'CANCELED',
  'CANCELED_STP',
  'CANCELED_TAKER_BAND',
  'AUTO_CANCELED_REDUCE_ONLY',
  'AUTO_CANCELED_LIQUIDATION',
] as const

export type ExchangeSide = 'buy' | 'sell'
export type PositionSide = (typeof positionSides)[number]
export type ExchangeOrderStatus = (typeof statuses)[number]

export function noOrders(): OrderColumns {
  return { ...columns(layout, 256), clientId: [''], used: 1, freed: 0 }
}

/** A row for a new order; whatever stood in it is forgotten now. */
export function takeRow(orders: OrderColumns): number {
  const again = orders.freed
  if (again !== 0) {
    orders.freed = orders.behind[again] ?? 0
    return again
  }
  if (orders.used === orders.id.length) stretch(orders, layout, 2 * orders.used)
  return orders.used++
}

/** The row may be used again. Its values stay readable until it is. */
export function freeRow(orders: OrderColumns, row: number): void {
  orders.behind[row] = orders.freed
  orders.freed = row
}

/** The resting orders of an account, oldest first. The one at hand may be taken out. */
export function* restingRows(orders: OrderColumns, { oldest }: { oldest: number }): Generator<number> {
  for (let row = oldest; row !== 0;) {
    const next = orders.newer[row] ?? 0
    yield row
    row = next
  }
}

/** As orders have it, an index of `selfTrades`: 1 cancels both orders, 2 the new one, 3 the old one. */
export function selfTradeNumber(mode: SelfTradeMode): number {
  const place = selfTradeModes.indexOf(mode)
  return place > 3 ? place - 3 : place
}

export function sideOf(orders: OrderColumns, row: number): ExchangeSide {
  return orders.sells[row] === 1 ? 'sell' : 'buy'
}

export function has(orders: OrderColumns, row: number, which: number): boolean {
  return ((orders.flags[row] ?? 0) & which) !== 0
}

export function statusOf(orders: OrderColumns, row: number): ExchangeOrderStatus {
  return statuses[orders.status[row] ?? 0] ?? 'OPEN'
}
