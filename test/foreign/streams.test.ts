import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { patience } from '#test/support/patience.ts'
import { heard, meet, symbolOf, type Meeting } from './meeting.ts'

const market = 'BTC_PERP'
const symbol = symbolOf(market)

let meeting: Meeting
/** One reads what everybody may, the other what its own account does. */
let onlooker: Meeting['stranger']
let owner: Meeting['stranger']
beforeAll(async () => {
  meeting = await meet()
  onlooker = meeting.stranger
  owner = await meeting.another()
  await Promise.all([onlooker.loadMarkets(), owner.loadMarkets()])
})
// The exchange gives a key ten tokens a minute, and the stranger asks for one with each subscription of its account.
beforeEach(() => meeting.advance(61))
afterAll(() => meeting.close())

async function place(who: 'paper' | 'rival', side: 'buy' | 'sell', amount: string, price: string) {
  return done(meeting[who].collateralLimit({ market, side, amount, price }))
}

/** The rival makes, paper takes, and both have back what they had. */
async function deal(amount: string): Promise<void> {
  await place('rival', 'buy', amount, '60010')
  await place('paper', 'sell', amount, '60010')
  await place('rival', 'sell', amount, '60010')
  await place('paper', 'buy', amount, '60010')
}

const plain = (side: Iterable<Iterable<number>>) => Array.from(side, (level) => Array.from(level))

test('watches the order book, which stays what the book is', async () => {
  const { paper } = meeting
  const levels = async () => {
    const { asks, bids } = await done(paper.orderbook({ market, limit: 10 }))
    return { asks: asks.map((level) => level.map(Number)), bids: bids.map((level) => level.map(Number)) }
  }
  const kept = () => {
    const { asks, bids } = onlooker.orderbooks[symbol]
    return { asks: plain(asks), bids: plain(bids) }
  }
  await place('rival', 'buy', '0.01', '59990')
  const first = await onlooker.watchOrderBook(symbol, 10)
  expect(first).toMatchObject(await levels())
  for (let away = 1; away <= 12; away++) {
    await place('rival', 'buy', '0.002', String(59_990 - away))
    await place('rival', 'sell', '0.002', String(60_020 + away))
  }
  await vi.waitFor(async () => expect(kept()).toEqual(await levels()), patience)
  await place('paper', 'sell', '0.015', '59985')
  await done(meeting.rival.cancelAll({ market }))
  await place('rival', 'buy', '0.003', '59970.5')
  await vi.waitFor(async () => expect(kept()).toEqual(await levels()), patience)
})

test('watches the trades of everybody', async () => {
  const { paper } = meeting
  await heard(onlooker.watchTrades(symbol), () => deal('0.001'))
  await deal('0.005')
  await vi.waitFor(async () => {
    const trades = await done(paper.trades({ market }))
    const kept: { id: string; price: number; amount: number; side: string }[] = [...onlooker.trades[symbol]]
    expect(kept.at(-1)).toMatchObject({
      id: String(trades[0]?.tradeID),
      symbol,
      side: 'buy',
      price: Number(trades[0]?.price),
      amount: 0.005,
    })
    const known = new Map(trades.map((trade) => [String(trade.tradeID), trade]))
    for (const { id, price, amount, side } of kept) {
      const trade = known.get(id)
      expect([price, amount, side]).toEqual([Number(trade?.price), Number(trade?.quote_volume), trade?.type])
    }
    expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length)
  }, patience)
})

test('watches its own orders from the first word to the last', async () => {
  const { paper } = meeting
  const withdrawn = async () => {
    const { order_id } = await place('paper', 'buy', '0.001', '58000')
    await done(paper.cancelOrder({ market, order_id }))
  }
  await heard(owner.watchOrders(symbol), withdrawn)
  const kept = (id: number) => [...owner.orders].find((order: { id: string }) => order.id === String(id))

  const { order_id: id, client_order_id } = await place('paper', 'sell', '0.004', '60100')
  await vi.waitFor(() => expect(kept(id)).toBeDefined(), patience)
  expect(kept(id)).toMatchObject({
    symbol,
    side: 'sell',
    status: 'open',
    price: 60_100,
    amount: 0.004,
    filled: 0,
    remaining: 0.004,
    clientOrderId: client_order_id === '' ? undefined : client_order_id,
  })
  await place('rival', 'buy', '0.001', '60100')
  await vi.waitFor(() => expect(kept(id)).toMatchObject({ filled: 0.001 }), patience)
  const [resting] = await done(paper.openOrders({ market, order_id: id }))
  expect(kept(id)).toMatchObject({
    status: 'open',
    remaining: Number(resting?.left),
    cost: Number(resting?.deal_money),
    fee: { cost: Number(resting?.deal_fee) },
  })
  await done(paper.cancelOrder({ market, order_id: id }))
  await vi.waitFor(() => expect(kept(id)).toMatchObject({ status: 'canceled', remaining: 0.003 }), patience)

  const { order_id: filled } = await place('paper', 'sell', '0.002', '60100')
  await place('rival', 'buy', '0.002', '60100')
  await vi.waitFor(() => expect(kept(filled)).toMatchObject({ status: 'closed', filled: 0.002 }), patience)
})

test('watches its own deals', async () => {
  const { paper } = meeting
  await heard(owner.watchMyTrades(symbol), () => deal('0.001'))
  await deal('0.003')
  await vi.waitFor(async () => {
    const deals = await done(paper.executedHistory({ market, limit: 2 }))
    const expected = (Array.isArray(deals) ? deals : []).toReversed().map((mine) => ({
      id: String(mine.id),
      order: String(mine.order_id),
      symbol,
      timestamp: Math.trunc(mine.time * 1000),
      side: mine.side,
      takerOrMaker: mine.role === 1 ? 'maker' : 'taker',
      price: Number(mine.price),
      amount: Number(mine.amount),
      fee: { cost: Number(mine.fee), currency: mine.feeAsset },
    }))
    expect(expected.map(({ amount }) => amount)).toEqual([0.003, 0.003])
    expect([...owner.myTrades].slice(-2)).toEqual(
      expected.map((each): unknown => expect.objectContaining(each)),
    )
  }, patience)
})

test('watches the balance of the spot account', async () => {
  const { paper } = meeting
  const bid = (price: string) =>
    done(paper.spotLimit({ market: 'BTC_USDT', side: 'buy', amount: '0.001', price }))
  await heard(owner.watchBalance({ type: 'spot' }), () => bid('40000'))
  await bid('45000')
  await vi.waitFor(async () => {
    const { USDT } = await done(paper.tradingBalance({ ticker: 'USDT' }))
    expect(owner.balance['USDT']).toMatchObject({
      free: Number(USDT?.available),
      used: Number(USDT?.freeze),
    })
  }, patience)
})

test('watches the balance of the collateral account', async () => {
  const { paper } = meeting
  const another = await meeting.another()
  await heard(another.watchBalance({ type: 'swap' }), () => deal('0.001'))
  await deal('0.01')
  await vi.waitFor(async () => {
    const [usdt] = await done(paper.collateralSummary({ ticker: 'USDT' }))
    expect(another.balance['USDT']).toMatchObject({
      free: Number(usdt?.availableWithoutBorrow),
      total: Number(usdt?.balance),
    })
  }, patience)
})
/** The ticker as our client reads it, in its words. */
async function tickerOf(name: string) {
  const { result } = await done(meeting.paper.marketTicker({ market: name }))
  return {
    last: Number(result.last),
    open: Number(result.open),
    high: Number(result.high),
    low: Number(result.low),
    baseVolume: Number(result.volume),
    quoteVolume: Number(result.deal),
  }
}

test('watches the ticker of one market, and of several', async () => {
  await heard(onlooker.watchTicker(symbol), () => deal('0.001'))
  await deal('0.004')
  await vi.waitFor(
    async () => expect(onlooker.tickers[symbol]).toMatchObject(await tickerOf(market)),
    patience,
  )
  const another = await meeting.another()
  await heard(another.watchTickers([symbol, symbolOf('ETH_PERP')]), () => deal('0.001'))
  await deal('0.004')
  await vi.waitFor(
    async () => expect(another.tickers[symbol]).toMatchObject(await tickerOf(market)),
    patience,
  )
})

test('watches candles', async () => {
  const { paper } = meeting
  await heard(onlooker.watchOHLCV(symbol, '1m'), () => deal('0.001'))
  await deal('0.004')
  await vi.waitFor(async () => {
    const { result } = await done(paper.kline({ market, interval: '1m', limit: 1 }))
    const [at = 0, open, close, high, low, volume] = result[0] ?? []
    expect([...onlooker.ohlcvs[symbol].unknown].at(-1)).toEqual([
      at * 1000,
      ...[open, high, low, close, volume].map(Number),
    ])
  }, patience)
})
