import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { contract } from '#src/contract/table.ts'
import type { State } from '#src/exchange/state.ts'
import type { Entry } from '#src/exchange/venue.ts'
import { chanceOf } from '../../fuzz/chance.ts'
import { seed, times } from '../../properties/runs.ts'
import { canonical } from '../canonical.ts'
import { signedCall } from '../venue-in-hand.ts'
import { midnight, openMarkets, printsOf, tapesOf } from './market-in-hand.ts'

const minute = 60_000

/** What a store would have read back. */
function copyOf(state: State): State {
  const copy: State = deserialize(serialize(state))
  return copy
}

test('the same seed gives the same trades, to the byte, on every machine', () => {
  const exchange = openMarkets()
  const tapes = tapesOf(exchange)
  exchange.advance(midnight + 20 * minute)
  expect(printsOf(tapes)).toMatchInlineSnapshot(`
    {
      "BTC_PERP": "c249a53863b55f37",
      "BTC_USDT": "952df7a4b873dc4c",
      "ETH_PERP": "9115afb3afd58abc",
      "ETH_USDT": "3bbf96471d5dad00",
      "SOL_PERP": "09cc01d3e738bd9f",
      "SOL_USDT": "c5f1ce882808bb1a",
    }
  `)
})

test('another seed gives other trades', () => {
  const exchange = openMarkets({ seed: 'another seed' })
  const tapes = tapesOf(exchange)
  exchange.advance(midnight + minute)
  const other = openMarkets()
  const others = tapesOf(other)
  other.advance(midnight + minute)
  for (const [name, lines] of Object.entries(tapes)) expect(lines).not.toEqual(others[name])
})

test('one leap does what many small steps do, with restarts in between', () => {
  const chance = chanceOf(seed)
  const leaps = openMarkets()
  let steps = openMarkets()
  for (let round = 0; round < times(4, 40); round++) {
    const end = midnight + (round + 1) * 2 * minute
    leaps.advance(end)
    for (let at = end - 2 * minute; at < end;) {
      at = Math.min(end, at + 1 + (chance.percent(90) ? chance.below(500) : chance.below(20_000)))
      steps.advance(at)
      // A moment that has been is no moment to go back to.
      if (chance.percent(10)) steps.advance(at - chance.below(1000))
      if (chance.percent(2)) steps = openMarkets({ begin: copyOf(steps.state) })
    }
    expect(canonical(steps.state)).toBe(canonical(leaps.state))
  }
  expect(leaps.state.trades).toBeGreaterThan(1000)
})

test('what users did among it, done again from the log of their commands alone, gives the same state', () => {
  const chance = chanceOf(seed + 1)
  const log: Entry[] = []
  const first = openMarkets({ record: (entry) => log.push(entry) })
  let now = midnight
  for (let nonce = 1; nonce <= times(300, 3000); nonce++) {
    now += chance.below(700)
    const mark = first.state.markets[5]?.mark ?? 0
    const price = String((mark + chance.below(41) - 20) / 100)
    const side = chance.percent(50) ? 'buy' : 'sell'
    const orders = [{ market: 'SOL_PERP', side, amount: '1', price, ioc: chance.percent(20) }]
    const by = chance.oneOf(['paper', 'rival'])
    expect(first.handle(signedCall(by, contract.collateralBulk, { orders }, String(nonce)), now).status).toBe(
      200,
    )
    if (chance.percent(1)) first.rest(chance.below(5000))
    if (chance.percent(1)) {
      first.turn(5000, now)
      now += 5000
    }
  }
  expect(first.state.accounts.get('paper')?.deals.count).toBeGreaterThan(20)
  let second = openMarkets()
  for (const entry of log) {
    second.redo(entry)
    if (chance.percent(1)) second = openMarkets({ begin: copyOf(second.state) })
  }
  second.advance(first.state.at)
  expect(canonical(second.state)).toBe(canonical(first.state))
})
