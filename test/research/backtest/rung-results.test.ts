import { expect, test } from 'vitest'
import { RungResults } from '#src/research/backtest/measures/rung-results.ts'

test('a rung sums its orders and fills at their average price; the one with most fills is first', () => {
  const book = new RungResults()
  const rung = { strategy: 'grid', ladder: 'main', side: 'buy' as const, price: '100' }
  const fill = { ...rung, at: 1, order: 'x', market: 'BTC_USDT', fee: '0.1', maker: true }
  for (const level of ['b10', 'b2', 'b3']) book.ordered({ ...rung, level })
  book.ordered({ ...rung, level: 'b2', price: '101' })
  book.filled({ ...fill, level: 'b2', amount: '0.1', profit: '-0.3' })
  book.filled({ ...fill, level: 'b2', price: '101.6', amount: '0.2', profit: '0.1' })
  const still = { ladder: 'main', side: 'buy', price: '100', fills: 0, amount: '0', profit: '0', fees: '0' }
  expect(book.rungs()).toEqual([
    {
      ...still,
      id: 'grid.main.b2',
      price: '101.067',
      orders: 2,
      fills: 2,
      amount: '0.3',
      profit: '-0.2',
      fees: '0.2',
    },
    { ...still, id: 'grid.main.b3', orders: 1 },
    { ...still, id: 'grid.main.b10', orders: 1 },
  ])
})
