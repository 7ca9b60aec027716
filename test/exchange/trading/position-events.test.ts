import { expect, test } from 'vitest'
import {
  eventAt,
  recordEvent,
  newestEvents,
  noPositionEvents,
} from '#src/exchange/trading/positions/position-events.ts'

const none = { lots: 0, quanta: 0 }

function eventOf(number: number) {
  const exposure = {
    market: 1 + (number % 3),
    bucket: number % 2 === 0 ? (0 as const) : (1 as const),
    positionId: 10 + number,
    openedAt: 20 + number,
    changedAt: 0,
    lots: 30 + number,
    cost: BigInt(40 + number),
    realised: 0n,
    funding: -BigInt(50 + number),
    buys: none,
    sells: none,
    reducing: 0,
  }
  const fill = {
    order: 60 + number,
    sells: number % 2 === 1,
    ticks: 70 + number,
    at: 80 + number,
    hedged: number % 3 === 0,
    traded: 90 + number,
    fee: BigInt(100 + number),
    realised: -BigInt(110 + number),
  }
  return { exposure, fill }
}

test('every field of every event is returned, also after the columns have grown', () => {
  const events = noPositionEvents()
  for (let number = 0; number < 100; number++) {
    const { exposure, fill } = eventOf(number)
    recordEvent(events, exposure, fill)
  }
  const places = [...newestEvents(events)]
  expect(places).toEqual(Array.from({ length: 100 }, (_, index) => 99 - index))
  for (const place of places) {
    const { exposure, fill } = eventOf(place)
    const { market, bucket, positionId: position, openedAt, lots, cost, funding } = exposure
    expect(eventAt(events, place)).toEqual({
      market,
      bucket,
      position,
      openedAt,
      lots,
      cost,
      funding,
      ...fill,
    })
  }
})
