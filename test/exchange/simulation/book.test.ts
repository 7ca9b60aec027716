import { expect, test } from 'vitest'
import { makerLevels } from '#src/exchange/simulation/begin-simulation.ts'
import { bestPrice, type OrderBook } from '#src/exchange/trading/book/book.ts'
import { midnight, openMarkets } from './market-fixture.ts'

const minutes = 60

function spreadOf(book: OrderBook): number {
  return bestPrice(book, true) - bestPrice(book, false)
}

/** What a reader sees of every market, second by second. */
function seconds() {
  const exchange = openMarkets()
  const seen: { marks: number[]; spreads: number[]; counts: number[]; off: number[] }[] =
    exchange.state.markets.map(() => ({ marks: [], spreads: [], counts: [], off: [] }))
  for (let second = 0; second <= minutes * 60; second++) {
    exchange.advance(midnight + second * 1000)
    for (const [number, { book, mark }] of exchange.state.markets.entries()) {
      const { marks, spreads, counts, off } = seen[number] ?? { marks: [], spreads: [], counts: [], off: [] }
      marks.push(mark)
      spreads.push(spreadOf(book))
      counts.push(book.bids.prices.length, book.asks.prices.length)
      off.push(Math.abs((bestPrice(book, true) + bestPrice(book, false)) / 2 / mark - 1))
    }
  }
  return { exchange, seen }
}

const { exchange, seen } = seconds()

test('every market has a book from the start, one to three ticks wide, and its levels reach 5 % from the price', () => {
  for (const { spreads, counts } of seen) {
    expect(new Set([...spreads, 3])).toEqual(new Set([1, 2, 3]))
    expect(new Set(counts)).toEqual(new Set([makerLevels]))
  }
  for (const { book } of exchange.state.markets) {
    const [ask, bid] = [bestPrice(book, true), bestPrice(book, false)]
    expect(Math.max(...book.asks.prices) / ask - 1).toBeGreaterThan(0.045)
    expect(1 - Math.min(...book.bids.prices) / bid).toBeGreaterThan(0.045)
  }
})

test('books stay within a tenth of a percent of their mark prices, and those of one asset move together', () => {
  for (const { off } of seen)
    expect(off.filter((share) => share < 0.001).length / off.length).toBeGreaterThan(0.97)
  const [spot = [], , , perpetual = []] = seen.map(({ marks }) => marks)
  for (const [second, mark] of spot.entries())
    expect(Math.abs(mark - 10 * (perpetual[second] ?? 0))).toBeLessThanOrEqual(5)
})

test('from most start times a price 0.1 % away is reached within minutes, one 0.3 % away within the hour', () => {
  for (const { marks } of seen) {
    const starts = marks.slice(0, marks.length / 2)
    const reached = (share: number) => {
      const waits = starts.map((mark, start) => {
        let second = start
        while (second < marks.length && Math.abs((marks[second] ?? 0) / mark - 1) < share) second += 1
        return second < marks.length ? second - start : Infinity
      })
      return waits.toSorted((a, b) => a - b)[starts.length >> 1] ?? Infinity
    }
    const near = reached(0.001)
    expect(near).toBeGreaterThan(5)
    expect(near).toBeLessThan(180)
    expect(reached(0.003)).toBeLessThan(3600)
  }
})

test('levels hold different amounts that follow the rules of the market', () => {
  const { orders } = exchange.state
  const { markets } = exchange.venue.trading
  const amounts = new Set<number>()
  for (let row = 1; row < orders.used; row++) {
    if (orders.level[row] === 0) continue
    const market = markets[orders.market[row] ?? 0]
    const lots = orders.lots[row] ?? 0
    amounts.add(lots)
    expect(lots).toBeGreaterThanOrEqual(market?.minLots ?? Infinity)
    expect(lots * (orders.ticks[row] ?? 0)).toBeGreaterThanOrEqual(market?.minQuanta ?? Infinity)
    expect(lots * (orders.ticks[row] ?? 0)).toBeLessThanOrEqual(market?.maxQuanta ?? 0)
  }
  expect(amounts.size).toBeGreaterThan(300)
})

test('two orders never cross, and the maker never trades with itself', () => {
  const watched = openMarkets()
  const { trading } = watched.venue
  const { orders, markets } = watched.state
  let rested = 0
  let crossed = 0
  let alone = 0
  trading.listener = {
    order: (_, row, what) => {
      if (what !== 'rests') return
      rested += 1
      const book = markets[orders.market[row] ?? 0]?.book
      if (book && bestPrice(book, true) > 0 && spreadOf(book) <= 0) crossed += 1
    },
    trade: (_, { maker, taker }) => {
      if (orders.account[maker] === orders.account[taker]) alone += 1
    },
    deal: () => {},
  }
  watched.advance(midnight + 30 * 60_000)
  expect(rested).toBeGreaterThan(50_000)
  expect({ crossed, alone }).toEqual({ crossed: 0, alone: 0 })
})
