import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { FillRule, RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import { openVenue, type TestExchange } from '#test/exchange/exchange-fixture.ts'
import { recordedFile, recordedOf, type RecordedPoint } from './recorded-fixture.ts'

const minute = 60_000

function openRecorded(about: { points: readonly RecordedPoint[]; fill?: FillRule }): TestExchange {
  const { points, fill = 'touch' } = about
  return openMarkets({ files: [recordedFile('SOL_PERP', points)], fill, moved: true })
}

function openMarkets(recorded: RecordedMarkets): TestExchange {
  return openVenue({ profile: 'full', sources: { seeded: false, recorded } })
}

function order(venue: TestExchange, side: 'buy' | 'sell', amount: string, price: string, by = 'paper'): void {
  venue.ask(contract.collateralLimit, by, { market: 'SOL_PERP', side, amount, price })
}

/** Price and amount of each deal of the account, newest last. */
function dealsOf({ exchange }: TestExchange, by = 'paper'): string[] {
  const deals = exchange.state.accounts.get(by)?.deals
  return Array.from({ length: deals?.count ?? 0 }, (_, place) => {
    const { ticks = [], lots = [], sells = [], taker = [] } = deals ?? {}
    const side = `${taker[place] === 1 ? 'took' : 'made'} ${sells[place] === 1 ? 'sell' : 'buy'}`
    return `${side} ${(lots[place] ?? 0) / 10} at ${(ticks[place] ?? 0) / 100}`
  })
}

function pricesOf({ exchange }: TestExchange): unknown {
  const standing = exchange.state.markets[5]
  const { bids, asks } = standing?.book ?? {}
  return [standing?.last, standing?.mark, [...(bids?.prices ?? [])], [...(asks?.prices ?? [])]]
}

/** Last price, mark price and the quotes around it, in ticks. */
function quoted(price: number): unknown {
  return [price, price, [price], [price + 1]]
}

test('a world starts with the first point, and each request sees price and quotes of its time', () => {
  const venue = openRecorded({
    points: [
      [0, 100],
      [minute, 101.004],
      [90_000, 99],
      [100_000, 98],
      [5 * minute, 97.5],
    ],
  })
  const seen = [0, 59_999, 60_000, 89_000, 100_000, 299_999, 300_000, 9e9].map((at) => {
    venue.exchange.advance(venue.now() + at)
    return pricesOf(venue)
  })
  expect(seen).toEqual([10_000, 10_000, 10_100, 10_100, 9800, 9800, 9750, 9750].map(quoted))
  expect(venue.exchange.nextAt()).toBeGreaterThan(venue.now() + 9e9)
})

test('markets that were recorded together are repeated together', () => {
  const files = [
    recordedFile('SOL_PERP', [
      [minute, 100],
      [2 * minute, 110],
    ]),
    recordedFile('BTC_PERP', [
      [0, 70_000],
      [2 * minute, 71_000],
    ]),
  ]
  const venue = openMarkets({ files, fill: 'touch', moved: true })
  const last = (number: number) => venue.exchange.state.markets[number]?.last
  const seen = [0, 59_999, 60_000, 120_000].map((at) => {
    venue.exchange.advance(venue.now() + at)
    return [last(3), last(5)]
  })
  expect(seen).toEqual([
    [700_000, 0],
    [700_000, 0],
    [700_000, 10_000],
    [710_000, 11_000],
  ])
})

const dip: RecordedPoint[] = [
  [0, 100, 1],
  [1000, 99, 5],
  [2000, 98.99, 0.5],
  [3000, 98.5, 0.7],
  [4000, 100, 1],
]

test.each([
  ['touch', ['made buy 2 at 99']],
  ['through', ['made buy 0.5 at 99', 'made buy 0.7 at 99']],
  ['queue', ['made buy 0.5 at 99', 'made buy 0.7 at 99']],
] as const)('with fill model %s an order for 2 at 99 fills by the amounts of the points', (fill, deals) => {
  const venue = openRecorded({ points: dip, fill })
  order(venue, 'buy', '2', '99')
  venue.exchange.advance(venue.now() + minute)
  expect(dealsOf(venue)).toEqual(deals)
})

test('a queued order fills at its price after a thousand minimum orders have traded there', () => {
  // Here the minimum amount is worth more than the minimum total: 100 SOL, not the 50 for 5000 USDT.
  const points: RecordedPoint[] = [
    [0, 101, 1],
    ...[60, 39, 3, 1, 5].map((amount, at): RecordedPoint => [1000 * (at + 1), 100, amount]),
  ]
  const venue = openRecorded({ points, fill: 'queue' })
  order(venue, 'buy', '4', '100')
  venue.exchange.advance(venue.now() + minute)
  expect(dealsOf(venue)).toEqual(['made buy 2 at 100', 'made buy 1 at 100', 'made buy 1 at 100'])
})

test('accounts share the amount of a point by price, then by time', () => {
  const amounts: RecordedPoint[] = [
    [0, 101],
    [1000, 99, 4],
    [2000, 99, 4],
  ]
  const venue = openRecorded({ points: amounts })
  order(venue, 'buy', '3', '99.5', 'rival')
  order(venue, 'buy', '3', '99.5')
  order(venue, 'buy', '0.5', '100', 'paper')
  venue.exchange.advance(venue.now() + 1500)
  expect(dealsOf(venue, 'rival')).toEqual(['made buy 3 at 99.5'])
  expect(dealsOf(venue)).toEqual(['made buy 0.5 at 100', 'made buy 0.5 at 99.5'])
  venue.exchange.advance(venue.now() + minute)
  expect(dealsOf(venue).slice(2)).toEqual(['made buy 2.5 at 99.5'])
})

test('a taker meets a quote one tick from the last price, and moves no price', () => {
  const venue = openRecorded({ points: dip })
  order(venue, 'buy', '3', '101')
  order(venue, 'sell', '1', '99.5')
  expect(dealsOf(venue)).toEqual(['took buy 3 at 100.01', 'took sell 1 at 100'])
  expect(pricesOf(venue)).toEqual(quoted(10_000))
})

test('a quote that was partially taken is complete again for the next taker', () => {
  const venue = openRecorded({ points: dip })
  const before = publicly(venue, '/api/v4/public/orderbook/SOL_PERP')
  order(venue, 'buy', '300', '101')
  expect(dealsOf(venue)).toEqual(['took buy 300 at 100.01'])
  expect(publicly(venue, '/api/v4/public/orderbook/SOL_PERP')).toEqual(before)
})

test('an activated order takes the quote of that time; a liquidation does not, if the account could not pay it', () => {
  const leap: RecordedPoint[] = [
    [0, 100],
    [1000, 99],
    [2000, 95],
    [3000, 70],
  ]
  const venue = openRecorded({ points: leap })
  venue.ask(contract.setLeverage, 'paper', { leverage: 10 })
  order(venue, 'buy', '300', '101')
  const stop = { market: 'SOL_PERP', side: 'sell', amount: '10', activation_price: '98' }
  venue.ask(contract.collateralTriggerMarket, 'paper', stop)
  order(venue, 'buy', '4500', '101')
  venue.exchange.advance(venue.now() + minute)
  const [first, second, third, ...others] = dealsOf(venue)
  expect([first, second, third]).toEqual([
    'took buy 300 at 100.01',
    'took buy 4500 at 100.01',
    'took sell 10 at 95',
  ])
  // 168.02 of fees and 50.43 of the first sell leave 49781.55: lost with 4790 at 100.01 − 10.3928, and with the fee of
  // 0.035 % at 89.6486. The crowd gives way there.
  expect(others).toEqual(['took sell 4790 at 89.65'])
})

function publicly({ exchange, now }: TestExchange, path: string, query = ''): unknown {
  const request = { method: 'GET', path, query, headers: {}, body: Buffer.of(), origin: '::1' }
  return JSON.parse(exchange.handle(request, now()).body)
}

test('candles, trades and ticker show the recorded data, whatever the accounts did', () => {
  const venue = openRecorded({ points: dip })
  order(venue, 'buy', '3', '101')
  venue.pass(minute)
  const begin = Math.floor(venue.now() / 60_000 - 1) * 60
  expect(publicly(venue, '/api/v1/public/kline', 'market=SOL_PERP&interval=1m')).toMatchObject({
    result: [
      [begin, '100', '100', '100', '98.5', '8.2', '813.445'],
      [begin + 60, '100', '100', '100', '100', '0', '0'],
    ],
  })
  const said = publicly(venue, '/api/v4/public/trades/SOL_PERP')
  expect(said).toMatchObject([
    { tradeID: 5, price: '100', quote_volume: '1', type: 'buy' },
    { tradeID: 4, price: '98.5', quote_volume: '0.7', type: 'sell' },
    { tradeID: 3, price: '98.99', quote_volume: '0.5', type: 'sell' },
    { tradeID: 2, price: '99', quote_volume: '5', type: 'sell' },
    { tradeID: 1, price: '100', quote_volume: '1' },
  ])
  expect(publicly(venue, '/api/v4/public/ticker')).toMatchObject({
    SOL_PERP: { last_price: '100', base_volume: '8.2', quote_volume: '813.445' },
  })
})

test('recorded points keep their times unless the recording is shifted', () => {
  const market = recordedOf(dip)
  const venue = openMarkets({ files: [{ markets: ['SOL_PERP'], market }], fill: 'touch', moved: false })
  venue.exchange.advance(venue.now())
  expect(pricesOf(venue)).toEqual(quoted(10_000))
})
