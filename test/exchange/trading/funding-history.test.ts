import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue, type TestExchange } from '#test/exchange/exchange-fixture.ts'

const { collateralLimit, fundingHistory } = contract
const order = { market: 'BTC_PERP', amount: '0.02', price: '60000' }
const hourMs = 3_600_000
/** The first settlement after the start of these exchanges, Unix seconds. */
const first = 1_790_006_400

/** `paper` is long and `rival` short, with an index this many ticks below the last price as mark price. */
function opened(below: number): TestExchange {
  const venue = openVenue({ profile: 'full' })
  venue.ask(collateralLimit, 'rival', { ...order, side: 'sell' })
  venue.ask(collateralLimit, 'paper', { ...order, side: 'buy' })
  const { trading, state } = venue.exchange.venue
  const standing = state.markets[trading.markets.findIndex(({ name }) => name === order.market)]
  if (standing === undefined) throw new Error('the world has BTC_PERP')
  standing.mark -= below
  standing.indexed = true
  return venue
}

const asked = (venue: TestExchange, account: string, about: object = {}) =>
  venue.ask(fundingHistory, account, { market: 'BTC_PERP', ...about })

test('the long side pays what the short side receives, and both can read it', () => {
  const venue = opened(60)
  venue.pass(8 * hourMs)
  // 60 of 599940 ticks are 0.00010001, and 0.02 at 59994 is worth 1199.88.
  const record = {
    market: 'BTC_PERP',
    fundingTime: String(first),
    fundingRate: '0.00010001',
    fundingAmount: '-0.1199999988',
    positionAmount: '0.02',
    settlementPrice: '59994',
    rateCalculatedTime: String(first),
  }
  expect(asked(venue, 'paper')).toEqual({ records: [record], limit: 100, offset: 0 })
  expect(asked(venue, 'rival').records).toEqual([
    { ...record, fundingAmount: '0.1199999988', positionAmount: '-0.02' },
  ])
})

test('if the last price is below the mark price, the short side pays', () => {
  const venue = opened(-60)
  venue.pass(8 * hourMs)
  const [record] = asked(venue, 'rival').records
  expect(record).toMatchObject({ fundingRate: '-0.00009999', positionAmount: '-0.02' })
  expect(record?.fundingAmount).toMatch(/^-0\.11/)
  expect(asked(venue, 'paper').records).toMatchObject([{ fundingAmount: record?.fundingAmount.slice(1) }])
})

test('payments are listed newest first, filtered by time and page', () => {
  const venue = opened(60)
  venue.pass(24 * hourMs)
  const times = (about: object) =>
    asked(venue, 'paper', about).records.map(({ fundingTime }) => Number(fundingTime))
  const [one, two, three] = [first, first + 8 * 3600, first + 16 * 3600]
  expect(times({})).toEqual([three, two, one])
  expect(times({ startDate: two })).toEqual([three, two])
  expect(times({ endDate: one })).toEqual([one])
  expect(times({ limit: 1, offset: 1 })).toEqual([two])
  expect(asked(venue, 'paper', { limit: 1, offset: 1 })).toMatchObject({ limit: 1, offset: 1 })
})
