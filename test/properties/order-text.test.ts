import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { orderText, waitingText } from '#src/exchange/trading/orders/order-text.ts'
import {
  flag,
  positionSides,
  selfTrades,
  statuses,
  statusOf,
  takeRow,
} from '#src/exchange/trading/book/order-columns.ts'
import { createMarket, type Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import { openVenue } from '#test/exchange/exchange-fixture.ts'
import { runs } from './runs.ts'

const flags = fc.nat({ max: 2047 })
const kinds = fc.record({
  market: fc.nat({ max: 3 }),
  sells: fc.nat({ max: 1 }),
  flags,
  positionSide: fc.nat({ max: positionSides.length - 1 }),
  selfTrade: fc.nat({ max: selfTrades.length - 1 }),
  status: fc.nat({ max: statuses.length - 1 }),
})
const numbers = fc.record({
  id: fc.integer({ min: 1, max: 9_000_000_000_000 }),
  ticks: fc.integer({ min: 1, max: 10_000_000 }),
  lots: fc.integer({ min: 1, max: 1_000_000 }),
  at: fc.integer({ min: 1_790_000_000_000, max: 1_790_000_009_999 }),
  clientId: fc.stringMatching(/^[A-Za-z0-9._-]{0,20}$/),
  parts: fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 100 })),
})
const order = fc.record({ kind: kinds, numbers, listed: fc.boolean() })

test.each([
  { profile: 'spec', spelling: 'spec' },
  { profile: 'full', spelling: 'spec' },
  { profile: 'full', spelling: 'camel' },
] as const)('the text of an order equals its columns ($profile, $spelling)', (options) => {
  const { venue } = openVenue(options).exchange
  const markets = [...venue.markets.values()]
  const { orders } = venue.state
  const row = takeRow(orders)
  fc.assert(
    fc.property(fc.array(order, { maxLength: 40 }), (each) => {
      for (const { kind, numbers, listed } of each) {
        const market = markets[kind.market % markets.length]
        if (market === undefined) throw new Error('there is a market')
        const { parts, clientId, ...columns } = numbers
        const traded = Math.floor((columns.lots * parts[0]) / 100)
        const quanta = traded * columns.ticks
        const taken = Math.floor((quanta * parts[1]) / 100)
        const { market: _, ...bytes } = kind
        const stop = { activation: columns.ticks + 1, rises: true, activatedAt: 0 }
        venue.trading.accounts[0]?.stops.set(columns.id, stop)
        const exits = { takeProfit: columns.ticks + 1, stopLoss: 0 }
        const belongs = { account: 1, market: 0, order: columns.id, isOpen: true }
        venue.state.attached = [{ id: 7, ...belongs, ...exits }]
        for (const [name, value] of Object.entries({ ...bytes, ...columns, account: 1, quanta, taken })) {
          const column: unknown = Reflect.get(orders, name)
          if (column instanceof Float64Array || column instanceof Int32Array || column instanceof Uint8Array)
            column[row] = value
        }
        orders.left[row] = columns.lots - traded
        orders.clientId[row] = clientId
        const plain = plainOrder(venue, market, row, listed)
        expect(orderText(venue, market, row, listed)).toBe(JSON.stringify(plain))
      }
    }),
    runs(300, 5000),
  )
})

test('a waiting order has the status of the answer, and rpi before its position', () => {
  const { venue } = openVenue({ profile: 'full' }).exchange
  const [market] = venue.markets.values()
  if (market === undefined) throw new Error('there is a market')
  const draft = { clientId: 'a', sells: true, positionSide: 1, selfTrade: 2, ticks: 5, lots: 7 }
  const trigger = {
    id: 9,
    account: 1,
    market: 0,
    activation: 4,
    rises: false,
    other: 0,
    at: 1_790_000_000_250,
  }
  const amount = market.amountText(7)
  for (const flags of [flag.stop, flag.stop | flag.market, flag.stop | flag.spot | flag.reduceOnly]) {
    const isSpot = (flags & flag.spot) !== 0
    const expected = {
      order_id: 9,
      client_order_id: 'a',
      market: market.name,
      side: 'sell',
      type: `${isSpot ? '' : 'margin '}stop ${flags & flag.market ? 'market' : 'limit'}`,
      timestamp: 1_790_000_000.25,
      deal_money: '0',
      deal_stock: '0',
      amount,
      left: amount,
      deal_fee: '0',
      ioc: false,
      postOnly: false,
      ...(flags & flag.market ? {} : { price: market.priceText(5) }),
      activation_price: market.priceText(4),
      status: 'CANCELED',
      stp: 'cn',
      rpi: false,
      ...(isSpot ? {} : { positionSide: 'SHORT', reduceOnly: false }),
    }
    const text = waitingText(venue, market, { ...trigger, draft: { ...draft, flags } }, true, 'CANCELED')
    expect(text).toBe(JSON.stringify(expected))
  }
})

test('a fee is written with the value of its atoms, for any number of digits', () => {
  const rate = fc.oneof(
    fc.nat({ max: 100 }).map((tenths) => BigInt(tenths) * 10n ** 14n),
    fc.bigInt(0n, 10n ** 16n),
  )
  const [known] = openVenue().exchange.venue.markets.values()
  if (known === undefined) throw new Error('there is a market')
  const quanta = fc.oneof(fc.nat({ max: 10_000_000 }), fc.maxSafeNat())
  fc.assert(
    fc.property(rate, rate, quanta, fc.nat({ max: 100 }), (makerFee, takerFee, quanta, percent) => {
      const taken = percent === 100 ? quanta : Math.floor(quanta / 100) * percent
      const market = createMarket('A_B', 0, { ...known.rules, makerFee, takerFee })
      const traded = { quanta, taken, tier: 0 }
      expect(market.feeText(traded)).toBe(formatAtoms(market.fee(traded)))
    }),
    runs(1000, 50_000),
  )
})

function plainOrder(venue: VenueContext, market: Market, row: number, listed: boolean) {
  const { orders } = venue.state
  const camel = venue.spelling === 'camel'
  const is = (which: number) => ((orders.flags[row] ?? 0) & which) !== 0
  const [lots = 0, left = 0, quanta = 0] = [orders.lots[row], orders.left[row], orders.quanta[row]]
  const bare = is(flag.market) ? (is(flag.stock) ? 'stock market' : 'market') : 'limit'
  const status = statusOf(orders, row)
  const takeProfit = market.priceText((orders.ticks[row] ?? 0) + 1)
  const oto = is(flag.attached) ? { otoId: 7, stopLoss: null, takeProfit } : null
  return {
    [camel ? 'orderId' : 'order_id']: orders.id[row],
    [camel ? 'clientOrderId' : 'client_order_id']: orders.clientId[row],
    market: market.name,
    side: orders.sells[row] === 1 ? 'sell' : 'buy',
    type: `${listed && !is(flag.spot) ? 'margin ' : ''}${is(flag.stop) ? 'stop ' : ''}${bare}`,
    timestamp: (orders.at[row] ?? 0) / 1000,
    [camel ? 'dealMoney' : 'deal_money']: market.moneyText(quanta),
    [camel ? 'dealStock' : 'deal_stock']: market.amountText(lots - left),
    amount: market.amountText(lots),
    left: market.amountText(left),
    [camel ? 'dealFee' : 'deal_fee']: formatAtoms(
      market.fee({ quanta, taken: orders.taken[row] ?? 0, tier: orders.tier[row] ?? 0 }),
    ),
    ioc: is(flag.ioc),
    postOnly: is(flag.postOnly),
    ...(is(flag.market) ? {} : { price: market.priceText(orders.ticks[row] ?? 0) }),
    ...(is(flag.stop) ? { activation_price: market.priceText((orders.ticks[row] ?? 0) + 1) } : {}),
    status: status === 'OPEN' && left !== lots ? 'PARTIALLY_FILLED' : status,
    stp: selfTrades[orders.selfTrade[row] ?? 0],
    ...(is(flag.spot) || is(flag.stop) || is(flag.linked) || venue.profile === 'spec' ? {} : { oto }),
    ...(is(flag.spot) ? {} : { positionSide: positionSides[orders.positionSide[row] ?? 0] }),
    rpi: is(flag.rpi),
    ...(!is(flag.spot) && venue.profile === 'full' ? { reduceOnly: is(flag.reduceOnly) } : {}),
  }
}
