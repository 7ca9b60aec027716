import fc from 'fast-check'
import { expect, test } from 'vitest'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { exposureOf } from '#src/exchange/trading/positions/exposure.ts'
import { place as placeNaively } from '#test/properties/models/naive-exchange.ts'
import { offHand, rulesOf } from '#test/properties/models/naive-records.ts'
import { runs } from '#test/properties/runs.ts'
import { TradingExchange } from './trading-exchange.ts'
import { TradingModel } from './trading-model.ts'

const name = 'BTC_PERP'
const plenty = 10n ** 30n
const orders = fc.record({
  sells: fc.boolean(),
  lots: fc.integer({ min: 1, max: 60 }),
  ticks: fc.nat(400_000),
})
const scenes = fc.record({
  /** Buys below and sells above this price, so that none of them match. */
  middle: fc.integer({ min: 500_000, max: 700_000 }),
  lots: fc.integer({ min: -100, max: 100 }),
  entry: fc.integer({ min: 400_000, max: 800_000 }),
  leverage: fc.constantFrom(1, 2, 3, 5, 10, 20, 50, 100),
  resting: fc.array(orders, { maxLength: 6 }),
  order: orders,
})

/** The exchange and the naive model with the same position and the same resting orders of one account. */
function venuesOf({ middle, lots, entry, leverage, resting, order }: Scene) {
  const { trading, state } = new TradingExchange('usual')
  const { venue } = new TradingModel('usual')
  const [account, naive] = [trading.accounts[0], venue.accounts[0]]
  const market = trading.markets.find((each) => each.name === name)
  const money = market?.rules.money ?? ''
  if (!account || !naive || !market) throw new Error('the world has an account and a market')
  const { priceDigits, amountDigits } = rulesOf(venue, name)
  const [tick, lot] = [10n ** BigInt(18 - priceDigits), 10n ** BigInt(18 - amountDigits)]
  const cost = BigInt(Math.abs(lots) * entry) * market.atomsPerQuantum
  const exposure = exposureOf(account, market, 0)
  Object.assign(exposure, { lots, cost })
  account.collateral.leverage = leverage
  naive.leverage = BigInt(leverage)
  if (lots !== 0) {
    account.collateral.open.push(exposure)
    const rest = { realised: 0n, funding: 0n }
    naive.positions.push({ market: name, bucket: 0, amount: BigInt(lots) * lot, cost, ...rest })
  }
  const mark = trading.state.markets[market.number]
  if (mark) mark.mark = middle
  venue.mark[name] = BigInt(middle) * tick
  const own = (amount: bigint) => {
    state.ledger.get(account.wallets.collateral)?.set(money, amount)
    naive.collateral[money] = amount
  }
  const limit = ({ sells, ticks }: Order) => (sells ? middle + 1 + ticks : middle - 1 - ticks)
  const ours = (one: Order) => {
    const shape = { clientId: '', positionSide: 0, selfTrade: 0, flags: 0 }
    const answer = place(trading, market, account, { ...shape, ...one, ticks: limit(one) }, state.at)
    return typeof answer === 'string' ? answer : 'placed'
  }
  const theirs = (one: Order, at = venue, by = naive) => {
    const side = one.sells ? ('sell' as const) : ('buy' as const)
    const size = { amount: BigInt(one.lots) * lot, price: BigInt(limit(one)) * tick }
    const answer = placeNaively(at, by, { ...offHand, market: name, side, ...size })
    return typeof answer === 'string' ? answer : 'placed'
  }
  own(plenty)
  for (const one of resting) expect(ours(one)).toBe(theirs(one))
  const wouldPlace = (balance: bigint) => {
    own(balance)
    const copy = structuredClone(venue)
    return theirs(order, copy, copy.accounts[0]) === 'placed'
  }
  return { own, ours, theirs, wouldPlace }
}

type Order = { sells: boolean; lots: number; ticks: number }
type Scene = { middle: number; lots: number; entry: number; leverage: number; resting: Order[]; order: Order }

test('an order is placed with the least balance that the naive model asks for, and refused with one atom less', () => {
  let refused = 0
  fc.assert(
    fc.property(scenes, (scene) => {
      const { order } = scene
      const { own, ours, theirs, wouldPlace } = venuesOf(scene)
      let [less, enough] = [-1n, plenty]
      while (enough - less > 1n) {
        const middle = (less + enough) / 2n
        if (wouldPlace(middle)) enough = middle
        else less = middle
      }
      if (less >= 0n) {
        own(less)
        expect(ours(order)).toBe('no-balance')
        expect(theirs(order)).toBe('no-balance')
        refused += 1
      }
      own(enough)
      expect([ours(order), theirs(order)]).toEqual(['placed', 'placed'])
    }),
    runs(300, 5000, 100),
  )
  expect(refused).toBeGreaterThan(50)
})
