import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { Exchange } from '#src/exchange/exchange.ts'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { recordedCase } from './recorded-commands.ts'
import { factsTextOf } from './recorded-facts.ts'
import { seed, times } from '#test/properties/runs.ts'

function copyOf(state: ExchangeState): ExchangeState {
  const copy: ExchangeState = deserialize(serialize(state))
  return copy
}

/** A point without volume reaches the price of an order that waits in a queue. */
const queued = 20_261_242
/** Best bid and ask do not touch the mark price of recorded prices. */
const marked = 437_153_668
/** A liquidation closes the position of another account, which was the hedge of its other position. */
const unhedged = 30_175
/** The exchange starts anew while its markets still rest. */
const rested = 31_232

test('running only the points that matter gives the same result as running every point', () => {
  const seen = { deals: 0, liquidations: 0, stops: 0, payments: 0 }
  for (const number of [
    queued,
    marked,
    unhedged,
    rested,
    ...Array.from({ length: times(24, 200, 12) }, (_, index) => seed + index),
  ]) {
    const chance = chanceOf(number)
    // The last point of a block is always run: in blocks of one point every point is.
    const naive = recordedCase(number, 1)
    const leaping = recordedCase(number, chance.oneOf([2, 17, 65_536]))
    const every = new Exchange(naive.options)
    let some = new Exchange(leaping.options)
    for (const [index, entry] of naive.entries.entries()) {
      // A request in between, or a restart of the exchange.
      if (chance.percent(20)) some.advance(some.state.at + chance.below(2000))
      if (chance.percent(2)) some = new Exchange({ ...leaping.options, begin: copyOf(some.state) })
      every.redo({ ...entry, at: Math.max(entry.at, some.state.at) })
      some.redo({ ...entry, at: Math.max(entry.at, some.state.at) })
      if (index % 20 === 0)
        expect({ number, index, facts: factsTextOf(some) }).toEqual({
          number,
          index,
          facts: factsTextOf(every),
        })
    }
    for (const exchange of [every, some]) exchange.advance(exchange.state.at + 300_000)
    expect({ number, facts: factsTextOf(some) }).toEqual({ number, facts: factsTextOf(every) })
    expect([...imbalances(every.state.ledger)]).toEqual([])
    for (const { deals, finished, stops, fundingPayments } of every.state.accounts.values()) {
      seen.deals += deals.count
      seen.payments += fundingPayments.length
      seen.liquidations += finished.clientId.filter((id) => id.startsWith('liquidation')).length
      seen.stops += [...stops.values()].filter(({ activatedAt }) => activatedAt > 0).length
    }
  }
  expect(seen.deals).toBeGreaterThan(500)
  expect(seen.liquidations).toBeGreaterThan(20)
  expect(seen.stops).toBeGreaterThan(50)
  expect(seen.payments).toBeGreaterThan(200)
})
