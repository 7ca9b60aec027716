import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { factsOfWorld } from '#src/cli/files/world-rules.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { balanceOf, imbalances } from '#src/exchange/ledger/ledger.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { withCosts, type CostsByMarket } from '#src/exchange/world-costs.ts'
import type { World } from '#src/exchange/world-file.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { order, place } from '#test/exchange/order-fixture.ts'
import { openVenue, paperWorld, type TestExchange } from '#test/exchange/exchange-fixture.ts'

const dayMs = 86_400_000

/** Both accounts have enough for every order of a test. */
function worldOf(costs: CostsByMarket): World {
  const accounts = Object.entries(paperWorld.accounts).map(([name, rules]) => [
    name,
    { ...rules, leverage: 1, collateral: { USDT: parseAtoms('100000') } },
  ])
  return withCosts({ ...paperWorld, accounts: Object.fromEntries(accounts) }, costs)
}

// In percent. A table as venues publish it: the more trades, the lower the fees, with a rebate for makers at the end.
const tiers = {
  makerFee: '0.1',
  takerFee: '0.2',
  feeTiers: [
    { volume: '1000', makerFee: '0.05', takerFee: '0.1' },
    { volume: '3000', makerFee: '-0.01', takerFee: '0.05' },
  ],
}

/** `paper` sells as maker what `rival` buys; returns the fees of both. */
function trade(venue: TestExchange, amount: string) {
  place(venue, 'paper', order('sell', amount, '100'))
  place(venue, 'rival', order('buy', amount, '100'))
  return ['paper', 'rival'].map((account) => lastFee(venue, account))
}

function lastFee(venue: TestExchange, account: string): string | undefined {
  const deals = venue.ask(contract.executedHistory, account, { market: 'SOL_PERP' })
  return Array.isArray(deals) ? deals[0]?.fee : undefined
}

const moneyOf = ({ exchange: { state } }: TestExchange, account: string) =>
  formatAtoms(balanceOf(state.ledger, `collateral/${account}`, 'USDT'))

test('fees follow the volume of the 30 days before, from midnight on', () => {
  const venue = openVenue({ world: worldOf({ SOL_PERP: tiers }), profile: 'full' })
  const rates = () => venue.ask(contract.marketFees, 'paper').custom_fee['SOL_PERP']
  // Day 1: 10 x 100 = 1000 at 0.1 % and 0.2 %, and on the same day once more, although the volume has reached a tier.
  expect([trade(venue, '10'), trade(venue, '1')]).toEqual([
    ['1', '2'],
    ['0.1', '0.2'],
  ])
  expect(rates()).toEqual({ taker: '0.2', maker: '0.1' })
  venue.pass(dayMs)
  // Day 2, after 1100: 0.05 % and 0.1 %.
  expect(rates()).toEqual({ taker: '0.1', maker: '0.05' })
  expect(trade(venue, '20')).toEqual(['1', '2'])
  venue.pass(dayMs)
  // Day 3, after 3100: a rebate of 0.01 %.
  expect(trade(venue, '10')).toEqual(['-0.1', '0.5'])
  // Funding may move money on the way, so the balances are compared here: 100,000 - 2 and 100,000 - 4.7 with all fees.
  expect(imbalances(venue.exchange.state.ledger).size).toBe(0)
  venue.pass(29 * dayMs)
  // Day 32: the 1100 of day 1 have left the window; 2000 + 1000 remain.
  expect(trade(venue, '1')).toEqual(['-0.01', '0.05'])
  venue.pass(dayMs)
  // Day 33: 1000 of day 3 and 100 of day 32.
  expect(trade(venue, '1')).toEqual(['0.05', '0.1'])
  venue.pass(40 * dayMs)
  expect(rates()).toEqual({ taker: '0.2', maker: '0.1' })
})

test('all markets with this money count, an order keeps the tier of its day, and every list names the paid fee', () => {
  const venue = openVenue({ world: worldOf({ futures: tiers }), profile: 'full' })
  place(venue, 'paper', order('sell', '1', '110'))
  place(venue, 'paper', order('sell', '0.05', '60000', { market: 'BTC_PERP' }))
  place(venue, 'rival', order('buy', '0.05', '60000', { market: 'BTC_PERP' }))
  const before = moneyOf(venue, 'paper')
  // 0.1 % of 3000.
  expect(before).toBe('99997')
  venue.pass(dayMs)
  // The order of yesterday: 0.1 % of 110; the one of today: a rebate of 0.01 %.
  place(venue, 'rival', order('buy', '1', '110'))
  expect([lastFee(venue, 'paper'), lastFee(venue, 'rival')]).toEqual(['0.11', '0.055'])
  const state: ExchangeState = deserialize(serialize(venue.exchange.state))
  const [deals] = [[...state.accounts.values()][0]?.deals]
  expect(deals?.tier.slice(0, deals.count)).toEqual(Uint8Array.of(0, 0))
  place(venue, 'paper', order('sell', '1', '110'))
  place(venue, 'rival', order('buy', '1', '110'))
  const orders = venue.ask(contract.orderHistory, 'paper', { market: 'SOL_PERP' })['SOL_PERP'] ?? []
  expect(orders.map(({ deal_fee: fee }) => fee)).toEqual(['-0.011', '0.11'])
  expect(imbalances(venue.exchange.state.ledger).size).toBe(0)
})

test('the volume outlives a snapshot', () => {
  const world = worldOf({ SOL_PERP: tiers })
  const venue = openVenue({ world, profile: 'full' })
  trade(venue, '20')
  // The next nonces are above the used ones.
  venue.pass(1000)
  venue.exchange.advance(venue.now())
  const begin: ExchangeState = deserialize(serialize(venue.exchange.state))
  const again = openVenue({ world, profile: 'full', begin })
  expect(again.exchange).toBeInstanceOf(Exchange)
  again.pass(dayMs)
  expect(trade(again, '10')).toEqual(['0.5', '1'])
})

test('a market states the minimum of each side and its own price band', () => {
  const costs = {
    SOL_PERP: { minTotal: '5', minTotalSell: '50', priceBand: '10' },
    BTC_PERP: { priceBand: 'none' },
  }
  const world = worldOf(costs)
  const venue = openVenue({ world, profile: 'full' })
  // Before the first trade, the band is around the start price of 150.
  expect(place(venue, 'paper', order('sell', '0.3', '150'))).toEqual({ refused: ['total'] })
  expect(place(venue, 'paper', order('buy', '0.3', '150'))).toMatchObject({ left: '0.3' })
  expect(place(venue, 'paper', order('sell', '1', '165'))).toMatchObject({ left: '1' })
  expect(place(venue, 'paper', order('sell', '1', '165.01'))).toEqual({ refused: ['price'] })
  expect(place(venue, 'paper', order('buy', '0.001', '9000', { market: 'BTC_PERP' }))).toMatchObject({
    left: '0.001',
  })
  // A client knows one minimum: the higher one.
  expect(factsOfWorld(world)['SOL_PERP']?.minTotal).toBe('50')
})

test.each([
  [{ SOL_PREP: { makerFee: '0.1' } }, /markets\.SOL_PREP is no market of the exchange/],
  [{ BTC_USDT: { fundingHours: '8' as const } }, /fundingHours of BTC_USDT: only futures pay funding/],
  [{ BTC_PERP: { makerFee: '0.0000000000001' } }, /BTC_PERP: .*fees would not be exact/],
])('a section that does not fit is refused: %j', (costs, seen) => {
  expect(() => worldOf(costs)).toThrow(expect.objectContaining({ seen: expect.stringMatching(seen) }))
})
