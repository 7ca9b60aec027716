import type { Atoms } from '#src/core/money/atoms.ts'
import { caps } from '#src/exchange/caps.ts'
import { atomsAt, putAtoms } from '#src/exchange/trading/book/atoms-column.ts'
import {
  columns,
  newestPlaces,
  nextPlace,
  type Columns,
  type Ring,
} from '#src/exchange/trading/book/columns.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'

/** The newest events of an account's positions: every fill, and every settlement of funding. */

export type PositionEvents = Columns<typeof layout> & Ring

/** `lots` is the position after the event, `traded` the amount of the fill. */
const layout = {
  floats: ['position', 'order', 'openedAt', 'at', 'lots', 'traded', 'ticks'],
  integers: ['market'],
  bytes: ['bucket', 'sells', 'hedged'],
  atoms: ['cost', 'fee', 'realised', 'funding'],
} as const

export function noPositionEvents(): PositionEvents {
  return { ...columns(layout, 16), count: 0 }
}

/** `realised` is the profit of the fill less its fee. */
type FillEvent = Pick<
  PositionEvent,
  'order' | 'sells' | 'ticks' | 'at' | 'hedged' | 'traded' | 'fee' | 'realised'
>

/** Stores the position after a fill. */
export function recordEvent(events: PositionEvents, exposure: Exposure, fill: FillEvent): void {
  const place = nextPlace(events, events.order.length, caps.events)
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
}

export type PositionEvent = ReturnType<typeof eventAt>

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
export function newestEvents(events: PositionEvents): Generator<number> {
  return newestPlaces(events, caps.events)
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
