import { expect, test } from 'vitest'
import { balanceOf, imbalances, type LedgerHolder } from '#src/exchange/ledger/ledger.ts'
import { marginInUse, settleCollateral } from '#src/exchange/trading/positions/fill-settlement.ts'
import type { World } from '#src/exchange/world-file.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { freezeOf, order, place } from './order-fixture.ts'
import { openVenue, paperWorld, type TestExchange } from './exchange-fixture.ts'

/** Without fees, so that a profit has the digits of its trade; fees have their own tests. */
function worldOf(changes: { leverage?: number; collateral?: string; fees?: boolean }): World {
  const { leverage = 1, collateral = '50000', fees = false } = changes
  const market = paperWorld.markets['SOL_PERP']
  if (market === undefined) throw new Error('the packaged world has SOL_PERP')
  const accounts = Object.entries(paperWorld.accounts).map(([name, rules]) => [
    name,
    name === 'rival' ? { ...rules, leverage, collateral: { USDT: parseAtoms(collateral) } } : rules,
  ])
  const free = { ...market, makerFee: 0n, takerFee: 0n }
  return {
    ...paperWorld,
    markets: { ...paperWorld.markets, SOL_PERP: fees ? market : free },
    accounts: Object.fromEntries(accounts),
  }
}

/** `rival` trades at this price with `paper` on the other side. */
function trade(venue: TestExchange, side: 'buy' | 'sell', amount: string, price: string) {
  place(venue, 'paper', order(side === 'buy' ? 'sell' : 'buy', amount, price))
  return place(venue, 'rival', order(side, amount, price))
}

function standing({ exchange: { state, venue } }: TestExchange, account: string) {
  const trader = state.accounts.get(account)
  const position = trader?.collateral.open[0]
  return {
    balance: formatAtoms(balanceOf(state.ledger, `collateral/${account}`, 'USDT')),
    lots: position?.lots ?? 0,
    cost: formatAtoms(position?.cost ?? 0n),
    margin: formatAtoms(trader ? marginInUse(venue.trading, trader, 'USDT').margin : 0n),
  }
}

test('opening a position moves no money; the margin is its cost divided by the leverage', () => {
  const venue = openVenue({ world: worldOf({ leverage: 4 }) })
  trade(venue, 'buy', '2', '100')
  expect(standing(venue, 'rival')).toEqual({ balance: '50000', lots: 20, cost: '200', margin: '50' })
  expect(standing(venue, 'paper')).toEqual({ balance: '50000', lots: -20, cost: '200', margin: '200' })
})

test('adding to a position adds to its cost', () => {
  const venue = openVenue({ world: worldOf({}) })
  trade(venue, 'sell', '1', '100')
  trade(venue, 'sell', '3', '110.5')
  expect(standing(venue, 'rival')).toEqual({ balance: '50000', lots: -40, cost: '431.5', margin: '431.5' })
})

test('reducing a position pays the profit of the closed part: one account gains what the other loses', () => {
  const venue = openVenue({ world: worldOf({}) })
  trade(venue, 'buy', '2', '100')
  trade(venue, 'sell', '0.5', '130.25')
  expect(standing(venue, 'rival')).toEqual({ balance: '50015.125', lots: 15, cost: '150', margin: '150' })
  expect(standing(venue, 'paper')).toEqual({ balance: '49984.875', lots: -15, cost: '150', margin: '150' })
})

test('a profit is exact to the last digit even if the cost does not divide evenly', () => {
  const venue = openVenue({ world: worldOf({}) })
  trade(venue, 'buy', '0.1', '100.01')
  trade(venue, 'buy', '0.2', '100.02')
  for (const price of ['103', '104', '105']) trade(venue, 'sell', '0.1', price)
  // 10.3 + 10.4 + 10.5 - 10.001 - 20.004
  expect(standing(venue, 'rival')).toEqual({ balance: '50001.195', lots: 0, cost: '0', margin: '0' })
  expect(standing(venue, 'paper').balance).toBe('49998.805')
  expect(balanceOf(venue.exchange.state.ledger, 'clearing', 'USDT')).toBe(0n)
})

test('a short position gains when the price falls and loses when it rises', () => {
  const venue = openVenue({ world: worldOf({}) })
  trade(venue, 'sell', '1', '100')
  trade(venue, 'buy', '0.5', '90')
  trade(venue, 'buy', '0.5', '120')
  expect(standing(venue, 'rival')).toEqual({ balance: '49995', lots: 0, cost: '0', margin: '0' })
})

test('an order larger than the position closes it and opens the other side with the rest', () => {
  const venue = openVenue({ world: worldOf({}) })
  trade(venue, 'buy', '1', '100')
  trade(venue, 'sell', '3', '110')
  expect(standing(venue, 'rival')).toEqual({ balance: '50010', lots: -20, cost: '220', margin: '220' })
})

test('a resting order reserves its notional divided by the leverage, rounded up', () => {
  const venue = openVenue({ world: worldOf({ leverage: 3 }) })
  place(venue, 'rival', order('buy', '1', '100'))
  expect(freezeOf(venue, 'rival')).toBe('33.333333333333333334')
})

test('closing orders reserve nothing; the part beyond the position reserves its share of their margin', () => {
  const venue = openVenue({ world: worldOf({}) })
  trade(venue, 'buy', '2', '100')
  place(venue, 'rival', order('sell', '1.5', '120'))
  expect(freezeOf(venue, 'rival')).toBe('0')
  place(venue, 'rival', order('sell', '1.5', '130'))
  // Three offered at 375 in total, two of them close: one third opens.
  expect(freezeOf(venue, 'rival')).toBe('125')
  // After a partial fill half a unit is left to close, by a third of the other order.
  place(venue, 'paper', order('buy', '1.5', '120'))
  expect(freezeOf(venue, 'rival')).toBe('130')
  expect(standing(venue, 'rival').lots).toBe(5)
})

test('a closing order that would lose more than its margin reserves the difference', () => {
  const venue = openVenue({ world: worldOf({ leverage: 10 }) })
  trade(venue, 'sell', '1', '100')
  place(venue, 'rival', order('buy', '1', '95'))
  expect(freezeOf(venue, 'rival')).toBe('0')
  const other = openVenue({ world: worldOf({ leverage: 10 }) })
  trade(other, 'buy', '1', '100')
  place(other, 'rival', order('sell', '1', '70'))
  // There is no bid: it rests below its cost, with a loss of 30 against a margin of 10.
  expect(freezeOf(other, 'rival')).toBe('20')
})

test('a reserved amount cannot be used twice', () => {
  const venue = openVenue({ world: worldOf({ collateral: '200' }) })
  expect(place(venue, 'rival', order('buy', '1', '150'))).toMatchObject({ status: 'OPEN' })
  expect(place(venue, 'rival', order('buy', '0.5', '100.02'))).toEqual({ refused: ['amount'] })
  expect(place(venue, 'rival', order('buy', '0.5', '100'))).toMatchObject({ status: 'OPEN' })
})

test('an order is accepted only if the account could also pay the taker fee', () => {
  const venue = openVenue({ world: worldOf({ collateral: '100', fees: true }) })
  expect(place(venue, 'rival', order('buy', '1', '100'))).toEqual({ refused: ['amount'] })
  expect(place(venue, 'rival', order('buy', '1', '99.97'))).toEqual({ refused: ['amount'] })
  expect(place(venue, 'rival', order('buy', '1', '99.96'))).toMatchObject({ status: 'OPEN' })
})

test('fees are rounded up, the maker pays the lower fee, and the exchange receives both', () => {
  const venue = openVenue({ world: worldOf({ fees: true }) })
  place(venue, 'paper', order('sell', '0.3', '33.33'))
  expect(place(venue, 'rival', order('buy', '0.3', '33.33'))).toMatchObject({
    deal_money: '9.999',
    deal_fee: '0.00349965',
  })
  expect(formatAtoms(balanceOf(venue.exchange.state.ledger, 'fees', 'USDT'))).toBe('0.00449955')
  expect(standing(venue, 'rival').balance).toBe('49999.99650035')
})

test('the insurance pays a loss beyond the balance: the loser has nothing left, the clearing book receives everything', () => {
  const world = { ...worldOf({ collateral: '50' }), shortfalls: 'insurance' as const }
  const { state, venue } = openVenue({ world }).exchange
  const { trading } = venue
  const account = state.accounts.get('rival')
  const market = venue.markets.get('SOL_PERP')
  if (account === undefined || market === undefined) throw new Error('the world has both')
  const fill = { order: 1, lots: 10, fee: 0n, at: 0 }
  settleCollateral(trading, account, market, 0, { ...fill, sells: false, ticks: 10_000 })
  settleCollateral(trading, account, market, 0, { ...fill, sells: true, ticks: 2000, fee: parseAtoms('3') })
  const held = (holder: LedgerHolder) => formatAtoms(balanceOf(state.ledger, holder, 'USDT'))
  expect(held('collateral/rival')).toBe('0')
  expect(held('clearing')).toBe('80')
  expect(held('fees')).toBe('3')
  expect(held('insurance')).toBe('-33')
  expect(imbalances(state.ledger)).toEqual(new Map())
})

test('an account that has reserved everything can still close its position: the freed margin pays the fee', () => {
  const venue = openVenue({ world: worldOf({ collateral: '10000', fees: true }) })
  trade(venue, 'buy', '99.9', '100.06')
  place(venue, 'paper', order('buy', '99.9', '99'))
  expect(place(venue, 'rival', order('sell', '99.9', '99'))).toMatchObject({ status: 'FILLED' })
  expect(standing(venue, 'rival').lots).toBe(0)
})
