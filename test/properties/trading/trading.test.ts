import { deserialize, serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { liquidationPrice } from '#src/exchange/trading/positions/liquidation-price.ts'
import { canonical, hashOf } from '#test/exchange/state-text.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { equityOf, maintenanceOf } from '#test/properties/models/naive-margin.ts'
import { rulesOf, type NaiveVenue } from '#test/properties/models/naive-records.ts'
import { runs } from '#test/properties/runs.ts'
import { commandOf, marketNames } from './trading-commands.ts'
import { TradingExchange } from './trading-exchange.ts'
import { everything, factsOfExchange, factsOfModel } from './trading-facts.ts'
import { TradingModel } from './trading-model.ts'
import { broken } from './trading-rules.ts'

const focuses = fc.constantFrom(...marketNames)
const worlds = fc.constantFrom('usual' as const, 'usual' as const, 'other' as const)
const numbers = fc.array(fc.nat(2 ** 31 - 1), { minLength: 10, maxLength: 60, size: 'max' })

/** Found by a long run: a market buy counted what a reducing sell of the house no longer had. */
const found: ['usual', 'SOL_USDT', number[]] = [
  'usual',
  'SOL_USDT',
  [323790602, 1824792676, 969417896, 0, 0, 0, 1930931028, 0, 0, 0, 0, 596399327, 0],
]

test('after every command the exchange equals the naive model, and all invariants hold', () => {
  fc.assert(
    fc.property(worlds, focuses, numbers, (world, focus, each) => {
      const exchange = new TradingExchange(world)
      const model = new TradingModel(world)
      for (const number of each) {
        const command = commandOf(number, focus)
        const before = standingOf(exchange.trading)
        const reported = exchange.do(command)
        const expected = model.do(command)
        const [facts, wanted] = [factsOfExchange(exchange.trading), factsOfModel(model.venue)]
        if (reported !== expected || facts.join('\n') !== wanted.join('\n')) {
          expect({ command, told: reported, facts }).toEqual({ command, told: expected, facts: wanted })
        }
        const complaints = [
          ...broken(exchange.trading),
          ...lossesWithoutCause(exchange.trading, before),
          ...wrongPrices(exchange.trading, model.venue),
        ]
        if (complaints.length > 0) expect({ command, complaints }).toEqual({ command, complaints: [] })
      }
      const [facts, wanted] = [
        factsOfExchange(exchange.trading, everything),
        factsOfModel(model.venue, everything),
      ]
      if (facts.join('\n') !== wanted.join('\n')) expect(facts).toEqual(wanted)
    }),
    { ...runs(300, 3000, 40), examples: [found] },
  )
})

/** The insurance's money with its claims, and the accounts with an empty balance in that money. */
function standingOf(trading: Trading) {
  return ['USDT', 'EUR'].map((money) => {
    let insured = balanceOf(trading.state.ledger, 'insurance', money)
    for (const { collateral } of trading.accounts) insured += collateral.owed.get(money) ?? 0n
    return { money, insured }
  })
}

/** The insurance loses only to a bankrupt account: one without money and position. */
function lossesWithoutCause(trading: Trading, before: ReturnType<typeof standingOf>): string[] {
  return standingOf(trading).flatMap(({ money, insured }, index) => {
    const lost = (before[index]?.insured ?? 0n) - insured
    const bankrupt = trading.accounts.some(
      ({ house, wallets, collateral }) =>
        !house &&
        balanceOf(trading.state.ledger, wallets.collateral, money) === 0n &&
        collateral.open.every(({ market }) => trading.markets[market]?.rules.money !== money),
    )
    return lost <= 0n || bankrupt ? [] : [`the insurance lost ${lost} ${money} to nobody`]
  })
}

/** At the liquidation price the model liquidates, and at the next one it does not. */
function wrongPrices(trading: Trading, venue: NaiveVenue): string[] {
  return venue.accounts.flatMap((account, index) => {
    const trader = trading.accounts[index]
    if (account.house || trader === undefined) return []
    return [...new Set(account.positions.map(({ market }) => market))].flatMap((name) => {
      const market = trading.markets.find((each) => each.name === name)
      if (market === undefined) return []
      const { money, priceDigits } = rulesOf(venue, name)
      const falls = (ticks: number) => {
        const mark = { ...venue.mark, [name]: BigInt(ticks) * 10n ** BigInt(18 - priceDigits) }
        return (
          equityOf({ ...venue, mark }, account, money) < maintenanceOf({ ...venue, mark }, account, money)
        )
      }
      const price = liquidationPrice(trading, trader, market)
      const right =
        price === 0 ? !falls(1) && !falls(10 ** 9) : falls(price) && falls(price - 1) !== falls(price + 1)
      return right ? [] : [`${account.name} is not liquidated at ${price} in ${name}, but elsewhere`]
    })
  })
}

/** Collects the facts of 5 000 commands; `breaks` says when the state is stored and read again. */
function play(breaks: number): { facts: string; state: string } {
  const chance = chanceOf(20_261_121)
  let exchange = new TradingExchange('usual')
  for (let count = 0; count < 5000; count++) {
    if (count === breaks) exchange = exchange.again(deserialize(serialize(exchange.state)))
    exchange.do(commandOf(chance.below(2 ** 31), chance.oneOf(marketNames)))
  }
  expect(broken(exchange.trading)).toEqual([])
  return {
    facts: hashOf(factsOfExchange(exchange.trading, everything).join('\n')),
    state: hashOf(canonical(exchange.state)),
  }
}

test('the same 5000 commands give the same state, with or without storing and reading it in between', () => {
  const { facts, state } = play(-1)
  expect(facts).toBe('ed46784236967a1e2221608c52bf68a70fe0589bb743f5828f0dac328b49baca')
  for (const breaks of [0, 1, 2500, 4999]) expect(play(breaks)).toEqual({ facts, state })
})
