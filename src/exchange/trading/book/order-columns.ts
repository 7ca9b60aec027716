import { selfTradeModes, type SelfTradeMode } from '#src/venues/whitebit/contract/trading/order-fields.ts'
import { columns, growColumns, type Columns } from './columns.ts'

/**
 * The live orders of all accounts, one row each, in typed columns: a resting order costs the garbage collector only its
 * client order id, and the columns that matching reads are adjacent in memory. Links are row numbers, 0 means none. A
 * finished row keeps its values until the next order, so that its end can be reported.
 */
export type OrderColumns = Columns<typeof layout> & {
  clientId: string[]
  /** Number of rows ever used, with the unused row 0. */
  used: number
  /** First row of the free list, linked through `behind`. */
  freed: number
}

const layout = {
  floats: [
    'id',
    /** The limit; for a market order the end of its price band. */
    'ticks',
    'lots',
    'left',
    /** Money traded so far, in quanta (one quantum is one lot at one tick), and the part of it traded as taker. */
    'quanta',
    'taken',
    'at',
    'changedAt',
    /** Lots queued ahead of it at its price, in a recorded market with queues; negative until counted. */
    'ahead',
  ],
  integers: [
    /** Numbers in the order of the world file: accounts from 1, markets from 0. */
    'account',
    'market',
    /** Its level in the book, and its neighbours in the queue of that level. */
    'level',
    'before',
    'behind',
    /** Its neighbours among the resting orders of the account, by age. */
    'older',
    'newer',
    'flags',
  ],
  bytes: [
    'sells',
    'positionSide',
    'selfTrade',
    'status',
    /** The fee tier of the account when the order was placed. */
    'tier',
  ],
  atoms: [],
} as const

/**
 * `linked`: another order ends when this one trades; `stock`: a spot market order for an amount of the base asset;
 * `stop`: the order waits, or has waited, for an activation price; `forced`: the exchange placed it to liquidate;
 * `attached`: it was placed with a take profit, a stop loss or both.
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
  forced: 512,
  attached: 1024,
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
  'AUTO_CANCELED_USER_MARGIN',
] as const

export type ExchangeSide = 'buy' | 'sell'
export type PositionSide = (typeof positionSides)[number]
export type ExchangeOrderStatus = (typeof statuses)[number]

export function noOrders(): OrderColumns {
  return { ...columns(layout, 256), clientId: [''], used: 1, freed: 0 }
}

/** Takes a row for a new order and clears it. */
export function takeRow(orders: OrderColumns): number {
  const again = orders.freed
  if (again !== 0) {
    orders.freed = orders.behind[again] ?? 0
    return again
  }
  if (orders.used === orders.id.length) growColumns(orders, 2 * orders.used)
  return orders.used++
}

/** Frees the row. Its values stay readable until the next use. */
export function freeRow(orders: OrderColumns, row: number): void {
  orders.behind[row] = orders.freed
  orders.freed = row
}

/** The resting orders of an account, oldest first. The caller may remove the current one. */
export function* restingRows(orders: OrderColumns, { oldest }: { oldest: number }): Generator<number> {
  for (let row = oldest; row !== 0;) {
    const next = orders.newer[row] ?? 0
    yield row
    row = next
  }
}

/** The index in `selfTrades`: 1 cancels both orders, 2 the new one, 3 the old one. */
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
