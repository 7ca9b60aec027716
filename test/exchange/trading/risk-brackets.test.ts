import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maintenanceOf } from '#src/exchange/trading/positions/liquidation.ts'
import { liquidationPrice } from '#src/exchange/trading/positions/liquidation-price.ts'
import { marginInUse } from '#src/exchange/trading/positions/fill-settlement.ts'
import { initialMargin, maintenanceMargin } from '#src/exchange/trading/positions/risk-brackets.ts'
import { positionView } from '#src/exchange/ledger/account-views.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue, paperWorld } from '#test/exchange/exchange-fixture.ts'
import { safeMarks } from '#src/exchange/trading/positions/liquidation-free-band.ts'
import { runs } from '#test/properties/runs.ts'
import { openTrading } from './trading-fixture.ts'

/** As venues publish it: up to this notional, with this leverage at most and this maintenance margin. */
const table = [
  ['50000', 100, '0.004'],
  ['250000', 50, '0.005'],
  ['1000000', 20, '0.01'],
] as const
const brackets = table.map(([notional, maxLeverage, maintenance]) => ({
  notional: parseAtoms(notional),
  maxLeverage,
  maintenance: parseAtoms(maintenance),
}))

function openWith(money: string, leverage = 100) {
  return openTrading({
    brackets,
    leverage: { ann: leverage, bob: 1 },
    collateral: { ann: money, bob: '10000000' },
    shortfalls: 'deleverage',
  })
}

type Floor = ReturnType<typeof openWith>

function goLong(trading: Floor, amount: string, price: string): void {
  trading.order('bob', `sell ${amount} at ${price}`)
  trading.order('ann', `buy ${amount} at ${price}`)
}

test.each([
  // In the first bracket, at its end, in the second, and in the third: 1 %, then 2 %, then 5 %.
  ['20000', 100, '200', '80'],
  ['50000', 100, '500', '200'],
  ['150000', 100, '2500', '700'],
  ['300000', 100, '7000', '1700'],
  // The leverage of the account counts where it is lower: 5 % everywhere, or 50 000 at 1/30, 2 % being below it too.
  ['300000', 20, '15000', '1700'],
  ['300000', 40, '8750', '1700'],
  // Above the last bracket its rates go on: 500 + 4000 + 37 500 + 10 000.
  ['1200000', 100, '52000', '10700'],
] as const)(
  '%s at leverage %i need %s, and %s as maintenance',
  (notional, leverage, initial, maintenance) => {
    const market = { rules: { ...rulesOf(), brackets } }
    expect(formatAtoms(initialMargin(market, parseAtoms(notional), leverage))).toBe(initial)
    expect(formatAtoms(maintenanceMargin(market, parseAtoms(notional), leverage))).toBe(maintenance)
  },
)

function rulesOf() {
  const found = paperWorld.markets['SOL_PERP']
  if (found === undefined) throw new Error('the packaged world has SOL_PERP')
  return found
}

test.each([
  ['50000', '0.004', '0'],
  ['250000', '0.005', '50'],
  ['1000000', '0.01', '1300'],
] as const)(
  'the maintenance of %s is notional × %s − %s, as published tables have it',
  (notional, rate, amount) => {
    const worth = parseAtoms(notional)
    const published = (worth * parseAtoms(rate)) / parseAtoms('1') - parseAtoms(amount)
    expect(maintenanceMargin({ rules: { ...rulesOf(), brackets } }, worth, 100)).toBe(published)
  },
)

test('orders begin where the position ends: together they need the margin of their sum', () => {
  const trading = openWith('10000')
  trading.order('bob', 'sell 1000 at 100')
  expect(trading.order('ann', 'buy 1000 at 100')).toMatchObject({ status: 'FILLED' })
  const used = () => marginInUse(trading.trading, trading.traderOf('ann'), 'USDT')
  // 50 000 at 1 % and 50 000 at 2 %.
  expect(formatAtoms(used().margin)).toBe('1500')
  trading.order('ann', 'buy 2000 at 100')
  // Of 200 000 more 150 000 are at 2 %, and 50 000 at 5 %.
  expect(formatAtoms(used().reserved)).toBe('5500')
  const [position] = trading.traderOf('ann').collateral.open
  expect(position && positionView(trading.trading, trading.traderOf('ann'), position).margin).toBe('1500')
})

test('an order is refused by one tick more than the margin of its brackets', () => {
  const trading = openWith('7000')
  trading.mark('100')
  expect(trading.order('ann', 'buy 3000.1 at 100')).toEqual({ refused: 'no-balance' })
  expect(trading.order('ann', 'buy 3000 at 100')).toMatchObject({ status: 'OPEN' })
})

test('a position ends at the last bracket, with all orders of its side', () => {
  const trading = openWith('1000000')
  goLong(trading, '9000', '100')
  expect(trading.order('ann', 'buy 1000.1 at 100')).toEqual({ refused: 'position-too-big' })
  expect(trading.order('ann', 'buy 600 at 100')).toMatchObject({ status: 'OPEN' })
  expect(trading.order('ann', 'buy 400.1 at 100')).toEqual({ refused: 'position-too-big' })
  // A sell first closes 900 000, then it opens: 18811 at 101 are 1 899 911.
  expect(trading.order('ann', 'sell 18811 at 101')).toMatchObject({ status: 'OPEN' })
  expect(trading.order('ann', 'sell 1 at 101')).toEqual({ refused: 'position-too-big' })
})

test('the liquidation price is the first at which the maintenance of the brackets is not covered', () => {
  const trading = openWith('8000')
  goLong(trading, '3000', '100')
  const ann = trading.traderOf('ann')
  // 8000 + 3000 × (p − 100) < 3000 × p × 0.01 − 1300, so p < 290 700 / 2970 = 97.8787...: in the third bracket.
  expect(liquidationPrice(trading.trading, ann, trading.marketOf())).toBe(9787)
  trading.mark('97.88')
  expect(trading.positions('ann')).toEqual(['3000 for 300000'])
  // 2 percent of 97.88 × 3000 less 1300: 1636.4 of 1640.
  expect(formatAtoms(maintenanceOf(trading.trading, ann, 'USDT'))).toBe('1636.4')
  trading.mark('97.87')
  expect(trading.positions('ann')).not.toEqual(['3000 for 300000'])
})

test('the liquidation price of a short position can be in a higher bracket than the position', () => {
  const trading = openWith('20000', 10)
  trading.order('bob', 'buy 2000 at 100')
  trading.order('ann', 'sell 2000 at 100')
  // 20000 − 2000 × (p − 100) < 2000 × p × 0.005 − 50, so p > 220 050 / 2010 = 109.4776..., which is worth 218 955.
  expect(liquidationPrice(trading.trading, trading.traderOf('ann'), trading.marketOf())).toBe(10_948)
  const more = openWith('60000', 10)
  more.order('bob', 'buy 2000 at 100')
  more.order('ann', 'sell 2000 at 100')
  // Worth 257 000 it is in the third: 60000 − 2000 × (p − 100) < 2000 × p × 0.01 − 1300, so p > 261 300 / 2020 = 129.356...
  expect(liquidationPrice(more.trading, more.traderOf('ann'), more.marketOf())).toBe(12_936)
  more.mark('129.35')
  expect(more.positions('ann')).toEqual(['-2000 for 200000'])
  more.mark('129.36')
  expect(more.positions('ann')).not.toEqual(['-2000 for 200000'])
})

test('at the liquidation price an account is liquidated, one tick before it is not, and never in the safe band', () => {
  const short = fc.boolean()
  const lots = fc.integer({ min: 100, max: 90_000 })
  const money = fc.integer({ min: 1000, max: 40_000 })
  const share = fc.integer({ min: 0, max: 1000 })
  fc.assert(
    fc.property(
      short,
      lots,
      money,
      fc.constantFrom(5, 20, 50, 100),
      share,
      (sells, amount, has, leverage, at) => {
        const open = () => {
          const trading = openWith(String(has), leverage)
          const size = (amount / 10).toFixed(1)
          trading.order('bob', `${sells ? 'buy' : 'sell'} ${size} at 100`)
          trading.order('ann', `${sells ? 'sell' : 'buy'} ${size} at 100`)
          return trading
        }
        const trading = open()
        const [before] = trading.positions('ann')
        fc.pre(before !== undefined)
        const ann = trading.traderOf('ann')
        const market = trading.marketOf()
        const price = liquidationPrice(trading.trading, ann, market)
        const isLiquidatedAt = (ticks: number) => {
          const other = open()
          other.mark((ticks / 100).toFixed(2))
          return other.positions('ann')[0] !== before
        }
        if (price === 0) return
        expect(isLiquidatedAt(price)).toBe(true)
        expect(isLiquidatedAt(price + (sells ? -1 : 1))).toBe(false)
        // The band may be too narrow, never too wide: the nearer end, and a price inside.
        const { low, high } = safeMarks(trading.trading, market.number, new Set())
        const end = sells ? high : low
        expect(sells ? end < price : end > price).toBe(true)
        expect(isLiquidatedAt(Math.round(10_000 + ((end - 10_000) * at) / 1000))).toBe(false)
      },
    ),
    runs(100, 2000, 60),
  )
})

test('the list of futures tells the highest leverage, and the largest notional for each', () => {
  const world = { ...paperWorld, markets: { ...paperWorld.markets, SOL_PERP: { ...rulesOf(), brackets } } }
  const { exchange, now } = openVenue({ profile: 'full', world })
  const path = '/api/v4/public/futures'
  const request = { method: 'GET', path, query: '', headers: {}, body: Buffer.of(), origin: '::1' }
  const { result } = contract.futures.response.parse(JSON.parse(exchange.handle(request, now()).body))
  const shown = Object.fromEntries(result.map((each) => [each.ticker_id, each]))
  expect(shown['SOL_PERP']).toMatchObject({
    max_leverage: 100,
    brackets: { '1': 1e6, '2': 1e6, '3': 1e6, '5': 1e6, '10': 1e6, '20': 1e6, '50': 250_000, '100': 50_000 },
  })
  expect(shown['BTC_PERP']).toMatchObject({ max_leverage: 100, brackets: { '1': 0, '100': 0 } })
})

test('a position beyond the last bracket is refused with the code of the venue', () => {
  const small = [{ notional: parseAtoms('1000'), maxLeverage: 100, maintenance: parseAtoms('0.004') }]
  const markets = { ...paperWorld.markets, SOL_PERP: { ...rulesOf(), brackets: small } }
  const venue = openVenue({ profile: 'full', world: { ...paperWorld, markets } })
  const order = { market: 'SOL_PERP', side: 'buy', amount: '10.1', price: '100' }
  expect(venue.refused(contract.collateralLimit, 'paper', order)).toMatchObject({
    status: 422,
    code: 111,
    errors: { amount: ['margin position too big'] },
  })
  expect(venue.send(contract.collateralLimit, 'paper', { ...order, amount: '10' }).status).toBe(200)
})
