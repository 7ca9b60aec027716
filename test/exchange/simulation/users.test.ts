import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import { bestPrice } from '#src/exchange/trading/book/book.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { historyOf, order, place, restingRows } from '#test/exchange/order-fixture.ts'
import type { TestExchange } from '#test/exchange/exchange-fixture.ts'
import { openMovingVenue } from './market-fixture.ts'

/** The market of these tests is SOL_PERP with a tick of 0.01. */
const solana = 5

function bookOf({ exchange }: TestExchange) {
  const book = exchange.state.markets[solana]?.book
  if (book === undefined) throw new Error('the packaged world has six markets')
  return book
}

function touch(venue: TestExchange, side: 'buy' | 'sell'): number {
  venue.exchange.advance(venue.now())
  return bestPrice(bookOf(venue), side === 'sell')
}

const priceText = (ticks: number) => (ticks / 100).toFixed(2)

/** Seconds until the account has this many deals. */
function secondsUntil(venue: TestExchange, account: string, deals: number): number {
  for (let second = 0; second <= 600; second++) {
    if ((venue.exchange.state.accounts.get(account)?.deals.count ?? 0) >= deals) return second
    venue.pass(1000)
    venue.exchange.advance(venue.now())
  }
  return Infinity
}

test.each(['buy', 'sell'] as const)(
  'a %s that joins the touch mostly fills within seconds, and always at its price',
  (side) => {
    const waits = Array.from({ length: 20 }, (_, number) => {
      const venue = openMovingVenue({ seed: `turn ${number}` })
      const price = priceText(touch(venue, side))
      expect(place(venue, 'paper', order(side, '0.2', price))).toMatchObject({ status: 'OPEN' })
      const wait = secondsUntil(venue, 'paper', 1)
      venue.pass(5000)
      const [filled] = historyOf(venue, 'paper')
      if (wait < Infinity)
        expect(filled).toMatchObject({
          status: 'FILLED',
          deal_money: String(Number((0.2 * Number(price)).toFixed(3))),
        })
      return wait
    })
    // The price that has moved away from an order need not come back soon.
    expect(waits.filter((wait) => wait < Infinity).length).toBeGreaterThanOrEqual(16)
    expect(waits.toSorted((a, b) => a - b)[10]).toBeLessThanOrEqual(10)
  },
)

test('a grid from 0.1 to 0.3 % around the price has its first fill within a minute, mostly within seconds', () => {
  const waits = ['a', 'b', 'c', 'd', 'e'].map((name) => {
    const venue = openMovingVenue({ seed: name })
    const middle = touch(venue, 'buy')
    const orders = [10, 15, 20, 25, 30].flatMap((hundredths) => [
      order('buy', '0.2', priceText(Math.round(middle * (1 - hundredths / 10_000)))),
      order('sell', '0.2', priceText(Math.round(middle * (1 + hundredths / 10_000)))),
    ])
    for (const { result } of venue.ask(contract.collateralBulk, 'paper', { orders }))
      expect(result?.status).toBe('OPEN')
    return secondsUntil(venue, 'paper', 1)
  })
  expect(Math.max(...waits)).toBeLessThan(60)
  expect(waits.toSorted((a, b) => a - b)[2]).toBeLessThan(20)
})

test('an order across the spread fills at once against the house, from the best price on', () => {
  const venue = openMovingVenue()
  const ask = touch(venue, 'sell')
  const { deal_stock, deal_money, status } = Object.assign(
    { deal_stock: '', deal_money: '', status: '' },
    place(venue, 'paper', order('buy', '300', priceText(ask + 200))),
  )
  expect({ status, deal_stock }).toEqual({ status: 'FILLED', deal_stock: '300' })
  expect(Number(deal_money)).toBeGreaterThan((300 * ask) / 100)
  expect(Number(deal_money)).toBeLessThan((300 * (ask + 200)) / 100)
  expect(venue.exchange.state.markets[solana]?.last).toBeGreaterThan(ask)
})

test('the maker takes an order better than the fair price level by level, so the order does not block the price', () => {
  const venue = openMovingVenue()
  const bid = touch(venue, 'buy')
  // Far more than a level: it fills at once against the asks, and the rest is in the way of the maker.
  place(venue, 'paper', order('buy', '320', priceText(Math.round(bid * 1.001))))
  venue.pass(60_000)
  venue.exchange.advance(venue.now())
  const paper = venue.exchange.state.accounts.get('paper')
  expect(paper && restingRows(venue.exchange.state, paper)).toEqual([])
  expect(paper?.collateral.open[0]?.lots).toBe(3200)
})

test('whatever users do, value is conserved, positions cancel out and no book is crossed', () => {
  const chance = chanceOf(seed)
  const venue = openMovingVenue()
  const { state } = venue.exchange
  const traders = [...state.accounts.values(), ...state.houses]
  const names = Object.keys(venue.exchange.venue.world.markets).filter((name) => name.endsWith('_PERP'))
  for (let round = 0; round < times(400, 20_000, 100); round++) {
    const market = chance.oneOf(names)
    const rules = venue.exchange.venue.markets.get(market)
    const standing = state.markets[rules?.number ?? 0]
    const off = chance.below(60) - 30
    const ticks = Math.round((standing?.mark ?? 1) * (1 + (off * chance.below(10)) / 100_000)) || 1
    const one = {
      ...order(
        chance.oneOf(['buy', 'sell']),
        rules?.amountText((rules.minLots + 3) * chance.below(20) + 100) ?? '',
        '',
      ),
      market,
      price: rules?.priceText(ticks) ?? '',
      ...(chance.percent(20) && { ioc: true }),
      ...(chance.percent(10) && { client_order_id: `o.${round}` }),
    }
    venue.ask(contract.collateralBulk, chance.oneOf(['paper', 'rival']), { orders: [one] })
    venue.pass(chance.below(3000))
    if (round % 20 !== 0) continue
    expect([...imbalances(state.ledger)]).toEqual([])
    for (const { number } of venue.exchange.venue.trading.markets) {
      const lots = traders.flatMap(({ collateral }) =>
        collateral.open.filter(({ market }) => market === number).map(({ lots }) => lots),
      )
      expect(lots.reduce((sum, one) => sum + one, 0)).toBe(0)
      const book = state.markets[number]?.book
      if (book && state.flow && state.flow.steps > 0)
        expect(bestPrice(book, true)).toBeGreaterThan(bestPrice(book, false))
    }
  }
  const deals = ['paper', 'rival'].map((name) => state.accounts.get(name)?.deals.count ?? 0)
  expect(Math.min(...deals)).toBeGreaterThan(20)
})

test('the mark price follows the index, not the last trade', () => {
  const venue = openMovingVenue()
  const ask = touch(venue, 'sell')
  const before = venue.exchange.state.markets[solana]?.mark
  place(venue, 'paper', order('buy', '300', priceText(ask + 200)))
  expect(venue.exchange.state.markets[solana]).toMatchObject({ mark: before, indexed: true })
})
