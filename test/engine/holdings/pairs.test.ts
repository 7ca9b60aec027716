import { expect, test } from 'vitest'
import { rungPairsOf } from '#src/engine/holdings/pair-sums.ts'
import { matchFill, newPairs, type ClosedBy, type PairFill, type Pairs } from '#src/engine/holdings/pairs.ts'
import { Decimal } from '#src/core/money/decimal.ts'

type Side = 'buy' | 'sell'
let orders = 0

/** One fill for a fee of 1. */
function fillOf(
  ladder: string,
  level: string,
  side: Side,
  amount: string,
  price: number,
  by: PairFill['by'],
) {
  const sign = side === 'buy' ? 1 : -1
  const text = (value: Decimal) => value.times(sign).toFixed()
  const money = text(new Decimal(amount).times(price))
  return { ladder, level, amount: text(new Decimal(amount)), money, order: orders++, fee: '1', by }
}

const entry = (ladder: string, level: string, side: Side, amount: string, price: number, by: ClosedBy) =>
  fillOf(ladder, level, side, amount, price, { entry: by })
const exit = (ladder: string, level: string, side: Side, amount: string, price: number, by: ClosedBy) =>
  fillOf(ladder, level, side, amount, price, { exit: by })
const mirror = (rungs: string[], side: Side, amount: string, price: number) =>
  fillOf('grid', `m${rungs[0]}`, side, amount, price, { mirror: rungs })

function matched(...fills: PairFill[]): Pairs {
  const pairs = newPairs()
  for (const fill of fills) matchFill(pairs, fill)
  return pairs
}

/** Each rung as its pairs, its profit and its open amount. */
function told(pairs: Pairs): Record<string, [number, string, string]> {
  const rungs = [...rungPairsOf(pairs, undefined)]
  return Object.fromEntries(
    rungs.map(([key, { pairs: count, profit, open }]) => [key, [count, profit, open]]),
  )
}

test('grid profit is defined as exchanges do: the sale less the purchase of a cycle, less the fees of both', () => {
  // The prices, the sold amount and the rates are those of the example that OKX gives for its spot grid.
  const bought = { ...entry('grid', 'b1', 'buy', '0.00005216', 100_000, 'mirrors'), fee: '0.005216' }
  const sold = { ...mirror(['b1'], 'sell', '0.00005216', 101_000), fee: '0.00526816' }
  // 5.26816 x 0.999 - 5.216 x 1.001
  expect(told(matched(bought, sold))).toEqual({ 'grid.b1': [1, '0.04167584', '0'] })
})

test('a mirror closes its own rung, although another one is older', () => {
  const pairs = matched(
    entry('grid', 'b1', 'buy', '1', 99, 'mirrors'),
    entry('grid', 'b2', 'buy', '1', 98, 'mirrors'),
    mirror(['b2'], 'sell', '1', 99),
  )
  expect(told(pairs)).toEqual({ 'grid.b2': [1, '-1', '0'], 'grid.b1': [0, '0', '1'] })
})

test('a mirror that took over the rest of another rung closes its own rung first', () => {
  const pairs = matched(
    entry('grid', 'b1', 'buy', '1.25', 99, 'mirrors'),
    entry('grid', 'b2', 'buy', '1', 98, 'mirrors'),
    mirror(['b2', 'b1'], 'sell', '1.25', 99),
  )
  // Of the fee of the sale 0.8 is for 1, and 0.2 for the quarter of the first rung, as 0.2 of its own fee is.
  expect(told(pairs)).toEqual({ 'grid.b2': [1, '-0.8', '0'], 'grid.b1': [0, '-0.4', '1'] })
})

test('an entry of a grid closes nothing: each side waits for its mirror', () => {
  const pairs = matched(
    entry('grid', 'b1', 'buy', '1', 99, 'mirrors'),
    entry('grid', 's1', 'sell', '1', 101, 'mirrors'),
  )
  expect(told(pairs)).toEqual({ 'grid.b1': [0, '0', '1'], 'grid.s1': [0, '0', '-1'] })
})

test('a stop matches the rungs of both sides with each other, then the oldest one', () => {
  const pairs = matched(
    entry('grid', 'b1', 'buy', '1', 99, 'mirrors'),
    entry('grid', 's1', 'sell', '1', 101, 'mirrors'),
    entry('grid', 'b2', 'buy', '2', 98, 'mirrors'),
    exit('grid', 'st', 'sell', '1', 90, 'mirrors'),
  )
  // 101 - 99 - 2, and 90 - 98 - 1 - half of the fee of 1.
  expect(told(pairs)).toEqual({ 'grid.b1': [1, '0', '0'], 'grid.b2': [0, '-9.5', '1'] })
})

test('an exit whose entry is known later belongs to that entry', () => {
  const pairs = matched(
    exit('dip', 'st', 'sell', '1', 90, 'exits'),
    entry('dip', '1', 'buy', '1', 100, 'exits'),
  )
  expect(told(pairs)).toEqual({ 'dip.1': [1, '-12', '0'] })
})

test('two quoting ladders close each other, and each order that is closed in full is a pair', () => {
  const pairs = matched(
    entry('bids', '1', 'buy', '1', 99, 'entries'),
    entry('bids', '1', 'buy', '1', 97, 'entries'),
    entry('asks', '1', 'sell', '3', 101, 'entries'),
  )
  expect(told(pairs)).toEqual({
    'bids.1': [2, new Decimal(202).minus(196).minus(2).minus('0.666666666666666666').toFixed(), '0'],
    'asks.1': [0, '0', '-1'],
  })
})

const bid = (amount: string, price: number) => entry('bids', '1', 'buy', amount, price, 'entries')
const ask = (amount: string, price: number) => entry('asks', '1', 'sell', amount, price, 'entries')
const sold = (amount: string) => ask(amount, 101)
const pairsOf = (...fills: PairFill[]) => told(matched(...fills))['bids.1']?.[0]

test('a quote that refills before it is flat counts each of its orders that was closed in full, the oldest first', () => {
  const fills = [bid('1', 99), bid('2', 98), ask('1', 101)]
  expect(pairsOf(...fills)).toBe(1)
  // A half of the second order is still open.
  expect(pairsOf(...fills, ask('1', 101))).toBe(1)
  expect(pairsOf(...fills, ask('1', 101), bid('3', 97), ask('1', 101))).toBe(2)
  expect(pairsOf(...fills, ask('1', 101), bid('3', 97), ask('4', 101))).toBe(3)
})

test('the parts of one order are one pair, although a later order of the rung is open', () => {
  const first = entry('bids', '1', 'buy', '1', 99, 'entries')
  const more = { ...first, amount: '2', money: '198' }
  const next = entry('bids', '1', 'buy', '1', 98, 'entries')
  expect(pairsOf(first, more, next, sold('2'))).toBe(0)
  expect(pairsOf(first, more, next, sold('3'))).toBe(1)
  expect(pairsOf(first, more, next, sold('4'))).toBe(2)
})

test('a rung with very many open orders counts all of them once it is closed', () => {
  const bids = Array.from({ length: 1500 }, () => entry('bids', '1', 'buy', '1', 99, 'entries'))
  const half = matched(...bids, sold('1400'))
  expect(half.lots[0]?.parts?.length).toBeLessThanOrEqual(1000)
  expect(told(half)['bids.1']?.[0]).toBe(1400)
  expect(told(matched(...bids, sold('1500')))['bids.1']?.[0]).toBe(1500)
})

test('lots of a journal of an earlier version count their orders when all of them are closed', () => {
  const old = {
    ladder: 'bids',
    level: '1',
    amount: '3',
    money: '295',
    fee: '2',
    orders: 2,
    last: 1,
    free: true as const,
  }
  const after = (...fills: PairFill[]) => {
    const pairs: Pairs = { lots: [{ ...old }], closed: {} }
    for (const fill of fills) matchFill(pairs, fill)
    return told(pairs)['bids.1']?.[0]
  }
  expect(after(sold('2'))).toBe(0)
  expect(after(sold('3'))).toBe(2)
  expect(after(entry('bids', '1', 'buy', '1', 97, 'entries'), sold('3'))).toBe(2)
})

test('ladders with exits keep to themselves', () => {
  const pairs = matched(
    entry('dip', '1', 'buy', '1', 99, 'exits'),
    entry('asks', '1', 'sell', '1', 101, 'entries'),
    entry('top', '1', 'sell', '1', 102, 'exits'),
  )
  expect(told(pairs)).toEqual({ 'dip.1': [0, '0', '1'], 'asks.1': [0, '0', '-1'], 'top.1': [0, '0', '-1'] })
})

test('flattening closes each quoting ladder by what it holds by itself', () => {
  const pairs = matched(
    entry('bids', '1', 'buy', '3', 99, 'entries'),
    entry('asks', '1', 'sell', '2', 101, 'entries'),
    exit('bids', 'fl', 'sell', '3', 100, 'entries'),
    exit('asks', 'fl', 'buy', '2', 100, 'entries'),
  )
  const rungs = Object.values(told(pairs))
  expect(rungs.every(([, , open]) => open === '0')).toBe(true)
  const all = rungs.reduce((sum, [, profit]) => sum.plus(profit), new Decimal(0))
  expect(all.toNumber()).toBe(-297 + 202 + 300 - 200 - 4)
})

test('a fee that the venue corrects later belongs to the open part, or else to the closed part', () => {
  const bought = entry('grid', 'b1', 'buy', '1', 99, 'mirrors')
  const more = { ...bought, amount: '0', money: '0', fee: '0.5' }
  const sold = mirror(['b1'], 'sell', '1', 102)
  expect(told(matched(bought, more, sold))).toEqual({ 'grid.b1': [1, '0.5', '0'] })
  const late = { ...sold, amount: '0', money: '0', fee: '0.25' }
  expect(told(matched(bought, more, sold, late))).toEqual({ 'grid.b1': [1, '0.25', '0'] })
})
