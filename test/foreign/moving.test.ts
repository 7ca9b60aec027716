import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { patience } from '#test/support/patience.ts'
import { dealsOf, meet, products, symbolOf, type Meeting } from './meeting.ts'

/** A market that never stands still: what two readers see of it is the same only when both look at once. */
const looks = 5

let meeting: Meeting
beforeAll(async () => {
  meeting = await meet(['seeded', '--seed', 'a stranger'])
  await meeting.stranger.loadMarkets()
})
afterAll(() => meeting.close())

test('keeps the book of a market that moves', async () => {
  const { stranger, paper } = meeting
  const market = 'BTC_PERP'
  const symbol = symbolOf(market)
  for (let look = 0; look < looks; look++) {
    for (let frame = 0; frame < 3; frame++) await stranger.watchOrderBook(symbol, 10)
    await vi.waitFor(async () => {
      const { asks, bids } = stranger.orderbooks[symbol]
      const book = await done(paper.orderbook({ market, limit: 10 }))
      expect([...asks, ...bids].map(String)).toEqual(
        [...book.asks, ...book.bids].map((level) => String(level.map(Number))),
      )
    }, patience)
  }
})

test.each(products)('trades $name with whoever is there', async ({ symbol, market, about }) => {
  const { stranger } = meeting
  for (const side of ['buy', 'sell']) {
    const order = await stranger.createOrder(symbol, 'market', side, 0.005, undefined, about)
    expect(order).toMatchObject({ status: 'closed', filled: 0.005, remaining: 0 })
    const deals = await dealsOf(meeting, market, order.id)
    const all = await stranger.fetchMyTrades(symbol)
    const mine = all.filter((deal: { order: string }) => deal.order === order.id)
    expect(mine).toEqual(deals.map((deal): unknown => expect.objectContaining(deal)))
    expect(deals.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(order.cost, 6)
  }
})

test('reads the funding of its position, and the rates', async () => {
  const { stranger, paper } = meeting
  const market = 'BTC_PERP'
  const symbol = symbolOf(market)
  await stranger.createOrder(symbol, 'market', 'buy', 0.02)
  const { fundingTimestamp } = await stranger.fetchFundingRate(symbol)
  const { time } = await done(paper.time())
  await meeting.advance(Math.ceil(fundingTimestamp / 1000) - time)
  // A clock that leaps by hours counts for nothing until the venue has told its time again.
  await done(paper.time())
  const rates = await done(paper.fundingRates({ market }))
  expect(rates.length).toBeGreaterThan(0)
  expect(await stranger.fetchFundingRateHistory(symbol)).toEqual(
    rates.toReversed().map((rate): unknown =>
      expect.objectContaining({
        symbol,
        fundingRate: Number(rate.fundingRate),
        timestamp: Number(rate.fundingTime) * 1000,
      }),
    ),
  )
  const { records } = await done(paper.fundingHistory({ market }))
  expect(records.length).toBeGreaterThan(0)
  expect(await stranger.fetchFundingHistory(symbol)).toEqual(
    records
      .toReversed()
      .map((record): unknown => expect.objectContaining({ symbol, amount: Number(record.fundingAmount) })),
  )
})
