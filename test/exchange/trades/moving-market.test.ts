import { expect, test } from 'vitest'
import { candlesOf } from '#src/exchange/trades/candles.ts'
import { lastTrades, statsOfDay, type Trade } from '#src/exchange/trades/public-trades.ts'
import { midnight, openMarkets } from '#test/exchange/simulation/market-fixture.ts'
import { naiveCandles, naiveStats } from '#test/properties/models/naive-trades.ts'

const hourMs = 3_600_000

test('the public data of a simulated market are the reported trades', () => {
  const exchange = openMarkets()
  const { trading, state } = exchange.venue
  const reported = trading.markets.map((): Trade[] => [])
  trading.listener = {
    trade: ({ number }, { id, taker, lots, ticks, at }) => {
      const takerSide = state.orders.sells[taker] === 1 ? 'sell' : 'buy'
      reported[number]?.push({ id, at, ticks, lots, takerSide, rpi: false })
    },
    order: () => {},
    deal: () => {},
  }
  exchange.advance(midnight + hourMs / 2)
  const now = exchange.advance(midnight + hourMs)
  for (const { number, name } of trading.markets) {
    const [tape, trades = []] = [state.tapes[number], reported[number]]
    if (tape === undefined) throw new Error(`${name} has no tape`)
    expect(trades.length, name).toBeGreaterThan(100)
    expect(lastTrades(tape, 100)).toEqual(trades.slice(-100).reverse())
    expect(statsOfDay(tape, now)).toEqual(naiveStats(trades, now - 24 * hourMs, 0))
    for (const interval of ['30s', '1m', '5m', '1h'] as const) {
      const about = { from: undefined, until: now, most: 100, now }
      expect(candlesOf(tape, interval, about), `${name} ${interval}`).toEqual(
        naiveCandles(trades, interval, about),
      )
    }
  }
})
