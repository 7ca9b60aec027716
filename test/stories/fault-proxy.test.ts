import { test } from 'vitest'
import { times } from '#test/properties/runs.ts'
import type { VenueFault } from '#test/support/faulty-venue.ts'
import { story } from './story.ts'

/** Faults of the connection: rows T, E, X and U of the fault model, applied to the first bulk and some later ones. */
const doubts: [string, VenueFault][] = [
  ['the answer is lost', 'answer lost'],
  ['a gateway says it failed, and it was carried out', 'failed after'],
  ['the answer is cut', 'cut'],
  ['the answer is cut and looks whole', 'cut short'],
  ['the call is lost', 'lost'],
  ['a gateway says there were too many calls', 'throttled by a gateway'],
  ['the call arrives when nobody waits for it any more', { lateMs: 400 }],
]

/** `npm run programs` loses the answer in each way, and the call in one; the simulation has all faults. */
const tried = doubts.slice(0, times(doubts.length, doubts.length, 5))

for (const [name, fault] of tried)
  test.concurrent(`${name}: the outcome stays unknown until there is proof, and no order is doubled or lost`, () =>
    story({
      plan(venue) {
        for (const nth of [1, 3, 4, 9]) venue.plan('collateralBulk', nth, fault)
      },
      events: ['order-unknown', 'order-resolved', 'fill'],
    }))

/** What the search finds does not depend on how the answer got lost. */
const searched = doubts.slice(0, times(doubts.length, doubts.length, 1))

for (const [name, fault] of searched)
  test.concurrent(`${name}, with reusable ids: the bot searches for the order`, () =>
    story({
      world: { switches: { clientIds: 'live' } },
      bot: { clientIds: 'unproven' },
      plan(venue) {
        for (const nth of [1, 4]) venue.plan('collateralBulk', nth, fault)
      },
      events: ['order-unknown', 'order-resolved', 'fill'],
    }))
