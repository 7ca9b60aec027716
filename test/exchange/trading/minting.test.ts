import { expect, test } from 'vitest'
import { balanceOf, imbalances } from '#src/exchange/ledger/ledger.ts'
import type { World } from '#src/exchange/world-file.ts'
import { parseAtoms } from '#src/core/money/atoms.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { beginsAt, openVenue, paperWorld, type TestExchange } from '#test/exchange/exchange-fixture.ts'

/**
 * One person has two accounts. One of them buys from the other, then a trade far away takes its whole margin and more.
 * What it cannot pay is the question: the other one has the profit. All figures are computed by hand, without fees.
 */
function openThin(shortfalls: World['shortfalls'], record: (entry: Entry) => void = () => {}) {
  const { paper, rival } = paperWorld.accounts
  const market = paperWorld.markets['SOL_PERP']
  if (!paper || !rival || !market) throw new Error('the packaged world has them')
  const leveraged = { leverage: 10, collateral: money('10000') }
  const world: World = {
    ...paperWorld,
    shortfalls,
    markets: { ...paperWorld.markets, SOL_PERP: { ...market, makerFee: 0n, takerFee: 0n } },
    accounts: {
      paper: { ...paper, ...leveraged, main: money('100000') },
      rival: { ...rival, ...leveraged, main: money('0') },
    },
  }
  return { ...openVenue({ profile: 'full', world, record }), world }
}

const money = (amount: string) => ({ USDT: parseAtoms(amount) })
const of = { market: 'SOL_PERP' }

/** What both accounts together have, as calls tell it: main and collateral balances. */
function moneyOf(venue: TestExchange): number {
  return (['paper', 'rival'] as const).reduce((sum, who) => {
    const main = venue.ask(contract.mainBalance, who, { ticker: 'USDT' })['USDT']?.main_balance
    const collateral = venue.ask(contract.collateralBalance, who, { ticker: 'USDT' })['USDT']
    return sum + Number(main) + Number(collateral)
  }, 0)
}

function insuranceOf({ exchange: { state } }: TestExchange): bigint {
  return balanceOf(state.ledger, 'insurance', 'USDT')
}

function payIn(venue: TestExchange): void {
  const amount = { ticker: 'USDT', amount: '10000', from: 'main', to: 'collateral' }
  if (venue.send(contract.transfer, 'paper', amount).status !== 201) throw new Error('main has the money')
}

/** `paper` buys 900 from `rival` and sells one far below, which is the last price then. */
function playRound(venue: TestExchange, price: string, below: string): void {
  venue.ask(contract.collateralLimit, 'rival', { ...of, side: 'sell', amount: '900', price })
  venue.ask(contract.collateralLimit, 'paper', { ...of, side: 'buy', amount: '900', price })
  venue.ask(contract.collateralLimit, 'rival', { ...of, side: 'buy', amount: '1', price: below })
  venue.ask(contract.collateralLimit, 'paper', { ...of, side: 'sell', amount: '1', price: below })
  payIn(venue)
}

const rounds = [
  ['100', '80'],
  ['80', '64'],
  ['64', '51.2'],
] as const

test('two accounts in a thin market cannot mint money: three rounds leave them what they deposited', () => {
  const venue = openThin('deleverage')
  const left: string[] = []
  for (const [price, below] of rounds) {
    playRound(venue, price, below)
    expect(moneyOf(venue)).toBe(120_000)
    expect(insuranceOf(venue)).toBe(0n)
    left.push(venue.ask(contract.collateralBalance, 'rival', { ticker: 'USDT' })['USDT'] ?? '')
  }
  // Of 10000, 20 are lost with one at 80. The other 899 give way where 9980 are lost: at 88.8988, rounded up to 88.9.
  // So rival has 10000 + 20 + 899 × 11.1. Then 10001.1 and 16, at 68.8932; then 10006.2 and 12.8, at 52.8839.
  expect(left).toEqual(['19998.9', '29993.8', '39994.49'])
  expect(imbalances(venue.exchange.state.ledger)).toEqual(new Map())
})

test('the account that gives way sees an order with the client id of the venue, at the price that both can pay', () => {
  const venue = openThin('deleverage')
  playRound(venue, '100', '80')
  const newest = (who: string) => venue.ask(contract.orderHistory, who, of)['SOL_PERP']?.[0]
  const closed = { amount: '899', price: '88.9', status: 'FILLED' }
  expect(newest('rival')).toMatchObject({ ...closed, side: 'buy' })
  expect(newest('rival')?.client_order_id).toMatch(/^adl_\d+_!$/)
  expect(newest('paper')).toMatchObject({ ...closed, side: 'sell' })
  expect(newest('paper')?.client_order_id).toMatch(/^liquidation_\d+_!$/)
  // Nobody traded at that price.
  const path = '/api/v4/public/trades/SOL_PERP'
  const request = { method: 'GET', path, query: '', headers: {}, body: Buffer.of(), origin: '::1' }
  const trades: { price: string }[] = JSON.parse(venue.exchange.handle(request, venue.now()).body)
  expect(trades.map(({ price }) => price)).toEqual(['80', '100'])
})

test('in worlds of older versions, the insurance pays without a limit, and the same rounds mint money', () => {
  for (const shortfalls of ['insurance', undefined] as const) {
    const venue = openThin(shortfalls)
    for (const [price, below] of rounds) playRound(venue, price, below)
    payIn(venue)
    venue.ask(contract.collateralLimit, 'paper', { ...of, side: 'sell', amount: '2697', price: '51.2' })
    venue.ask(contract.collateralLimit, 'rival', { ...of, side: 'buy', amount: '2697', price: '51.2' })
    // rival sold 900 at 100, 80 and 64, and bought one at 80, 64 and 51.2, and 2697 at 51.2: 81318.4 of profit. paper
    // lost three times its 10000, and no more.
    expect(moneyOf(venue)).toBeCloseTo(120_000 + 81_318.4 - 30_000, 6)
    // 18000, 14400 and 11520 were lost, and 30000 were there.
    expect(insuranceOf(venue)).toBe(-parseAtoms('13920'))
  }
})

test('a replay of the calls gives the same state: the world says by which rules', () => {
  for (const shortfalls of ['deleverage', undefined] as const) {
    const entries: Entry[] = []
    const venue = openThin(shortfalls, (entry) => entries.push(structuredClone(entry)))
    for (const [price, below] of rounds) playRound(venue, price, below)
    const again = new Exchange({ world: venue.world, seed: 'a seed', begin: beginsAt, profile: 'full' })
    for (const entry of entries) again.redo(entry)
    expect(canonical(again.state)).toBe(canonical(venue.exchange.state))
  }
})
