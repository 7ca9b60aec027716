import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { parseAtoms } from '#src/core/money/atoms.ts'
import type { World } from '#src/exchange/world-file.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { paperWorld, signedCall } from '#test/exchange/exchange-fixture.ts'
import { midnight, openMarkets, printsOf, tapesOf } from './market-fixture.ts'

const minute = 60_000

/** The state as a store would read it back. */
function copyOf(state: ExchangeState): ExchangeState {
  const copy: ExchangeState = deserialize(serialize(state))
  return copy
}

test('the same seed gives the same trades, to the byte, on every machine', () => {
  const exchange = openMarkets()
  const tapes = tapesOf(exchange)
  exchange.advance(midnight + 20 * minute)
  expect(printsOf(tapes)).toMatchInlineSnapshot(`
    {
      "BTC_PERP": "c2a3ef29683a9323",
      "BTC_USDT": "79b93f37d1b82e02",
      "ETH_PERP": "3b2ae67e2b1479c7",
      "ETH_USDT": "c434e5e3573d1941",
      "SOL_PERP": "985a0d0ab2a68e9a",
      "SOL_USDT": "b8219085c4fe9c4b",
    }
  `)
})

test('a world that began with the reverting walks of 0.3 gives the trades that 0.3 gave', () => {
  const exchange = openMarkets({ sources: { seeded: true, reverting: true } })
  const tapes = tapesOf(exchange)
  exchange.advance(midnight + 20 * minute)
  expect(printsOf(tapes)).toMatchInlineSnapshot(`
    {
      "BTC_PERP": "9034a671cb3503b2",
      "BTC_USDT": "86e4f82cd384b99d",
      "ETH_PERP": "ea9bf9062a86714b",
      "ETH_USDT": "d4f549782b500f8d",
      "SOL_PERP": "4a0bc0c91e97ff26",
      "SOL_USDT": "d2934673bd66f048",
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

test('one jump gives the same state as many small steps with restarts in between', () => {
  const chance = chanceOf(seed)
  const leaps = openMarkets()
  let steps = openMarkets()
  for (let round = 0; round < times(4, 40, 3); round++) {
    const end = midnight + (round + 1) * 2 * minute
    leaps.advance(end)
    for (let at = end - 2 * minute; at < end;) {
      at = Math.min(end, at + 1 + (chance.percent(90) ? chance.below(500) : chance.below(20_000)))
      steps.advance(at)
      // An earlier time never moves the exchange back.
      if (chance.percent(10)) steps.advance(at - chance.below(1000))
      if (chance.percent(2)) steps = openMarkets({ begin: copyOf(steps.state) })
    }
    expect(canonical(steps.state)).toBe(canonical(leaps.state))
  }
  expect(leaps.state.trades).toBeGreaterThan(1000)
})

/** `paper` trades SOL, which is wild here, with a hundred times its money, and is sometimes liquidated. */
const daring: World = {
  ...paperWorld,
  assets: { ...paperWorld.assets, SOL: { ...paperWorld.assets['SOL']!, volatility: 0.5 } },
  accounts: Object.fromEntries(
    Object.entries(paperWorld.accounts).map(([name, rules]) => [
      name,
      name === 'paper' ? { ...rules, leverage: 100, collateral: { USDT: parseAtoms('300') } } : rules,
    ]),
  ),
}

test("the log of users' commands alone, replayed, gives the same state", () => {
  const chance = chanceOf(seed + 1)
  const log: Entry[] = []
  const first = openMarkets({ world: daring, record: (entry) => log.push(entry) })
  let now = midnight
  for (let nonce = 1; nonce <= times(300, 3000, 120); nonce++) {
    now += chance.below(20_000)
    const mark = first.state.markets[5]?.mark ?? 0
    const price = String((mark + chance.below(41) - 20) / 100)
    const by = chance.oneOf(['paper', 'rival'])
    const side = by === 'paper' || chance.percent(50) ? 'sell' : 'buy'
    const amount = by === 'paper' ? '180' : '1'
    const orders = [{ market: 'SOL_PERP', side, amount, price, ioc: chance.percent(20) }]
    expect(first.handle(signedCall(by, contract.collateralBulk, { orders }, String(nonce)), now).status).toBe(
      200,
    )
    if (chance.percent(1)) first.rest(chance.below(5000))
    if (chance.percent(1)) {
      first.moveClock(5000, now)
      now += 5000
    }
  }
  const [paper, rival] = first.state.accounts.values()
  expect(rival?.deals.count).toBeGreaterThan(20)
  expect(paper?.finished.clientId.some((id) => id.startsWith('liquidation'))).toBe(true)
  let second = openMarkets({ world: daring })
  for (const entry of log) {
    second.redo(entry)
    if (chance.percent(1)) second = openMarkets({ world: daring, begin: copyOf(second.state) })
  }
  second.advance(first.state.at)
  expect(canonical(second.state)).toBe(canonical(first.state))
})
