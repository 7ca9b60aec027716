import { afterAll, beforeAll, expect, test } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { meet, steady, symbolOf, type Meeting } from './meeting.ts'

const traded = ['BTC_PERP', 'BTC_USDT'] as const

let meeting: Meeting
beforeAll(async () => {
  meeting = await meet()
  for (const market of traded) await trade(market)
  await meeting.stranger.loadMarkets()
})
afterAll(() => meeting.close())

/** Two prices on each side of the book, and a deal on each. */
async function trade(market: string): Promise<void> {
  const { paper, rival } = meeting
  const last = Math.round(Number((await done(paper.ticker()))[market]?.last_price))
  const order = (side: 'buy' | 'sell', amount: string, away: number) => ({
    market,
    side,
    amount,
    price: String(last + away),
  })
  const resting = [
    order('sell', '0.05', 7),
    order('sell', '0.06', 5),
    order('buy', '0.07', -5),
    order('buy', '0.08', -9),
  ]
  const taking = [order('sell', '0.02', -5), order('buy', '0.01', 5), order('buy', '0.03', 5)]
  const answers = [
    await rival.collateralBulk({ orders: resting }),
    await paper.collateralBulk({ orders: taking }),
  ]
  expect(new Set(answers.flatMap(({ orders }) => orders).map(({ kind }) => kind))).toEqual(
    new Set(['accepted']),
  )
}

/** A percentage as a ratio, without the float of a division. */
const ratio = (percent: string) => Number(`${percent}e-2`)
/** A side of the book where nobody is has the price 0, which it calls none. */
const priced = (price: string) => Number(price) || undefined
const numbers = (side: readonly (readonly string[])[]) => side.map((level) => level.map(Number))
const step = (digits: string) => Number(`1e-${digits}`)

test('loads every market, with its steps, limits and fees', async () => {
  const { stranger, paper } = meeting
  const markets = await done(paper.markets())
  expect(Object.keys(stranger.markets).sort()).toEqual(markets.map(({ name }) => symbolOf(name)).sort())
  for (const market of markets) {
    const swap = market.type === 'futures'
    expect(stranger.market(symbolOf(market.name))).toMatchObject({
      id: market.name,
      base: market.stock,
      quote: market.money,
      type: swap ? 'swap' : 'spot',
      settle: swap ? market.money : undefined,
      margin: !swap && market.isCollateral,
      active: market.tradesEnabled,
      maker: ratio(market.makerFee),
      taker: ratio(market.takerFee),
      precision: { amount: step(market.stockPrec), price: step(market.moneyPrec) },
      limits: {
        amount: { min: Number(market.minAmount) },
        cost: { min: Number(market.minTotal), max: Number(market.maxTotal) },
      },
    })
  }
})

test('knows the currencies, their networks and what they cost', async () => {
  const { stranger, paper } = meeting
  const currencies = await stranger.fetchCurrencies()
  const assets = await done(paper.assets())
  expect(Object.keys(currencies).sort()).toEqual(Object.keys(assets).sort())
  for (const [ticker, asset] of Object.entries(assets)) {
    const networks: { id: string; deposit: boolean; limits: { deposit: { min: number } } }[] = Object.values(
      currencies[ticker].networks,
    )
    expect(currencies[ticker]).toMatchObject({
      id: ticker,
      type: asset.providers === undefined ? 'crypto' : 'fiat',
      deposit: asset.can_deposit,
      withdraw: asset.can_withdraw,
      precision: step(String(asset.currency_precision)),
      limits: { deposit: { min: Number(asset.min_deposit) }, withdraw: { min: Number(asset.min_withdraw) } },
    })
    const paysIn = networks.filter(({ deposit }) => deposit)
    expect(Object.fromEntries(paysIn.map(({ id, limits }) => [id, limits.deposit.min]))).toEqual(
      Object.fromEntries(
        (asset.networks?.deposits ?? []).map((name) => [name, Number(asset.limits?.deposit?.[name]?.min)]),
      ),
    )
  }
  const costs = await done(paper.fee())
  const { deposit, withdraw } = await stranger.fetchTransactionFees()
  for (const [ticker, cost] of Object.entries(costs)) {
    expect([deposit[ticker], withdraw[ticker]]).toEqual([
      cost.deposit.fixed ?? undefined,
      cost.withdraw.fixed ?? undefined,
    ])
  }
})

test('knows the trading fees', async () => {
  const { stranger, paper } = meeting
  const fees = await stranger.fetchTradingFees()
  const assets = await done(paper.assets())
  for (const market of await done(paper.markets())) {
    // It takes those of the currency, for perpetuals too.
    const asset = assets[market.stock ?? '']
    expect(fees[symbolOf(market.name)]).toMatchObject({
      maker: ratio(asset?.maker_fee ?? ''),
      taker: ratio(asset?.taker_fee ?? ''),
    })
  }
})

test('reads one ticker, and all of them', async () => {
  const { stranger, paper } = meeting
  for (const market of traded) {
    const { result } = await done(paper.marketTicker({ market }))
    expect(await stranger.fetchTicker(symbolOf(market))).toMatchObject({
      symbol: symbolOf(market),
      last: Number(result.last),
      open: Number(result.open),
      high: Number(result.high),
      low: Number(result.low),
      bid: priced(result.bid),
      ask: priced(result.ask),
      baseVolume: Number(result.volume),
      quoteVolume: Number(result.deal),
      percentage: Number(result.change),
    })
    expect(Number(result.volume)).toBe(0.06)
  }
  const all = Object.entries(await done(paper.ticker()))
  const found = await stranger.fetchTickers()
  expect(Object.keys(found)).toHaveLength(all.length)
  for (const [market, ticker] of all) {
    expect(found[symbolOf(market)]).toMatchObject({
      last: Number(ticker.last_price),
      baseVolume: Number(ticker.base_volume),
      quoteVolume: Number(ticker.quote_volume),
      percentage: Number(ticker.change) || undefined,
    })
  }
})

test('reads the order book', async () => {
  const { stranger, paper } = meeting
  for (const market of traded) {
    for (const limit of [undefined, 1]) {
      const { asks, bids } = await done(paper.orderbook({ market, ...(limit && { limit }) }))
      expect(await stranger.fetchOrderBook(symbolOf(market), limit)).toMatchObject({
        asks: numbers(asks),
        bids: numbers(bids),
      })
      expect(asks).toHaveLength(limit ?? 2)
    }
  }
})

test('reads the trades of everybody', async () => {
  const { stranger, paper } = meeting
  for (const market of traded) {
    const trades = await done(paper.trades({ market }))
    expect(trades).toHaveLength(3)
    expect(await stranger.fetchTrades(symbolOf(market))).toEqual(
      trades.toReversed().map((trade): unknown =>
        expect.objectContaining({
          id: String(trade.tradeID),
          symbol: symbolOf(market),
          timestamp: trade.trade_timestamp * 1000,
          side: trade.type,
          price: Number(trade.price),
          amount: Number(trade.quote_volume),
          cost: Number(trade.base_volume),
        }),
      ),
    )
  }
})

test('reads candles', async () => {
  const { stranger, paper } = meeting
  const start = Math.floor(Date.now() / 60_000) * 60 - 1200
  for (const market of traded) {
    for (const [since, interval] of [[start, '1m'] as const, [undefined, '1h'] as const]) {
      const ours = () => done(paper.kline({ market, interval, limit: 100, ...(since && { start: since }) }))
      const theirs = () => stranger.fetchOHLCV(symbolOf(market), interval, since && since * 1000, 100)
      const { before, foreign } = await steady(ours, theirs)
      expect(foreign).toEqual(
        before.result.map(([at, open, close, high, low, volume]) => [
          at * 1000,
          ...[open, high, low, close, volume].map(Number),
        ]),
      )
      expect(before.result.reduce((sum, candle) => sum + Number(candle[5]), 0)).toBeCloseTo(0.06)
    }
  }
})

test('reads funding rates', async () => {
  const { stranger, paper } = meeting
  const { result } = await done(paper.futures())
  const rates = await stranger.fetchFundingRates()
  const tickers = await stranger.fetchTickers(undefined, { type: 'swap' })
  expect(Object.keys(rates)).toHaveLength(result.length)
  for (const future of result) {
    const symbol = symbolOf(future.ticker_id)
    expect(rates[symbol]).toMatchObject({
      symbol,
      fundingRate: Number(future.funding_rate),
      fundingTimestamp: Number(future.next_funding_rate_timestamp),
    })
    expect(await stranger.fetchFundingRate(symbol)).toEqual(rates[symbol])
    expect(tickers[symbol]).toMatchObject({
      last: Number(future.last_price),
      bid: priced(future.bid),
      ask: priced(future.ask),
      indexPrice: Number(future.index_price),
      baseVolume: Number(future.stock_volume),
      quoteVolume: Number(future.money_volume),
    })
  }
})

test('a market that is gone is refused in words that it knows', async () => {
  const { stranger } = meeting
  await expect(stranger.fetchTicker('DOGE/USDT')).rejects.toMatchObject({ name: 'BadSymbol' })
  const gone = { ...stranger.market('BTC/USDT'), id: 'GONE_USDT', symbol: 'GONE/USDT' }
  stranger.markets[gone.symbol] = gone
  await expect(stranger.fetchOHLCV(gone.symbol)).rejects.toThrow('Market is not available')
  await expect(stranger.fetchTicker(gone.symbol)).rejects.toThrow('Market is not available')
  delete stranger.markets[gone.symbol]
})
