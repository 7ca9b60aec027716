import { expect, test } from 'vitest'
import { move } from '#src/exchange/ledger/ledger.ts'
import { fundingRate, settleFunding } from '#src/exchange/trading/positions/funding.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue, paperWorld } from '#test/exchange/exchange-fixture.ts'
import { order, place } from '#test/exchange/order-fixture.ts'
import { openTrading } from './trading-fixture.ts'

/** ann is long and bob short by this amount at 100; the mark price is different. */
function openAt(mark: string, amount = '2', setting: Parameters<typeof openTrading>[0] = {}) {
  const trading = openTrading(setting)
  trading.order('bob', `sell ${amount} at 100`)
  trading.order('ann', `buy ${amount} at 100`)
  trading.mark(mark)
  return trading
}

const rateOf = (trading: ReturnType<typeof openTrading>) => fundingRate(trading.trading, trading.marketOf())

test('the rate is the premium of the last price over the mark, in 10^-8, rounded towards zero, and at most 0.75 percent', () => {
  expect(rateOf(openAt('99.9'))).toBe(100_100)
  expect(rateOf(openAt('100.3'))).toBe(-299_102)
  expect(rateOf(openAt('100'))).toBe(0)
  expect(rateOf(openAt('90'))).toBe(750_000)
  expect(rateOf(openAt('110'))).toBe(-750_000)
})

/** The rate of a simulated market: one with a base. */
function rateAt(mark: string): number {
  const trading = openAt(mark)
  Object.assign(trading.state.markets[trading.marketOf().number] ?? {}, { fundingBase: 10_000 })
  return rateOf(trading)
}

test('a simulated market pays 0.01 percent, unless its premium is more than 0.05 percent away from that', () => {
  expect(rateAt('100')).toBe(10_000)
  expect(rateAt('99.95')).toBe(10_000)
  expect(rateAt('100.03')).toBe(10_000)
  // Premiums of 0.1001 % and -0.0999 %.
  expect(rateAt('99.9')).toBe(50_100)
  expect(rateAt('100.1')).toBe(-49_900)
  expect(rateAt('90')).toBe(750_000)
})

test('above the mark price long positions pay short ones, on the value at the mark price', () => {
  const trading = openAt('99.9')
  settleFunding(trading.trading, trading.state.fundingAt)
  // 2 × 99.9 × 0.001001
  expect(trading.collateral('ann')).toBe('999.8000002')
  expect(trading.collateral('bob')).toBe('1000.1999998')
  const [long] = trading.traderOf('ann').collateral.open
  const [short] = trading.traderOf('bob').collateral.open
  expect([long?.funding, short?.funding]).toEqual([-1_999_998n * 10n ** 11n, 1_999_998n * 10n ** 11n])
  expect(trading.money('clearing')).toBe('0')
})

test('below the mark price short positions pay, and every settlement is kept', () => {
  const trading = openAt('100.3')
  const at = trading.state.fundingAt
  settleFunding(trading.trading, at)
  expect(trading.collateral('ann')).toBe('1000.599998612')
  expect(trading.collateral('bob')).toBe('999.400001388')
  expect(trading.state.markets[trading.marketOf().number]?.fundings).toEqual([
    { at, rate: -299_102, ticks: 10_030 },
  ])
})

test('an account without enough money owes funding to the insurance, as long as its margin suffices', () => {
  const trading = openAt('150')
  trading.order('bob', 'sell 0.1 at 160')
  trading.order('eve', 'buy 0.1 at 160')
  trading.mark('150')
  // All of ann's money but a tenth is transferred out; her unrealised profit is 100.
  move(trading.state.ledger, 'collateral/ann', 'outside', 'USDT', 9_999n * 10n ** 17n)
  settleFunding(trading.trading, trading.state.fundingAt)
  // 2 × 150 × 0.0075 = 2.25
  expect(trading.collateral('ann')).toBe('0')
  expect(trading.money('insurance')).toBe('-2.15')
  expect(trading.traderOf('ann').collateral.owed.get('USDT')).toBe(215n * 10n ** 16n)
})

test('each futures market settles at its own hours, counted from midnight UTC', () => {
  const { BTC_PERP, ETH_PERP } = paperWorld.markets
  if (BTC_PERP === undefined || ETH_PERP === undefined) throw new Error('the packaged world has both')
  const markets = { BTC_PERP, ETH_PERP: { ...ETH_PERP, fundingHours: 4 } }
  const { exchange } = openVenue({ world: { ...paperWorld, markets } })
  const { state } = exchange.venue
  exchange.pass(state.at + 2 * 86_400_000)
  const hours = state.markets.map(({ fundings }) => fundings.map(({ at }) => (at / 3_600_000) % 24))
  expect([...new Set(hours[0])].toSorted((a, b) => a - b)).toEqual([0, 8, 16])
  expect([...new Set(hours[1])].toSorted((a, b) => a - b)).toEqual([0, 4, 8, 12, 16, 20])
})

test('funding that a closed position has paid reduces its net profit', () => {
  const venue = openVenue({ world: paperWorld, profile: 'full' })
  const { trading } = venue.exchange.venue
  for (const market of trading.state.markets) Object.assign(market, { fundingBase: 10_000 })
  place(venue, 'rival', order('sell', '2', '100'))
  place(venue, 'paper', order('buy', '2', '100'))
  settleFunding(trading, trading.state.fundingAt)
  place(venue, 'rival', order('buy', '2', '110'))
  place(venue, 'paper', order('sell', '2', '110'))
  // 0.01 percent of 200 was paid; 0.035 percent of 200 and of 220 are the fees of the taker.
  expect(venue.ask(contract.closedPositions, 'paper', {})).toMatchObject([
    { totalFunding: '0.02', totalTradeFee: '0.147', grossPnl: '19.853', netPnl: '19.833' },
  ])
  expect(venue.ask(contract.closedPositions, 'rival', {})).toMatchObject([{ totalFunding: '-0.02' }])
})
