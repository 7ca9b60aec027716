import { expect, test } from 'vitest'
import { parseAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { RungResults } from '#src/research/backtest/measures/rung-results.ts'

test('a rung sums its orders and fills at their average price; the one with most fills is first', () => {
  const book = new RungResults()
  const rung = { strategy: 'grid', ladder: 'main', side: 'buy' as const, price: '100' }
  const fee = parseAtoms('0.1')
  for (const level of ['b10', 'b2', 'b3']) book.ordered({ ...rung, level })
  book.ordered({ ...rung, level: 'b2', price: '101' })
  const [lost, gained] = [parseSignedAtoms('-0.3'), parseAtoms('0.1')]
  const [first, second] = [
    { ...rung, level: 'b2' },
    { ...rung, level: 'b2', price: '101.6' },
  ]
  book.filled(first, { amount: parseAtoms('0.1'), money: parseAtoms('10'), profit: lost, fee })
  book.filled(second, { amount: parseAtoms('0.2'), money: parseAtoms('20.32'), profit: gained, fee })
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
