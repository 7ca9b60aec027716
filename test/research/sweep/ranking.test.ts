import { expect, test } from 'vitest'
import { agreementOf, warningsOf, rankOf, scoreOf, type VariantOutcome } from '#src/research/sweep/ranking.ts'
import { pairCells } from '#src/research/sweep/result-texts.ts'
import { won } from './outcomes.ts'

const refused: VariantOutcome = { refused: 'no strategy' }

test('the best variant is first, equal ones keep their order, and invalid ones are last', () => {
  expect(rankOf([won('1'), refused, won('3'), won('3'), won('-2')], ['profit'])).toEqual([2, 3, 0, 4, 1])
})

test('an undefined ratio ranks behind a bad one', () => {
  expect(rankOf([won('9'), won('1', { sharpe: -2 }), won('1', { sharpe: 0.5 })], ['sharpe'])).toEqual([
    2, 1, 0,
  ])
  expect(scoreOf(won('30', { maxDrawdown: '10' }), 'calmar')).toBe(3)
  expect(scoreOf(won('30', { maxDrawdown: '0' }), 'calmar')).toBe(Infinity)
  expect(scoreOf(won('0', { maxDrawdown: '0' }), 'calmar')).toBe(0)
})

test('the rank correlation is 1 for equal and -1 for reversed orders', () => {
  const some = ['1', '2', '3', '4'].map((profit) => won(profit))
  expect(agreementOf(some, some, 'profit')).toBeCloseTo(1)
  expect(agreementOf(some, some.toReversed(), 'profit')).toBeCloseTo(-1)
  // By hand: ranks 1 2 3 4 against 2 1 4 3 give 1 - 6 × 4 / (4 × 15).
  expect(
    agreementOf(
      some,
      ['2', '1', '4', '3'].map((profit) => won(profit)),
      'profit',
    ),
  ).toBeCloseTo(0.6)
  expect(agreementOf(some.slice(0, 2), some.slice(0, 2), 'profit')).toBeNull()
  expect(agreementOf([won('1'), won('1'), won('1')], some, 'profit')).toBeNull()
})

test('warnings cover losses in-sample or out-of-sample, halts, few fills and low rank correlation', () => {
  const learned = [won('50'), won('10'), won('5'), won('1')]
  expect(warningsOf(learned, [won('40'), won('9'), won('3'), won('2')], 'profit')).toEqual([])
  expect(warningsOf(learned, [won('-5'), won('1'), won('3'), won('9')], 'profit')).toEqual([
    'The best variant gained 50.00 in-sample and -5.00 out-of-sample.',
    expect.stringContaining('correlate by only -1.00'),
  ])
  const losing = [won('-7', { halts: 1 }), won('-10'), won('-25'), won('-31')]
  expect(warningsOf(losing, losing, 'profit')).toEqual([
    'Even the best variant lost 7.00 in-sample.',
    'The best variant was halted in-sample and out-of-sample: it placed no entries after the halt.',
  ])
  const short = [won('5', { sharpe: 2, days: 29 })]
  expect(warningsOf(short, short, 'sharpe')).toEqual([
    'The Sharpe ratio is not meaningful: the in-sample part has fewer than 30 days.',
  ])
  expect(warningsOf(short, short, 'profit')).toEqual([])
  const steady = [won('-1', { sharpe: 2 }), won('5', { sharpe: 1 })]
  expect(warningsOf(steady, steady, 'sharpe')).toEqual([
    'The best variant by this measure lost 1.00 in-sample.',
  ])
  expect(pairCells(losing[0] ?? refused, won('2'))).toEqual([
    '-7.00 halted',
    '2.00',
    '10.00',
    '10.00',
    '100',
    '100',
  ])
  const lucky = [won('50', { fills: 3 }), won('10'), won('5')]
  expect(warningsOf(lucky, lucky, 'profit')).toEqual([expect.stringContaining('has only 3 fills')])
})
