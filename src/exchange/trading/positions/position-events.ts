import type { Atoms } from '#src/core/money/atoms.ts'
import { caps } from '#src/exchange/caps.ts'
import {
  atomsAt,
  atomsColumn,
  putAtoms,
  growAtoms,
  type AtomsColumn,
} from '#src/exchange/trading/book/atoms-column.ts'
import { columns, growColumns, type Columns } from '#src/exchange/trading/book/columns.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'

/** The newest events of an account's positions: every fill, and every settlement of funding. */

export type PositionEvents = Columns<
  (typeof layout.floats)[number],
  'market',
  (typeof layout.bytes)[number]
> & {
  cost: AtomsColumn
  fee: AtomsColumn
  realised: AtomsColumn
  funding: AtomsColumn
  count: number
}

const rowsAtFirst = 16

/** `lots` is the position after the event, `traded` the amount of the fill. */
const layout = {
  floats: ['position', 'order', 'openedAt', 'at', 'lots', 'traded', 'ticks'],
  integers: ['market'],
  bytes: ['bucket', 'sells', 'hedged'],
} as const

export function noPositionEvents(): PositionEvents {
  return {
    ...columns(layout, rowsAtFirst),
    cost: atomsColumn(rowsAtFirst),
    fee: atomsColumn(rowsAtFirst),
    realised: atomsColumn(rowsAtFirst),
    funding: atomsColumn(rowsAtFirst),
    count: 0,
  }
}

/** `realised` is the profit of the fill less its fee. */
type FillEvent = {
  order: number
  sells: boolean
  ticks: number
  at: number
  hedged: boolean
  traded: number
  fee: Atoms
  realised: Atoms
}

/** Stores the position after a fill. */
export function recordEvent(events: PositionEvents, exposure: Exposure, fill: FillEvent): void {
  if (events.count === events.order.length && events.count < caps.events) grow(events)
  const place = events.count % caps.events
  events.position[place] = exposure.positionId
  events.openedAt[place] = exposure.openedAt
  events.market[place] = exposure.market
  events.bucket[place] = exposure.bucket
  events.lots[place] = exposure.lots
  putAtoms(events.cost, place, exposure.cost)
  putAtoms(events.funding, place, exposure.funding)
  events.order[place] = fill.order
  events.sells[place] = fill.sells ? 1 : 0
  events.ticks[place] = fill.ticks
  events.at[place] = fill.at
  events.hedged[place] = fill.hedged ? 1 : 0
  events.traded[place] = fill.traded
  putAtoms(events.fee, place, fill.fee)
  putAtoms(events.realised, place, fill.realised)
  events.count += 1
}

function grow(events: PositionEvents): void {
  const rows = 2 * events.count
  growColumns(events, layout, rows)
  events.cost = growAtoms(events.cost, rows)
  events.fee = growAtoms(events.fee, rows)
  events.realised = growAtoms(events.realised, rows)
  events.funding = growAtoms(events.funding, rows)
}

export function eventAt(events: PositionEvents, place: number) {
  return {
    position: events.position[place] ?? 0,
    openedAt: events.openedAt[place] ?? 0,
    market: events.market[place] ?? 0,
    bucket: events.bucket[place] ?? 0,
    lots: events.lots[place] ?? 0,
    cost: atomsAt(events.cost, place),
    funding: atomsAt(events.funding, place),
    order: events.order[place] ?? 0,
    sells: events.sells[place] === 1,
    ticks: events.ticks[place] ?? 0,
    at: events.at[place] ?? 0,
    hedged: events.hedged[place] === 1,
    traded: events.traded[place] ?? 0,
    fee: atomsAt(events.fee, place),
    realised: atomsAt(events.realised, place),
  }
}

/** The places of the events, newest first. */
export function* newestEvents({ count }: PositionEvents): Generator<number> {
  for (let index = count - 1; index >= Math.max(0, count - caps.events); index--) yield index % caps.events
}

/** A funding payment of a position: negative paid, positive received. */
export type FundingPayment = {
  at: number
  market: number
  rate: number
  ticks: number
  lots: number
  amount: Atoms
}
